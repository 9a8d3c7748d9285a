import Dispatch
import Glibc

/// Runs a block on a queue for each signal, because a signal handler may call almost nothing.
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

    /// Keeps signals pending until `on` is called for them.
    ///
    /// Blocks them in the calling thread and in the threads that it starts afterwards, so the
    /// program calls this before it starts any. Without it a signal has its default action until
    /// `on` returns, and most of them end the process.
    public static func hold(_ signals: [CInt]) {
        var set = sigset_t()
        sigemptyset(&set)
        for signal in signals { sigaddset(&set, signal) }
        pthread_sigmask(SIG_BLOCK, &set, nil)
    }

    /// Runs `handler` each time the process receives `signal`; several deliveries may become one.
    ///
    /// Returns once the signal is watched, because Dispatch installs a source later, on a thread of
    /// its own. The signal's default action is off from then on, and stays off. Must not be called
    /// on the watcher's queue.
    public func on(_ signal: CInt, _ handler: @escaping @Sendable () -> Void) {
        dispatchPrecondition(condition: .notOnQueue(queue))
        let source = DispatchSource.makeSignalSource(signal: signal, queue: queue)
        let isWatched = DispatchSemaphore(value: 0)
        source.setEventHandler(handler: DispatchWorkItem { @Sendable in handler() })
        source.setRegistrationHandler(handler: DispatchWorkItem { @Sendable in isWatched.signal() })
        source.activate()
        isWatched.wait()
        sources.append(source)
    }
}
