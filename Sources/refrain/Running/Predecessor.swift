import Cache
import Dispatch
import EventLoop
import Glibc
import Store
import Synchronization

/// The process whose place this one takes (DECISIONS 14.7), from this one's side.
///
/// Until it has ended it answers from its own memory, so each purge here has it forget that, too.
/// Must hold: a purge is complete only when the predecessor has forgotten or has ended; it is
/// killed only where it owes an answer beyond `limits`.
final class Predecessor: Sendable {
    let process: pid_t
    private let channel: UpgradeChannel
    private let limits: OwedForgetting.Limits
    /// Whether it knows the messages beyond 1.0.0.
    private let isRecent: Bool
    private let lock: Mutex<Descriptor?>
    private let owed = Mutex(OwedForgetting())
    private let isOver = Atomic<Bool>(false)

    init(
        _ process: pid_t, _ channel: UpgradeChannel, lock: Descriptor?, isRecent: Bool = false,
        limits: OwedForgetting.Limits = OwedForgetting.Limits()
    ) {
        (self.process, self.channel, self.limits, self.isRecent) = (process, channel, limits, isRecent)
        self.lock = Mutex(lock)
    }

    /// The lock of the cache file at `path`, which both hold; nil where it was not handed over.
    func takeLock(of path: String) -> StoreLock? {
        let descriptor = lock.withLock { $0.take() }
        guard let descriptor else { return nil }
        guard let copy = try? Descriptor.duplicate(descriptor.number) else { return nil }
        if let lock = StoreLock(handedOver: copy, path) { return lock }
        close(copy)
        return nil
    }

    /// The keys of session tickets that it has; nil where it has none, or is of 1.0.0. Once, before
    /// `takeTurn`. Nothing else is done meanwhile: five seconds are for a machine that stands
    /// still.
    func askForTicketKeys(within limit: Duration = .seconds(5)) -> TicketKeys? {
        isRecent ? channel.askForTicketKeys(within: limit) : nil
    }

    /// Says that this process is prepared, and waits until the other one no longer does what only
    /// one of them can do: accept, and write the cache file.
    func takeTurn() {
        lock.withLock { $0 = nil }
        channel.send(.prepared)
        _ = channel.receive(within: nil)
    }

    /// Says that this one serves, and waits until the other has made known which of them goes on.
    func tellServing() {
        channel.send(.serving)
        _ = channel.receive(within: limits.silence)
    }

    /// Listens to it until it has ended, then calls `whenGone`.
    func follow(_ whenGone: @escaping @Sendable () -> Void) {
        perform { $0.begin(at: .now()) }
        DispatchQueue(label: "refrain.predecessor").async { @Sendable [self] in
            listen()
            perform { $0.end() }
            isOver.store(true, ordering: .releasing)
            whenGone()
        }
    }

    /// Has it forget all that it has stored by now, and calls `completion` when it has, or has
    /// ended.
    func forget(_ completion: @escaping @Sendable () -> Void) {
        perform { $0.ask(completion, at: .now()) }
    }

    var hasEnded: Bool { isOver.load(ordering: .acquiring) }

    private func listen() {
        while true {
            switch channel.receive(within: limits.silence) {
            case .end: return
            case .message(.forgotten): perform { $0.noteForgotten(at: .now()) }
            // It works, or says late that it leaves.
            case .message, .failure: owed.withLock { $0.noteSign(at: .now()) }
            case .nothingInTime: break
            }
            // It lives while the channel is open, so the number is its own.
            if owed.withLock({ $0.isOverdue(at: .now(), limits) }) { kill(process, SIGKILL) }
        }
    }

    private func perform(_ event: (inout OwedForgetting) -> OwedForgetting.Step) {
        let step = owed.withLock { owed in
            let step = event(&owed)
            // At most one question is on the way, so this never waits for room.
            if step.asks { channel.send(.forget) }
            return step
        }
        for completion in step.done { completion() }
    }
}
