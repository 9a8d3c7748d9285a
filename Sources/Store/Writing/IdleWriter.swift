import Dispatch
import EventLoop
import Synchronization

// The thread that writes what is pending while nothing else wants a processor. A transaction is
// milliseconds of work at once. On a machine with few cores answers waited for its end when it ran
// on the thread of a queue, even of the lowest quality of service. But on a busy machine an idle
// thread may not run for long, while it holds the writer's lock or one that loops take. So it does
// small transactions only, and where it has not done its work by the next turn, the store's queue
// does it.
// Must hold: it holds the writer's lock for one small transaction at most; nothing waits for it for
// longer than from one turn of writing to the next; the store also writes where there is no such
// thread.

final class IdleWriter: Sendable {
    private let wake = DispatchSemaphore(value: 0)
    private let hasThread = Atomic<Bool>(false)
    private let isAsked = Atomic<Bool>(false)
    private let isEnded = Atomic<Bool>(false)
    /// Until when others write, in nanoseconds since the machine has started.
    private let overtakenUntil = Atomic<UInt64>(0)

    /// Rows of one of its transactions: some two milliseconds of work.
    static let batchRows = 64
    /// How long it does not write after it was overtaken: on a machine that busy it would be
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

    /// Has the thread write what is pending. False where the caller has to, because the thread has
    /// not done what it was asked for before.
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

    /// Called when another thread is about to write.
    func overtake() {
        overtakenUntil.store(DispatchTime.now().uptimeNanoseconds + Self.pauseNanoseconds, ordering: .relaxed)
    }

    /// Ends the thread.
    func end() {
        isEnded.store(true, ordering: .relaxed)
        wake.signal()
    }
}
