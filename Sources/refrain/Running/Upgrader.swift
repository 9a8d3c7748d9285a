import Dispatch
import EventLoop
import Glibc
import Synchronization

/// Carries out SIGUSR2: starts the program anew and gives way to it once it serves, or goes on and
/// says why (DECISIONS 14.7).
///
/// Must hold: until the successor says that it serves, everything that this process has given
/// up can be taken back; one of the two accepts, and one at most writes the cache file.
final class Upgrader: Sendable {
    /// How long a successor may take.
    struct Limits: Sendable {
        /// From its start until nothing is left that can fail, or wait for the disk.
        var preparation = Duration.seconds(60)
        /// From then until it serves. Clients that connect meanwhile wait.
        var beginning = Duration.seconds(10)
        /// From its last words, or the end of its channel, until it has ended by itself: enough for
        /// an exit on a busy machine. Never beyond the time of its stage.
        var ending = Duration.seconds(5)
    }

    private enum State {
        case idle
        /// The process is there once it was started.
        case underWay(pid_t?)
        case replaced(by: pid_t)
        case stopping
    }

    private struct Status {
        var state = State.idle
        /// Signals that a successor has to learn of, too.
        var missed: Set<CInt> = []
        var successorHasEnded = false
    }

    private let program: StartedProgram?
    private let proxy: RunningProxy
    private let reloader: Reloader
    private let log: OperationalLog
    private let manager: ServiceManager
    private let limits: Limits
    private let status = Mutex(Status())
    /// Called when a successor serves, and again when it has ended.
    private let whenReplaced: @Sendable () -> Void

    init(
        _ program: StartedProgram?, _ proxy: RunningProxy, _ reloader: Reloader, _ log: OperationalLog,
        _ manager: ServiceManager, limits: Limits = Limits(), whenReplaced: @escaping @Sendable () -> Void
    ) {
        (self.program, self.proxy, self.reloader, self.log) = (program, proxy, reloader, log)
        (self.manager, self.limits, self.whenReplaced) = (manager, limits, whenReplaced)
    }

    var hasSuccessor: Bool {
        status.withLock { status in if case .replaced = status.state { true } else { false } }
    }

    /// Whether nothing tells this process of purges any more: it must not stay.
    var successorHasEnded: Bool { status.withLock { $0.successorHasEnded } }

    /// Begins an upgrade, unless there is a reason not to.
    func request() {
        let refusal: String? = status.withLock { status in
            switch status.state {
            case .idle:
                status.state = .underWay(nil)
                return nil
            case .underWay: return "an upgrade is under way"
            case .replaced(let process): return "process \(process) has taken over"
            case .stopping: return "the proxy is stopping"
            }
        }
        if let refusal { return log(.warn, "SIGUSR2: ignored: \(refusal)") }
        reloader.pause { @Sendable [self] in upgrade() }
    }

    /// Passes a signal that means something to every proxy on to the successor; false where there
    /// is none.
    @discardableResult
    func passOn(_ signal: CInt) -> Bool {
        status.withLock { status in
            switch status.state {
            case .idle, .stopping: return false
            case .underWay:
                status.missed.insert(signal)
                return false
            case .replaced(let process):
                // It is a child that is not waited for, so the number is its own.
                kill(process, signal)
                return true
            }
        }
    }

    /// The proxy stops: an upgrade that is under way comes to nothing. The process that has taken
    /// over, if one has.
    func end() -> pid_t? {
        status.withLock { status in
            if case .replaced(let process) = status.state { return process }
            // The code that started it notices its end, and waits for it.
            if case .underWay(let process?) = status.state { kill(process, SIGKILL) }
            status.state = .stopping
            return nil
        }
    }

    private func upgrade() {
        do throws(CommandFailure) {
            let successor = try start()
            log(.notice, "SIGUSR2: started \(program?.path ?? "") as process \(successor.process)")
            try bringUp(successor)
            reloader.end()
            log(.notice, "SIGUSR2: process \(successor.process) has replaced process \(getpid())")
            whenReplaced()
            answerForgets(over: successor.channel)
        } catch {
            giveUp(because: error.messages.joined(separator: "; "))
        }
    }

