import Dispatch
import EventLoop
import Synchronization

// The thread that writes what is pending where nothing else wants a processor. A transaction is
// milliseconds of work at once, and on the thread of a queue, even of the lowest quality of
// service, answers waited for its end where cores are few. But on a busy machine such a thread may
// stand still, under the writer's lock or one that loops take. So it does small things alone, and
// where it has not done by the next time what it was asked for, the store's queue goes on.
// Must hold: it holds the writer's lock for one small transaction at most; nothing waits for it for
// longer than from one turn of writing to the next; the store writes all the same where there is
// none.

final class IdleWriter: Sendable {
    private let wake = DispatchSemaphore(value: 0)
    private let hasThread = Atomic<Bool>(false)
    private let isAsked = Atomic<Bool>(false)
    private let isEnded = Atomic<Bool>(false)
    /// Up to when others write, in nanoseconds since the machine has started.
    private let overtakenUntil = Atomic<UInt64>(0)

    /// Rows of one of its transactions: some two milliseconds of work.
    static let batchRows = 64
    /// For so long after it was overtaken it does not write: on a machine that busy it would be
    /// overtaken again.
    static let pauseNanoseconds: UInt64 = 5_000_000_000

    /// Starts the thread, which runs `write` each time it is asked.
    /// - Parameter note: is told the error (`errno`) for which there is no such thread.
    func start(_ write: @escaping @Sendable () -> Void, note: @escaping @Sendable (CInt) -> Void) {
        let refusal = BackgroundThread.start(.idle) { @Sendable [self] refusal in
            if let refusal { return note(refusal) }
            hasThread.store(true, ordering: .relaxed)
            while true {
                wake.wait()
                if isEnded.load(ordering: .relaxed) { return }
                write()
                isAsked.store(false, ordering: .relaxed)
            }
        }
        if let refusal { note(refusal) }
    }

    /// Has the thread write what is pending; false where somebody else has to, because it has not
    /// done what it was asked for before.
    func ask() -> Bool {
        guard mayWrite, !isAsked.exchange(true, ordering: .relaxed) else { return false }
        wake.signal()
        return true
    }

    /// Whether no other thread has overtaken it lately.
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
