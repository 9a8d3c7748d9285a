import EventLoop
import Glibc

/// A process that was started to take the place of this one, as this one sees it.
struct Successor: Sendable {
    private let child: SpawnedProcess
    let channel: UpgradeChannel

    var process: pid_t { child.number }

    /// Signals that a starting proxy keeps until it can act on them.
    static let heldSignals = [SIGHUP, SIGUSR1, SIGUSR2]
    /// Signals that do to it what they do to any program until it says otherwise: TERM and INT end
    /// it.
    private static let usualSignals = [SIGTERM, SIGINT, SIGPIPE, SIGXFSZ]

    /// Starts `program` with the standard descriptors, those in `given`, and no others.
    static func start(
        _ program: StartedProgram, _ given: [HandedOver], variables: [String]
    ) throws(CommandFailure) -> Successor {
        let (mine, its) = try attempt("cannot start the new process") { try Descriptor.pair() }
        let all = [HandedOver(role: .control, descriptor: its)] + given
        guard all.count <= SocketActivation.most else {
            throw .failed("cannot start the new process: too many sockets to pass")
        }
        // Above where they go, so that none is overwritten before it has been copied.
        let least = SocketActivation.firstDescriptor + CInt(all.count)
        let sources = try attempt("cannot start the new process") {
            try all.map { try Descriptor(copying: $0.descriptor.number, least: least) }
        }
        let variables = HandedOver.variables(all, from: getpid()) + variables
        let standard = [SpawnedProcess.File](repeating: .inherited, count: Int(SocketActivation.firstDescriptor))
        let child = try attempt("cannot start \(program.path)") {
            try SpawnedProcess.start(
                program.path, program.arguments, variables: variables,
                files: standard + sources.map { .copy($0) },
                signals: SpawnedProcess.Signals(usual: sigset_t(usualSignals), held: sigset_t(heldSignals)))
        }
        return Successor(child: child, channel: UpgradeChannel(mine))
    }

    /// Waits until it has ended, for `limit` at most. Its number is its own until `end`.
    func awaitEnd(within limit: Duration) { child.awaitEnd(until: .now() + limit) }

    /// Ends it at once, if it does not end by itself already, and says how it did: it has nothing
    /// that would be lost.
    func end() -> String {
        guard case .ended(let status) = child.kill() else { return "the process has ended" }
        return status & 0x7F == 0
            ? "the process ended with exit code \(status >> 8 & 0xFF)"
            : "the process was ended by signal \(status & 0x7F)"
    }
}
