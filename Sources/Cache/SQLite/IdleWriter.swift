import Dispatch
import EventLoop
import Synchronization

// The thread that writes what is pending where nothing else wants a processor. A transaction is
// milliseconds of work at once, and on the thread of a queue, even of the lowest quality of
// service, answers waited for its end where cores are few. But on a busy machine such a thread may
// stand still, under the writer's lock or one that loops take. So it does small things alone, and
// where it has not done by the next time what it was asked for, the store's queue goes on.
// Must hold: it holds the writer's lock for one small transaction at most; nothing waits for it for
// longer than from one drain to the next; the store writes all the same where there is none.

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

extension SQLiteStore {
    /// What the idle thread does: small transactions, as many as what waits now takes. What needs
    /// more than that is the queue's.
    func writeIdly() {
        var rows = pending.withLock { $0.queued.count + $0.touchCount }
        guard rows > 0 else { return }
        guard writer.withLock({ $0.isInPlace }) else { return drainSoon() }
        while rows > 0, idle.mayWrite {
            switch writer.withLock({ $0.writeLittle(for: self) }) {
            case .wrote: rows -= IdleWriter.batchRows
            case .nothing: return
            case .cannot: return drainSoon()
            }
        }
    }

    private func drainSoon() {
        queue.async { @Sendable [weak self] in self?.drain() }
    }
}

extension StoreWriter {
    /// What came of writing a little.
    enum Little {
        case wrote, nothing
        /// It takes more: a file to open, room to be made, an error.
        case cannot
    }

    /// Writes as many operations as one small transaction takes, or last-use times where there are
    /// none. Makes no room and mends nothing.
    func writeLittle(for store: SQLiteStore) -> Little {
        guard let connection = readyConnection else { return .cannot }
        let (batch, lastUses) = store.pending.withLock { $0.take(IdleWriter.batchRows) }
        if batch.isEmpty, lastUses.isEmpty { return .nothing }
        do throws(SQLiteError) {
            guard !batch.isEmpty else {
                try connection.write(lastUses: lastUses)
                return .wrote
            }
            if let outcome = try connection.applySmall(batch) {
                store.pending.withLock { $0.finish(batch) }
                finish(outcome, store)
                return .wrote
            }
        } catch {
            // It fails on the queue as well, which does what is to be done about it.
            store.counters.withLock { $0.failedTransactions += 1 }
        }
        store.pending.withLock { $0.putBack() }
        return .cannot
    }
}
