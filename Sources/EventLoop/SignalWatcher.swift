import Dispatch
import Glibc

/// Signals as blocks on a queue, where any code is allowed, instead of in a signal handler, where
/// hardly any is.
public final class SignalWatcher {
    private let queue: DispatchQueue
    private var sources: [any DispatchSourceSignal] = []

    /// Handlers run on `queue`.
    public init(queue: DispatchQueue) {
        self.queue = queue
    }

    deinit {
        for source in sources { source.cancel() }
    }

    /// Runs `handler` each time the process receives `signal` (several deliveries may become one).
    /// The signal's default action is switched off, and stays off.
    public func on(_ signal: CInt, _ handler: @escaping @Sendable () -> Void) {
        Glibc.signal(signal, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: signal, queue: queue)
        source.setEventHandler(handler: DispatchWorkItem { @Sendable in handler() })
        source.activate()
        sources.append(source)
    }
}