    /// The successor has this process forget its copies at each purge, until one of the two ends.
    private func answerForgets(over channel: UpgradeChannel) {
        DispatchQueue(label: "refrain.successor").async { @Sendable [self] in
            channel.answerForgets { proxy.forget($0) }
            status.withLock { $0.successorHasEnded = true }
            whenReplaced()
        }
    }

    private func giveUp(because message: String) {
        let goesOn = status.withLock { status in
            status.missed = []
            guard case .underWay = status.state else { return false }
            status.state = .idle
            return true
        }
        guard goesOn else { return log(.warn, "SIGUSR2: not upgraded: the proxy is stopping") }
        log(.error, "SIGUSR2: not upgraded, this process continues: \(message)")
        proxy.reloads.noteFailedUpgrade(message)
        // It is as ready as it was.
        manager.tell(.ready(status: "the last upgrade failed: \(message)"))
    }

    private func start() throws(CommandFailure) -> Successor {
        guard getpid() != 1 else {
            throw .failed("process 1 cannot be upgraded, because its container would end: replace the container")
        }
        guard let program else { throw .failed("the path of the program is unknown") }
        let given = try attempt("cannot pass the sockets") { try proxy.handedOver() }
        return try status.withLock { (status) throws(CommandFailure) in
            guard case .underWay = status.state else { throw .failed("the proxy is stopping") }
            let successor = try Successor.start(program, given, variables: manager.variablesForSuccessor)
            status.state = .underWay(successor.process)
            return successor
        }
    }

    /// Returns when it serves.
    private func bringUp(_ successor: Successor) throws(CommandFailure) {
        try receive(.prepared, from: successor, within: limits.preparation)
        let recorded = proxy.stepBack()
        do throws(CommandFailure) {
            successor.channel.send(.proceed)
            try receive(.serving, from: successor, within: limits.beginning)
            try settle(successor)
        } catch {
            proxy.comeBack(recording: recorded, log)
            throw error
        }
    }

    /// From here on there is no way back. One that is to stop hears `replaced` only after all have
    /// been told: a manager would otherwise see its process end and not know of the other.
    private func settle(_ successor: Successor) throws(CommandFailure) {
        let missed: Set<CInt>? = status.withLock { status in
            guard case .underWay = status.state else { return nil }
            proxy.noteHandedOver()
            manager.tell(.replaced(by: successor.process))
            successor.channel.send(.done)
            status.state = .replaced(by: successor.process)
            return status.missed
        }
        guard let missed else { throw .failed("the proxy is stopping; \(end(successor))") }
        for signal in missed { kill(successor.process, signal) }
    }

    /// Ends a successor that comes to nothing. Its number may be another's from then on.
    private func end(_ successor: Successor) -> String {
        status.withLock { status in
            if case .underWay = status.state { status.state = .underWay(nil) }
        }
        return successor.end()
    }

    /// Has a successor that ends by itself do so, and ends one that does not.
    private func awaitEnd(of successor: Successor, until deadline: Instant) -> String {
        successor.awaitEnd(within: min(limits.ending, max(.zero, deadline - .now())))
        return end(successor)
    }

    private func receive(
        _ message: UpgradeChannel.Message, from successor: Successor, within limit: Duration
    ) throws(CommandFailure) {
        let deadline = Instant.now() + limit
        let subject = "process \(successor.process) is not ready"
        while true {
            switch successor.channel.receive(within: deadline - .now()) {
            case .message(message): return
            case .message(.ticketKeys):
                guard successor.channel.send(proxy.ticketKeys) else {
                    throw .failed("\(subject): keys of session tickets were sent in part; \(end(successor))")
                }
            case .failure(let words):
                let parts = [words.text, awaitEnd(of: successor, until: deadline)].filter { !$0.isEmpty }
                throw .failed("\(subject): \(parts.joined(separator: "; "))")
            case .end: throw .failed("\(subject): \(awaitEnd(of: successor, until: deadline))")
            case .message: throw .failed("\(subject): \(end(successor))")
            case .nothingInTime:
                _ = end(successor)
                throw .failed("process \(successor.process) was not ready within \(limit), and was ended")
            }
        }
    }
}
