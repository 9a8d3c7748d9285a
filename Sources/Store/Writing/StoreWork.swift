import Dispatch
import Glibc
import Purging

// Performs the effects of the machine (`StoreState`), and reports each outcome to it. The runner
// takes it under the writer's lock.
// Must hold: an effect does one bounded thing; an order for the runner is done without the lock.

struct StoreWork {
    /// A sweep under way, and the completion that waits for it.
    private struct Run {
        let id: Int
        var sweep: SweepRun
        let completion: SweepCompletion
    }

    private(set) var state: StoreState
    private(set) var hold: HeldFile
    private let shared: SharedState
    private var unixSeconds: @Sendable () -> Int64 { shared.unixSeconds }
    private let log: @Sendable (String) -> Void
    private var run: Run?
    private var lastRun = 0
    /// Whether marks of purges are in the file, and may not be on the disk.
    private var hasUnsyncedPurges = false
    private var orders: [StoreOrder] = []
    private var cappedUses = 0

    init(_ hold: HeldFile, _ shared: SharedState, log: @escaping @Sendable (String) -> Void) {
        state = StoreState(path: shared.path)
        (self.hold, self.shared) = (hold, shared)
        self.log = log
    }

    /// Performs all effects of an event; the orders that are left for the runner.
    mutating func handle(_ event: StoreEvent) -> [StoreOrder] {
        var events = [event]
        while !events.isEmpty {
            let effects = state.apply(events.removeFirst(), at: now)
            for effect in effects {
                if let event = perform(effect) { events.append(event) }
            }
        }
        defer { orders = [] }
        return orders
    }

    /// Begins a sweep.
    mutating func begin(_ sweep: Sweep, at now: Int64, _ completion: @escaping SweepCompletion)
        -> [StoreOrder]
    {
        lastRun += 1
        run = Run(id: lastRun, sweep: SweepRun(sweep, at: now > 0 ? now : unixSeconds()), completion: completion)
        sweepQueue()
        return handle(.sweep(.asked(lastRun)))
    }

    /// Takes the records that wait through the sweep.
    private mutating func sweepQueue() {
        guard let now = run?.sweep.now else { return }
        let waiting = shared.pending.withLock { $0.waiting }
        var changes: [(key: Int64, waiting: WaitingRecord, left: Record?)] = []
        for (key, waiting) in waiting.records {
            guard let verdict = run?.sweep.judge(waiting.record, key), verdict != .untouched else { continue }
            changes.append((key, waiting, waiting.record.left(after: verdict, at: now, shared.owner)))
        }
        run?.sweep.noteWaiting(waiting.keys)
        for start in stride(from: 0, to: changes.count, by: PendingWrites.maxBatch) {
            shared.pending.withLock { pending in
                for (key, waiting, left) in changes[start..<min(start + PendingWrites.maxBatch, changes.count)] {
                    // Not merely forgotten: an older row must not be found instead.
                    let operation = left.map { PendingWrites.Operation.store(WaitingRecord($0)) }
                    pending.replace(waiting, with: operation ?? .remove(receivedBy: .max), key)
                }
            }
        }
    }

    /// Brings the marks of purges that wait to the disk; false where it refuses them.
    mutating func synchronizePurges() -> (orders: [StoreOrder], isDone: Bool) {
        guard state.isWriting, let connection = hold.connection else { return ([], false) }
        do throws(SQLiteError) {
            try write(purges: shared.pending.withLock { $0.purges.all }, connection)
            if hasUnsyncedPurges, !hold.file.isTemporary { try connection.transactions.synchronize() }
            hasUnsyncedPurges = false
            return ([], true)
        } catch {
            return (handle(.failed("\(error)", error.fault)), false)
        }
    }

    /// Whether the file has all purges when it is let go of.
    private mutating func writeLastPurges() -> Bool {
        guard shared.pending.withLock({ $0.purges.hasPurges }) else { return true }
        guard let connection = hold.connection else { return false }
        do throws(SQLiteError) {
            try write(purges: shared.pending.withLock { $0.purges.all }, connection)
            if !hold.file.isTemporary { try connection.transactions.synchronize() }
            return true
        } catch {
            return false
        }
    }

    private var now: StoreState.Moment {
        StoreState.Moment(
            uptime: .nanoseconds(Int64(clamping: DispatchTime.now().uptimeNanoseconds)), unixSeconds: unixSeconds())
    }

    // MARK: Effects

