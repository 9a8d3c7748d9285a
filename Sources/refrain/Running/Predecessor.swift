import Cache
import EventLoop
import Glibc
import Synchronization

/// The proxy that has started this one to take its place (DECISIONS 14.7), as this one sees it.
///
/// Where it has gone, this one goes on as if it had said what is waited for.
final class Predecessor: Sendable {
    let process: pid_t
    private let channel: Mutex<UpgradeChannel?>
    private let lock: Mutex<Descriptor?>

    /// For it to say good-bye: by then it need not do anything that takes time.
    private static let patience = Duration.seconds(5)

    init(_ process: pid_t, _ channel: UpgradeChannel, lock: Descriptor?) {
        self.process = process
        self.channel = Mutex(channel)
        self.lock = Mutex(lock)
    }

    /// The lock of the cache file at `path`, which both hold; nil where it was not handed over.
    func takeLock(of path: String) -> StoreLock? {
        let descriptor = lock.withLock { $0.take() }
        guard let descriptor else { return nil }
        let copy = fcntl(descriptor.number, F_DUPFD_CLOEXEC, SocketActivation.firstDescriptor)
        guard copy >= 0 else { return nil }
        if let lock = StoreLock(handedOver: copy, path) { return lock }
        close(copy)
        return nil
    }

    /// Says that nothing is left but what only one of the two can do, and waits until the other
    /// does that no more: accept, and write the cache file.
    func takeTurn() {
        lock.withLock { $0 = nil }
        let channel = channel.withLock { $0 }
        channel?.send(.prepared)
        _ = channel?.receive(within: nil)
    }

    /// Says that this one serves, and waits until the other has made known who goes on.
    func tellServing() {
        let channel = channel.withLock { $0.take() }
        channel?.send(.serving)
        _ = channel?.receive(within: Self.patience)
    }
}
