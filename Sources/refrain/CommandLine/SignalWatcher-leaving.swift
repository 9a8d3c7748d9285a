import Dispatch
import EventLoop
import Glibc

extension SignalWatcher {
    /// Ends a command that runs until it is stopped: that is no failure.
    static func leaving(_ label: String) -> SignalWatcher {
        let signals = SignalWatcher(queue: DispatchQueue(label: label))
        for signal in [SIGTERM, SIGINT] { signals.on(signal) { @Sendable in _exit(ExitStatus.done.rawValue) } }
        return signals
    }
}