    private mutating func perform(_ effect: StoreEffect) -> StoreEvent? {
        switch effect {
        case .open: return open()
        case .write(let makingRoom): return write(makingRoom: makingRoom)
        case .again: orders.append(.turn)
        case .gather: orders.append(.gather)
        case .retry(let delay):
            shared.pending.withLock { $0.hold() }
            orders.append(.retry(after: delay))
        case .putBack: noteFailure()
        case .keepQueue: shared.pending.withLock { $0.keepUnwritten() }
        case .forgetQueue: shared.pending.withLock { $0.close() }
        case .dropConnection: hold.dropConnection()
        case .disconnect:
            shared.counters.withLock { $0.failedTransactions += 1 }
            hold.disconnect()
        case .giveUp(let segment):
            hold.connection?.giveUp(segment)
            tell("segment \(Segments.name(segment)) cannot be read: it is discarded with the answers in it")
        case .examine: return .examined(hold.file.examine(within: Self.examination))
        case .setAside(let reason): return setAside(because: reason)
        case .abandon where hold.isOurs && !writeLastPurges():
            _ = setAside(because: "purges could not be written to it")
        case .abandon: break
        case .schedule(let chore): orders.append(.chore(chore))
        case .run(let chore): return run(chore)
        case .sweep(let effect): return perform(effect)
        case .lend: hold.lend()
        case .signLock: hold.signLock()
        case .releaseLock: hold.handOverLock()
        case .close:
            hold.disconnect()
            hold.releaseLock()
        case .health(let health): note(health)
        case .tell(let words): log(words)
        }
        return nil
    }

    /// How long a look at the whole file may take.
    private static let examination = Duration.seconds(5)

    private mutating func open() -> StoreEvent {
        do throws(FileUnavailable) {
            try hold.open(at: unixSeconds())
            if hold.hasAddedPurges { hasUnsyncedPurges = true }
            refreshTotals()
            tellOrigins()
            // Small files are known at once; the rest follows step by step.
            _ = try? hold.connection?.learn()
            noteLost()
            return .opened(isLearnt: hold.connection?.ledger.isComplete ?? false)
        } catch {
            shared.counters.withLock { $0.failedTransactions += 1 }
            return .notOpened(error.reason, error.fault)
        }
    }

    private mutating func setAside(because reason: String) -> StoreEvent {
        shared.counters.withLock { counters in
            counters.damaged += 1
            counters.lost += counters.entries
        }
        do throws(FileUnavailable) {
            try hold.setAside(because: reason)
            return .wasSetAside
        } catch {
            hold.disconnect()
            return .notSetAside(error.reason)
        }
    }

    private mutating func note(_ health: StoreHealth) {
        shared.counters.withLock { $0.health = health }
        // Nothing that came while the queue was held has scheduled a turn.
        if health == .available, shared.pending.withLock({ $0.release() }) { orders.append(.turn) }
    }

    /// A transaction failed, and all of it waits again: a lost removal would bring a record back.
    private func noteFailure() {
        shared.counters.withLock { $0.failedTransactions += 1 }
        shared.pending.withLock { $0.putBack() }
    }

    private func refreshTotals() {
        guard let connection = hold.connection else { return }
        let totals = (try? connection.totals()) ?? (entries: 0, bytes: 0)
        shared.counters.withLock { ($0.entries, $0.byteCount) = (totals.entries, totals.bytes) }
    }

    /// Says what the file has of other origins than the present one.
    func tellOrigins() {
        let present = shared.origin
        guard let database = hold.connection?.database, let table = try? OriginTable(database) else { return }
        for share in table.shares where share.name != present.name {
            tell(share.words(beside: present))
        }
    }

    func tell(_ words: String) { log("cache file \(shared.path): \(words)") }

    // MARK: Writing

    private mutating func write(makingRoom: Bool) -> StoreEvent {
        guard let connection = hold.connection, hold.isInPlace else { return .displaced }
        do throws(SQLiteError) {
            try connection.transactions.adapt(to: hold.file.bounds(with: connection.ledger.log.byteCount))
            let bounds = connection.transactions.bounds
            let (batch, purges) = shared.pending.withLock { pending in
                pending.beginRound()
                let batch = pending.nextBatch(maxBytes: bounds.batchBytes, maxRecordBytes: bounds.batchRecordBytes)
                return (batch, pending.purges.all)
            }
            try write(purges: purges, connection)
            guard !batch.isEmpty else {
                let written = try writeRest(connection)
                return .wrote(written, isOver: try connection.transactions.isOver(hold.file.fullBounds.fileBytes))
            }
            if let outcome = try connection.apply(batch, at: unixSeconds(), makingRoom: makingRoom) {
                shared.pending.withLock { $0.finish(batch) }
                shared.count(outcome)
            }
            return .wrote(.part, isOver: false)
        } catch {
            return .failed("\(error)", error.fault)
        }
    }

    /// Marks of purges, before the operations that came after them.
    private mutating func write(purges: [StoreMark], _ connection: WriterConnection) throws(SQLiteError) {
        guard !purges.isEmpty else { return }
        hasUnsyncedPurges = true
        try connection.write(purges, at: unixSeconds())
        shared.pending.withLock { $0.finish(purges: purges) }
    }

    /// Last-use times, facts and rests, after the operations of the round.
    private func writeRest(_ connection: WriterConnection) throws(SQLiteError) -> Written {
        let (lastUses, marks, isAll) = shared.pending.withLock { $0.takeRest(connection.transactions.bounds.batchRows) }
        try connection.write(lastUses: lastUses, at: unixSeconds())
        try connection.write(marks, at: unixSeconds())
        return shared.pending.withLock { pending in
            let isMore = pending.finishRound(isOver: isAll)
            return isAll ? isMore ? .round : .all : .part
        }
    }

