import Cache
import Dispatch
import EventLoop
import Glibc
import Synchronization

/// The proxy that has started this one to take its place (DECISIONS 14.7), as this one sees it.
///
/// Where it has gone, this one goes on as if it had said what is waited for.
final class Predecessor: Sendable {
    let process: pid_t
    private let channel: UpgradeChannel
    private let lock: Mutex<Descriptor?>
    private let questions = Mutex(Questions())

    /// What it was asked to forget, and has not yet said that it has.
    private struct Questions {
        enum Phase {
            /// It may still come back, and reads nothing but what an upgrade begins with.
            case beginning
            case leaving
            case gone
        }

        var phase = Phase.beginning
        /// In the order in which they were asked.
        var waiting: [@Sendable () -> Void] = []
        var answered = 0
    }

    /// For it to say good-bye, or that it has forgotten: neither takes time.
    /// In seconds.
    private static let patience = 5

    init(_ process: pid_t, _ channel: UpgradeChannel, lock: Descriptor?) {
        self.process = process
        self.channel = channel
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
        channel.send(.prepared)
        _ = channel.receive(within: nil)
    }

    /// Says that this one serves, and waits until the other has made known who goes on.
    func tellServing() {
        channel.send(.serving)
        _ = channel.receive(within: .seconds(Self.patience))
    }

    /// Listens to it until it has ended, and tells that.
    func follow(_ whenGone: @escaping @Sendable () -> Void) {
        questions.withLock { questions in
            questions.phase = .leaving
            for _ in questions.waiting { channel.send(.forget) }
        }
        DispatchQueue(label: "refrain.predecessor").async { @Sendable [self] in
            while channel.receive(within: nil) == .message(.forgotten) { noteForgotten() }
            let waiting = questions.withLock { questions in
                questions.phase = .gone
                defer { questions.waiting = [] }
                return questions.waiting
            }
            for completion in waiting { completion() }
            whenGone()
        }
    }

    /// Has it forget all that it has stored by now, and calls `completion` when it has, or has
    /// gone. One that does not answer is ended: what was purged must not be served.
    func forget(_ completion: @escaping @Sendable () -> Void) {
        let number: Int? = questions.withLock { questions in
            guard questions.phase != .gone else { return nil }
            questions.waiting.append(completion)
            if questions.phase == .leaving { channel.send(.forget) }
            return questions.answered + questions.waiting.count
        }
        guard let number else { return completion() }
        DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(Self.patience)) { @Sendable [self] in
            // While it is followed it lives, so the number is its own.
            questions.withLock { if $0.phase == .leaving, $0.answered < number { kill(process, SIGKILL) } }
        }
    }

    private func noteForgotten() {
        let completion: (@Sendable () -> Void)? = questions.withLock { questions in
            guard !questions.waiting.isEmpty else { return nil }
            questions.answered += 1
            return questions.waiting.removeFirst()
        }
        completion?()
    }
}
