import Dispatch
import EventLoop
import Glibc
import Synchronization

/// Waits for the operator to stop the program: TERM or INT.
///
/// The handlers run on a queue of their own, so that the main thread can simply wait.
final class StopSignals {
    /// Why a stop is over.
    enum Ending: Equatable, Sendable {
        /// All is done; so many connections were cut off.
        case drained(cutOff: Int)
        /// The operator asked a second time.
        case interrupted
        case timedOut
    }

    private let watcher = SignalWatcher(queue: DispatchQueue(label: "refrain.signals"))
    private let stopped = DispatchSemaphore(value: 0)

    init() {
        for signal in [SIGTERM, SIGINT] {
            watcher.on(signal) { @Sendable [stopped] in stopped.signal() }
        }
    }

    /// Runs `handler` on each delivery of `signal`.
    func on(_ signal: CInt, _ handler: @escaping @Sendable () -> Void) {
        watcher.on(signal, handler)
    }

    func wait() {
        stopped.wait()
    }

    /// Ends a wait as a signal does: whatever was waited for beside signals has happened.
    var wake: @Sendable () -> Void { { @Sendable [stopped] in _ = stopped.signal() } }

    /// Waits at most so long; false: for nothing.
    func wait(atMost timeout: Duration) -> Bool {
        stopped.wait(timeout: .now() + .nanoseconds(Int(timeout.wholeNanoseconds))) == .success
    }

    /// Waits for `stop` to call its completion, for another signal, or for as long as `timeout`.
    /// - Parameter hurry: what the first signal does then, instead of ending it at once, and how
    ///   long it may take from there.
    func wait(
        for stop: (_ completion: @escaping @Sendable (_ cutOff: Int) -> Void) -> Void, atMost timeout: Duration,
        hurry: (() -> Duration)? = nil
    ) -> Ending {
        let drained = Drained()
        stop { @Sendable [stopped] cutOff in
            drained.cutOff.withLock { $0 = cutOff }
            stopped.signal()
        }
        let ending = wait(for: drained, atMost: timeout)
        if ending == .interrupted, let hurry { return wait(for: drained, atMost: hurry()) }
        return ending
    }

    private func wait(for drained: Drained, atMost timeout: Duration) -> Ending {
        guard stopped.wait(timeout: .now() + .nanoseconds(Int(timeout.wholeNanoseconds))) == .success else {
            return .timedOut
        }
        return drained.cutOff.withLock { $0 }.map { .drained(cutOff: $0) } ?? .interrupted
    }

    private final class Drained: Sendable {
        let cutOff = Mutex<Int?>(nil)
    }
}
