import CLinux
import EventLoop
import Glibc

/// A process that was started to take the place of this one, as this one sees it.
struct Successor: Sendable {
    private let child: SpawnedProcess
    let channel: UpgradeChannel

    var process: pid_t { child.number }

    /// Signals that a starting proxy keeps until it can act on them.
    static let heldSignals = [SIGHUP, SIGUSR1, SIGUSR2]

    /// Starts `program` with the descriptors in `given` and no others.
    ///
    /// posix_spawn(3), because a fork would copy the page tables of a large cache, and of several
    /// threads only one would live on in the child, in the middle of whatever the others did.
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
        return Successor(
            child: try spawn(program, sources, environment(with: variables)), channel: UpgradeChannel(mine))
    }

    private static func spawn(
        _ program: StartedProgram, _ sources: [Descriptor], _ environment: [String]
    ) throws(CommandFailure) -> SpawnedProcess {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        let first = SocketActivation.firstDescriptor
        for (index, source) in sources.enumerated() {
            posix_spawn_file_actions_adddup2(&actions, source.number, first + CInt(index))
        }
        _ = clinux_close_from(&actions, first + CInt(sources.count))
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // TERM and INT end the process until it says otherwise. The held signals wait until it can
        // act on them.
        var (usual, held) = (sigset_t(), sigset_t())
        sigemptyset(&usual)
        sigemptyset(&held)
        for signal in [SIGTERM, SIGINT, SIGPIPE, SIGXFSZ] { sigaddset(&usual, signal) }
        for signal in heldSignals { sigaddset(&held, signal) }
        posix_spawnattr_setsigdefault(&attributes, &usual)
        posix_spawnattr_setsigmask(&attributes, &held)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))
        let words = program.arguments.map { strdup($0) } + [nil]
        let settings = environment.map { strdup($0) } + [nil]
        defer { for word in words + settings { free(word) } }
        var process: pid_t = 0
        let code = posix_spawn(&process, program.path, &actions, &attributes, words, settings)
        guard code == 0 else {
            throw .failed("cannot start \(program.path): \(SystemError(call: "posix_spawn", errno: code))")
        }
        return SpawnedProcess(number: process)
    }

    /// This process's variables, less those of the same names, and `others`.
    private static func environment(with others: [String]) -> [String] {
        var all: [String] = []
        var next = clinux_environment()
        let names = others.map { $0.prefix { $0 != "=" } }
        while let place = next, let variable = place.pointee {
            let text = String(cString: variable)
            if !names.contains(text.prefix { $0 != "=" }) { all.append(text) }
            next = place + 1
        }
        return all + others
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
