import Dispatch
import Glibc
import Purging

// Performs the effects of the machine (`StoreState`), and reports each outcome to it. The runner
// takes it under the writer's lock.
// Must hold: an effect does one bounded thing; an order for the runner is done without the lock.

struct StoreWork {
    /// A purge, its progress, and the completion that waits for it.
    private struct Run {
        var purge: PurgeRun
        var completion: (@Sendable (Int?) -> Void)?
    }

    private(set) var state: StoreState
    private(set) var hold: HeldFile
    private let shared: SharedState
    private let unixSeconds: @Sendable () -> Int64
    private let log: @Sendable (String) -> Void
    private var runs: [Int: Run] = [:]
    private var orders: [StoreOrder] = []
    private var cappedUses = 0

    init(
        _ hold: HeldFile, _ shared: SharedState, unixSeconds: @escaping @Sendable () -> Int64,
        log: @escaping @Sendable (String) -> Void
    ) {
        state = StoreState(path: shared.path)
        (self.hold, self.shared) = (hold, shared)
        (self.unixSeconds, self.log) = (unixSeconds, log)
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

    /// Begins a purge, and applies it to the records that wait.
    mutating func begin(
        _ id: Int, _ purge: Purge, _ found: PurgeCount, _ completion: @escaping @Sendable (Int?) -> Void
    ) -> [StoreOrder] {
        var count = found
        let waiting = shared.pending.withLock { $0.waiting }
        let chosen = waiting.records.filter { $0.waiting.record.isChosen(by: purge.selection) }
        for (index, waiting) in chosen where waiting.record.facts.isListed { count.add(index) }
        // The rest of their rows is about to go.
        count.ignore(rows: waiting.keys)
        if !purge.isCount {
            for start in stride(from: 0, to: chosen.count, by: PendingWrites.maxBatch) {
                apply(purge, to: chosen[start..<min(start + PendingWrites.maxBatch, chosen.count)])
            }
        }
        runs[id] = Run(purge: PurgeRun(purge, count), completion: completion)
        return handle(.purge(.asked(id, purge)))
    }

    private func apply(_ purge: Purge, to chosen: ArraySlice<(key: Int64, waiting: WaitingRecord)>) {
        let rests = chosen.map { $0.waiting.record.left(by: purge, shared.owner).map { WaitingRecord($0) } }
        shared.pending.withLock { pending in
            for ((key, waiting), rest) in zip(chosen, rests) {
                // Not merely forgotten: an older row must not be found instead.
                pending.replace(waiting, with: rest.map { .store($0) } ?? .remove(receivedBy: .max), key)
            }
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
        case .abandon where hold.isOurs: _ = setAside(because: "purged answers could not be removed from it")
        case .abandon: break
        case .schedule(let chore): orders.append(.chore(chore))
        case .run(let chore): return run(chore)
        case .purge(let effect): return perform(effect)
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
            // No purge has gone through any of this file.
            for (id, run) in runs { runs[id]?.purge = run.purge.begunAnew }
            refreshTotals()
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

    func tell(_ words: String) { log("cache file \(shared.path): \(words)") }

    // MARK: Writing

    private func write(makingRoom: Bool) -> StoreEvent {
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
    private func write(purges: [StoreMark], _ connection: WriterConnection) throws(SQLiteError) {
        guard !purges.isEmpty else { return }
        try connection.write(purges, at: unixSeconds())
        shared.pending.withLock { $0.finish(purges: purges) }
    }

    /// Last-use times, facts and rests, after the operations of the round.
    private func writeRest(_ connection: WriterConnection) throws(SQLiteError) -> Written {
        let (lastUses, marks, isAll) = shared.pending.withLock { $0.takeRest(connection.transactions.bounds.batchRows) }
        try connection.write(lastUses: lastUses, at: unixSeconds())
        // A fact may speak of purges.
        let waiting = shared.owed.isEmpty ? [] : marks.filter { $0.table == .fact }
        try connection.write(waiting.isEmpty ? marks : marks.filter { $0.table != .fact }, at: unixSeconds())
        return shared.pending.withLock { pending in
            let isMore = pending.finishRound(isOver: isAll, waiting: waiting)
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
        if now < .max { try connection.capRests(at: now) }
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

    private mutating func perform(_ effect: PurgeTurns.Effect) -> StoreEvent? {
        switch effect {
        case .step(let id): return step(purge: id)
        case .schedule(let id): orders.append(.purge(id))
        case .finish(let id):
            answer(id, runs[id]?.purge.count.total)
            forget(id)
        case .answer(let id): answer(id, runs[id]?.purge.count.total)
        case .refuse(let id): answer(id, nil)
        case .forget(let id): forget(id)
        case .widen(let id, let purge): widen(into: id, purge)
        }
        return nil
    }

    private mutating func answer(_ id: Int, _ count: Int?) {
        guard let completion = runs[id]?.completion else { return }
        runs[id]?.completion = nil
        orders.append(.answer(completion, count))
    }

    private mutating func forget(_ id: Int) {
        runs[id] = nil
        shared.owed.remove(id)
    }

    private mutating func widen(into id: Int, _ purge: Purge) {
        let answered = runs.filter { $0.value.completion == nil }.map(\.key)
        shared.owed.replace(answered, with: id, purge)
        for old in answered { runs[old] = nil }
        runs[id] = Run(purge: PurgeRun(purge, PurgeCount()), completion: nil)
    }

    private mutating func step(purge id: Int) -> StoreEvent {
        guard var run = runs[id], let connection = hold.connection else { preconditionFailure("nothing to purge") }
        do throws(SQLiteError) {
            var rows = 0
            // Rows found through an index take one step in all.
            repeat {
                rows += try connection.advance(&run.purge, shared.owner)
            } while !run.purge.isDone && rows < run.purge.stepRows
            runs[id] = run
            if run.purge.isDone { try end(run.purge, connection) }
            return .purge(.stepped(id, isDone: run.purge.isDone))
        } catch {
            return .purge(.failed(id, "\(error)", error.fault))
        }
    }

    /// The purge has gone through the file. It has ended once its mark is written and all of it is
    /// on the disk: a loss of power must not bring back an answer after its caller was told.
    private func end(_ purge: PurgeRun, _ connection: WriterConnection) throws(SQLiteError) {
        guard !purge.purge.isCount else { return }
        try write(purges: shared.pending.withLock { $0.purges.all }, connection)
        // An operator who purges to gain room on the disk sees it.
        let isOnDisk = connection.ledger.hasDeadSegments ? try connection.transactions.checkpoint() : false
        if !isOnDisk, !hold.file.isTemporary { try connection.transactions.synchronize() }
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
