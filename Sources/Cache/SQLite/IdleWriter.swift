import Dispatch
import EventLoop
import Synchronization

// The thread that writes what is pending where nothing else wants a processor. A transaction is
// milliseconds of work at once: on the thread of a queue, even of the lowest quality of service,
// answers waited for its end where cores are few. But on a busy machine such a thread may stand
// still. So as soon as more waits than it has written, or somebody waits for what it does, the
// store's queue writes, and this thread stops at the end of its transaction.
// Must hold: it never has more than one small transaction between it and whoever waits; the store
// writes all the same where there is no such thread.

final class IdleWriter: Sendable {
    private let wake = DispatchSemaphore(value: 0)
    private let hasThread = Atomic<Bool>(false)
    private let isEnded = Atomic<Bool>(false)
    /// Up to when others write, in nanoseconds since the machine has started.
    private let overtakenUntil = Atomic<UInt64>(0)

    /// Rows of one of its transactions: some two milliseconds of work. A thread with a hundredth of
    /// a processor gets through one while less comes than may wait.
    static let batchRows = 64
    /// For so long after it was overtaken it does not write: on a machine that busy it would be
    /// overtaken again.
    static let pauseNanoseconds: UInt64 = 2_000_000_000

    /// Starts the thread, which runs `drain` each time it is woken.
    func start(_ drain: @escaping @Sendable () -> Void) {
        let refusal = BackgroundThread.start(.idle) { @Sendable [self] refusal in
            guard refusal == nil else { return }
            hasThread.store(true, ordering: .relaxed)
            while true {
                wake.wait()
                if isEnded.load(ordering: .relaxed) { return }
                drain()
            }
        }
        if refusal != nil { end() }
    }

    /// Has the thread write what is pending; false where somebody else has to.
    func write() -> Bool {
        guard mayWrite else { return false }
        wake.signal()
        return true
    }

    /// Whether nobody has overtaken it lately.
    var mayWrite: Bool {
        hasThread.load(ordering: .relaxed)
            && DispatchTime.now().uptimeNanoseconds >= overtakenUntil.load(ordering: .relaxed)
    }

    /// Somebody else is about to write.
    func overtake() {
        overtakenUntil.store(DispatchTime.now().uptimeNanoseconds + Self.pauseNanoseconds, ordering: .relaxed)
    }

    /// Lets the thread go.
    func end() {
        isEnded.store(true, ordering: .relaxed)
        wake.signal()
    }
}
