import Dispatch
import EventLoop
import Glibc

/// Waits for the operator to stop the program: TERM or INT.
///
/// The handlers run on a queue of their own, so that the main thread can simply wait.
final class StopSignals {
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
}