    // MARK: Chores

    private mutating func run(_ chore: Chore) -> StoreEvent? {
        guard let connection = hold.connection else { preconditionFailure("chores end with the file") }
        do throws(SQLiteError) {
            let isOver = try !step(chore, connection)
            noteLost()
            return .ran(chore, isOver: isOver)
        } catch {
            return .failed("\(error)", error.fault)
        }
    }

    /// False where nothing is left to do.
    private mutating func step(_ chore: Chore, _ connection: WriterConnection) throws(SQLiteError) -> Bool {
        switch chore {
        case .learn: return try connection.learn()
        case .sweep: return try connection.sweep()
        case .shrink: return try shrink(connection)
        case .capUses: return try capUses(connection)
        }
    }

    /// Rests end after the last use.
    private mutating func capUses(_ connection: WriterConnection) throws(SQLiteError) -> Bool {
        let now = unixSeconds()
        let count = try connection.capUses(at: now)
        cappedUses += count
        if count > 0 { return true }
        if now < .max { try connection.capMarks(at: now) }
        if cappedUses > 0 {
            tell("\(cappedUses) answers had a last use in the future, because the clock was ahead; it is set to now")
        }
        cappedUses = 0
        return false
    }

    private func shrink(_ connection: WriterConnection) throws(SQLiteError) -> Bool {
        var outcome = WriteOutcome()
        let bound = hold.file.fullBounds
        try connection.transactions.adapt(to: bound)
        guard try connection.room.approach(bound.fileBytes, evicted: &outcome.evicted) else { return false }
        try connection.note(in: &outcome)
        shared.count(outcome)
        return true
    }

    private func noteLost() {
        guard let lost = hold.connection?.takeLost(), lost > 0 else { return }
        shared.counters.withLock { counters in
            counters.damaged += lost
            counters.lost += lost
        }
        tell("\(lost) answers were lost with their segments")
        refreshTotals()
    }

    // MARK: Purges

    private mutating func perform(_ effect: SweepTurn.Effect) -> StoreEvent? {
        switch effect {
        case .step(let id): return step(id)
        case .schedule(let id): orders.append(.sweep(id))
        case .end(let end):
            if let run { orders.append(.ended(run.completion, run.sweep.sweep, end)) }
            run = nil
        case .resume: orders.append(.resume)
        }
        return nil
    }

    private mutating func step(_ id: Int) -> StoreEvent {
        guard var sweep = run?.sweep, let connection = hold.connection else { preconditionFailure("nothing to sweep") }
        do throws(SQLiteError) {
            var rows = 0
            // Rows found through an index take one step in all.
            repeat {
                // A target that is not there costs a query.
                rows += max(1, try connection.advance(&sweep, shared.owner))
            } while !sweep.isDone && rows < SweepRun.stepChanges
            run?.sweep = sweep
            if sweep.isDone { try end(sweep, connection) }
            return .sweep(.stepped(id, isDone: sweep.isDone))
        } catch {
            return .sweep(.failed(id, "\(error)", error.fault))
        }
    }

    /// The sweep has gone through the file. It has ended once all of it is on the disk: a loss of
    /// power must not bring back an answer after its caller was told.
    private mutating func end(_ sweep: SweepRun, _ connection: WriterConnection) throws(SQLiteError) {
        try write(purges: shared.pending.withLock { $0.purges.all }, connection)
        guard sweep.hasChanged || hasUnsyncedPurges else { return }
        // An operator who purges to gain room on the disk sees it.
        let isOnDisk = connection.ledger.hasDeadSegments ? try connection.transactions.checkpoint() : false
        if !isOnDisk, !hold.file.isTemporary { try connection.transactions.synchronize() }
        hasUnsyncedPurges = false
        refreshTotals()
    }

    // MARK: Reports of readers

    /// Reads a place again that a reader could not read.
    mutating func probe(_ place: Place) -> [StoreOrder] {
        // It may have been given up since.
        guard hold.connection?.ledger.log.has(place.segment) == true else { return [] }
        do throws(SQLiteError) {
            _ = try shared.segments.read(place) { $0.count }
            return []
        } catch {
            return handle(.probed(segment: place.segment, isReadable: error.segment == nil))
        }
    }

    /// Removes the damaged ones of these rows, and tells how many were. One that cannot be removed
    /// stays: no look-up serves it.
    func drop(damaged ids: [Int64]) -> Int {
        guard let connection = hold.connection else { return 0 }
        var dropped = 0
        for id in ids {
            do throws(SQLiteError) {
                if try connection.drop(damaged: id, in: shared) { dropped += 1 }
            } catch {
                shared.counters.withLock { $0.failedTransactions += 1 }
            }
        }
        shared.counters.withLock { $0.damaged += dropped }
        refreshTotals()
        return dropped
    }
}
