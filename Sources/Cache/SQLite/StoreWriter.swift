// The writer's state and what it does about failures: wait for a lock, lose a batch to a full disk,
// replace a damaged file. Must hold: it is used under the store's writer lock; each change of
// health is logged once.

struct StoreWriter {
    private let file: StoreFile
    private let classNames: [String]
    private let log: @Sendable (String) -> Void
    private(set) var connection: StoreConnection?
    /// Those that were opened last.
    private var files: StoreFiles?
    /// The latest damaged file that this process set aside. There is one at most: they must not
    /// fill the disk.
    private var setAside: String?
    /// The right to use the file; nil while another process has it, and for a temporary one.
    private var lock: StoreLock?
    /// When a look at the whole file found nothing wrong with what was reported as damaged.
    private var acquittal: ContinuousClock.Instant?
    private var isClosed = false
    /// Whether another process is about to write the file, or does.
    private var isLent = false
    /// Whether the directory is to be filled further, where that failed.
    private var isLearningDue = false
    /// Files opened so far: the latest is the store's generation.
    private var openedFiles = 0
    /// Whether trouble has been logged and its end has not.
    private var isInTrouble = false

    init(
        path: String, maxBytes: Int, isTemporary: Bool, classNames: [String], lock: StoreLock? = nil,
        log: @escaping @Sendable (String) -> Void
    ) {
        file = StoreFile(path: path, maxBytes: maxBytes, isTemporary: isTemporary, log: log)
        self.lock = lock
        self.classNames = classNames
        self.log = log
    }

    /// Opens the file if it is not open; false where that failed.
    @discardableResult
    mutating func open(for store: SQLiteStore) -> Bool {
        guard connection == nil, !isClosed, !isLent else { return true }
        files?.removeOrphans()
        do throws(StoreUnavailable) {
            try takeLock()
            connection = try makeConnection(store)
            files = StoreFiles(path: file.path)
            openedFiles += 1
            store.generation.store(openedFiles, ordering: .releasing)
            // Small files are known at once; the rest follows behind.
            _ = learn(for: store)
            settle(.available, store)
            refreshTotals(store)
            return true
        } catch {
            store.counters.withLock { $0.failedTransactions += 1 }
            settle(.unavailable(error.reason), store)
            return false
        }
    }

    /// Writes all that is pending. False where that failed and is worth another try later.
    mutating func drain(for store: SQLiteStore) -> Bool {
        if isClosed {
            store.pending.withLock { $0.removeAll() }
            return true
        }
        if isLent { return true }
        if connection != nil, !isInPlace { leaveRemovedFiles(store) }
        if connection == nil, open(for: store) { store.learn() }
        guard let connection else { return false }
        do throws(SQLiteError) {
            try connection.room.adapt(to: file.bounds(with: connection.ledger.log.byteCount))
            try writePending(connection, store)
            while try approachBound(connection, store) { try writePending(connection, store) }
            settle(.available, store)
            if isLearningDue { store.learn() }
            isLearningDue = false
            return true
        } catch {
            return handle(error, store)
        }
    }

    /// For what is written at once; nil where the file has to be opened or learnt first.
    var readyConnection: StoreConnection? {
        guard let connection, !isClosed, !isLent, connection.ledger.isComplete else { return nil }
        return connection
    }

    /// Whether the names still stand for the files that are open. A few system calls.
    var isInPlace: Bool {
        connection?.ledger.log.isInPlace == true && files == StoreFiles(path: file.path)
    }

    /// Reads the next keys into the directory; false where there is nothing left to read.
    mutating func learn(for store: SQLiteStore) -> Bool {
        guard let connection, !isClosed, !isLent else { return false }
        do throws(SQLiteError) {
            let (isWorthAnother, lost) = try connection.learn()
            if lost > 0 {
                store.counters.withLock { $0.damaged += lost }
                tell("\(lost) answers are gone with their segments")
                refreshTotals(store)
            }
            return isWorthAnother
        } catch {
            // Until the next drain begins it again, what is not known is asked of the database.
            isLearningDue = true
            store.counters.withLock { $0.failedReads += 1 }
            if error.isDamage { noteDamage("\(error)", byWriter: true, for: store) }
            return false
        }
    }

    /// Begins a purge after all that could be written: what could not must not come back later as
    /// it was.
    func beginPurge(_ purge: Purge, _ found: PurgeCount, for store: SQLiteStore) -> StorePurge {
        var count = found
        let chosen = store.pending.withLock { $0.queuedResponses }.filter { purge.selection.matches($0.response) }
        for batch in stride(from: 0, to: chosen.count, by: PendingWrites.maxBatch) {
            let operations = chosen[batch..<min(batch + PendingWrites.maxBatch, chosen.count)].map { index, response in
                count.add(response)
                return (index, response, purge.fate(of: response))
            }
            store.pending.withLock { pending in
                for (index, response, fate) in operations {
                    switch fate {
                    case .stays: break
                    // Not merely forgotten: what an older row says must not be found instead.
                    case .goes: pending.replace(response, with: .remove(response.key, receivedBy: .max), index)
                    case .becomes(let rest): pending.replace(response, with: .store(rest), index)
                    }
                }
            }
        }
        return StorePurge(purge, count)
    }

    /// Writes what is no answer, after all that could be written.
    mutating func write(for store: SQLiteStore, _ body: (StoreConnection) throws(SQLiteError) -> Void) {
        guard drain(for: store), let connection else { return }
        do throws(SQLiteError) {
            try body(connection)
        } catch {
            _ = handle(error, store)
        }
    }

    /// Takes the purge one step further; false where the file could not be purged.
    mutating func advance(_ purge: inout StorePurge, for store: SQLiteStore) -> Bool {
        guard let connection else { return false }
        do throws(SQLiteError) {
            try connection.advance(&purge)
            if purge.isDone {
                // Who purges to gain room on the disk sees it.
                if connection.ledger.hasDeadSegments { _ = try connection.room.checkpoint() }
                refreshTotals(store)
            }
            return true
        } catch {
            _ = handle(error, store)
            return false
        }
    }

    /// Removes those of the rows that are not what was written, and tells how many were not. What
    /// cannot be removed stays: no look-up serves it.
    mutating func drop(damaged ids: [Int64], for store: SQLiteStore) -> Int {
        guard let connection else { return 0 }
        var dropped = 0
        for id in ids {
            do throws(SQLiteError) {
                if try connection.drop(damaged: id, store) { dropped += 1 }
            } catch {
                store.counters.withLock { $0.failedTransactions += 1 }
            }
        }
        store.counters.withLock { $0.damaged += dropped }
        refreshTotals(store)
        return dropped
    }

    /// Says something about the file in the log.
    func tell(_ words: String) { log("cache file \(file.path): \(words)") }

    mutating func close(for store: SQLiteStore) {
        isClosed = true
        // The readers' connections outlive this one, so SQLite would leave what was written in the
        // -wal file: a copy of the database alone would lack it. Where a reader is busy, the next
        // start does it.
        _ = try? connection?.room.emptyLog()
        disconnect(store)
        lock = nil
        settle(.closed, store)
    }

    /// A descriptor of the lock, for another process; nil where there is none that counts.
    var copiedLock: CInt? { lock?.isInPlace == true ? lock?.copy() : nil }

    /// Stops writing, so that another process can. Readers go on, and ask the database each time:
    /// the other moves and removes what the directory knows.
    mutating func lend(for store: SQLiteStore) {
        guard !isClosed else { return }
        isLent = true
        store.directory.forget()
        _ = try? connection?.room.emptyLog()
        connection = nil
    }

    /// Goes on writing: there is no other process any more.
    mutating func takeBack(for store: SQLiteStore) {
        guard isLent else { return }
        isLent = false
        lock?.sign()
        if open(for: store) { store.learn() }
    }

    /// The other process goes on with file and lock for good.
    mutating func noteHandedOver() {
        guard isLent else { return }
        lock?.noteHandedOver()
        lock = nil
    }

    /// How long a look at the whole file may take. Where it is not over by then, what was reported
    /// stands.
    private static let examination = Duration.seconds(5)
    /// What is reported again so soon after a look that found nothing is believed: not all damage
    /// shows in such a look.
    private static let probation = Duration.seconds(600)

    /// SQLite found the file damaged: it is set aside if a look at all of it says so too.
    /// `byWriter`: on the writer's own connection, which is opened anew in any case.
    mutating func noteDamage(_ reason: String, byWriter: Bool, for store: SQLiteStore) {
        guard !isClosed, !isLent else { return }
        let isOnProbation = acquittal.map { .now - $0 < Self.probation } ?? false
        let verdict = isOnProbation ? .damaged : file.examine(within: Self.examination)
        switch verdict {
        case .damaged: return replaceFile(because: reason, for: store)
        case .sound:
            acquittal = .now
            log("cache file \(file.path) was reported as damaged (\(reason)), and nothing is wrong with it: it stays")
        case .unreadable(let failure):
            log("cache file \(file.path) was reported as damaged (\(reason)), and cannot be read: \(failure): it stays")
        }
        guard byWriter else { return }
        connection = nil
        settle(.failing(reason), store)
    }

    /// Sets a damaged file aside and begins a fresh one.
    mutating func replaceFile(because reason: String, for store: SQLiteStore) {
        guard !isClosed else { return }
        store.counters.withLock { $0.damaged += 1 }
        do throws(StoreUnavailable) {
            // Renamed while it is open, so that closing it leaves the fresh file's journals alone.
            let name = try file.setAside(because: reason)
            if let setAside { file.remove(setAside: setAside) }
            setAside = name
            disconnect(store)
            open(for: store)
        } catch {
            disconnect(store)
            settle(.unavailable(error.reason), store)
        }
    }

    /// Before anything is done to the file: what another process has open must not be set aside.
    private mutating func takeLock() throws(StoreUnavailable) {
        guard !file.isTemporary, lock?.isInPlace != true else { return }
        lock = nil
        do throws(StoreLock.Failure) {
            lock = try StoreLock(file.path)
        } catch {
            throw StoreUnavailable(reason: error.words(about: file.path), isBusy: true)
        }
    }

    /// Lets go of files that lost their names, or whose names came to mean others: what is written
    /// to them is lost, and a connection opened now would share nothing with ours.
    private mutating func leaveRemovedFiles(_ store: SQLiteStore) {
        store.counters.withLock { $0.failedTransactions += 1 }
        // Where only the log or its index was removed, the database is made whole from what we
        // still have open of them.
        if files?.isDatabaseInPlace == true { _ = try? connection?.room.emptyLog() }
        disconnect(store)
        settle(.unavailable("\(file.path) or its journal was removed or replaced"), store)
    }

    private mutating func disconnect(_ store: SQLiteStore) {
        connection = nil
        store.generation.store(0, ordering: .releasing)
        store.directory.forget()
    }

    private func makeConnection(_ store: SQLiteStore) throws(StoreUnavailable) -> StoreConnection {
        try file.judgedTwice { () throws(StoreUnavailable) in
            let database = try file.open()
            do throws(SQLiteError) {
                let log = try SegmentLog(store.segments)
                let connection = try StoreConnection(
                    database, file.bounds(with: log.byteCount), RowLedger(store.directory, log))
                try connection.begin(classNames, for: store)
                return .success(connection)
            } catch {
                if error.isDamage { return .failure(StoreFile.Damage(reason: "\(error)")) }
                throw StoreUnavailable(reason: "\(file.path): \(error)", isBusy: error.isBusy)
            }
        }
    }

    /// Writes what is pending now, batch after batch. What comes meanwhile is for the next drain.
    private func writePending(_ connection: StoreConnection, _ store: SQLiteStore) throws(SQLiteError) {
        var (waiting, lastUses) = takePending(store)
        while !waiting.isEmpty {
            let bounds = connection.room.bounds
            let batch = PendingWrites.nextBatch(
                of: &waiting, maxBytes: bounds.batchBytes, maxRecordBytes: bounds.batchRecordBytes)
            let outcome = try connection.apply(batch)
            store.pending.withLock { $0.finish(batch) }
            finish(outcome, store)
        }
        try connection.write(lastUses: lastUses)
    }

    /// Brings the files nearer to their bound, if it was lowered; false when there is nothing to
    /// do.
    private func approachBound(_ connection: StoreConnection, _ store: SQLiteStore) throws(SQLiteError) -> Bool {
        var outcome = StoreConnection.Outcome()
        let bound = StoreBounds(maxBytes: file.maxBytes).fileBytes
        guard try connection.room.approach(bound, evicted: &outcome.evicted) else { return false }
        try connection.note(in: &outcome)
        finish(outcome, store)
        return true
    }

    /// Everything pending, listed outside the lock. Nothing shares the dictionary's storage when
    /// this returns, so noting a batch as done copies nothing.
    private func takePending(
        _ store: SQLiteStore
    ) -> (operations: [(key: Int64, operation: PendingWrites.Operation)], touches: [Int64: Int64]) {
        let taken = store.pending.withLock { $0.takeAll() }
        return (taken.operations.map { (key: $0.key, operation: $0.value) }, taken.touches)
    }

    /// What follows every batch: the counters.
    func finish(_ outcome: StoreConnection.Outcome, _ store: SQLiteStore) {
        store.useInterval = StoreBounds.useInterval(span: outcome.useSpan)
        store.counters.withLock { counters in
            counters.written += outcome.written
            counters.dropped += outcome.dropped
            counters.evicted += outcome.evicted
            (counters.entries, counters.byteCount) = (outcome.totals.entries, outcome.totals.bytes)
        }
    }

    /// What a failed transaction leads to; always false, another try is worth while.
    private mutating func handle(_ error: SQLiteError, _ store: SQLiteStore) -> Bool {
        store.counters.withLock { $0.failedTransactions += 1 }
        // All of it waits again, within the queue's bound: removals must not be lost, or what they
        // removed comes back.
        store.pending.withLock { $0.putBack() }
        if error.isDamage {
            noteDamage("\(error)", byWriter: true, for: store)
        } else {
            settle(.failing("\(error)"), store)
            // Readers may go on with theirs until another is open.
            if !error.sparesConnection { connection = nil }
        }
        return false
    }

    private func refreshTotals(_ store: SQLiteStore) {
        guard let connection else { return }
        let totals = (try? connection.totals()) ?? StoreConnection.Totals()
        store.counters.withLock { ($0.entries, $0.byteCount) = (totals.entries, totals.bytes) }
    }

    /// Notes the health; logs when trouble begins and when it ends.
    private mutating func settle(_ health: StoreHealth, _ store: SQLiteStore) {
        store.counters.withLock { $0.health = health }
        switch health {
        case .available:
            if isInTrouble { log("cache file \(file.path) works again") }
            isInTrouble = false
        case .failing(let reason):
            if !isInTrouble { log("cache file \(file.path) cannot be written: \(reason); trying again") }
            isInTrouble = true
        case .unavailable(let reason):
            if !isInTrouble { log("cache file cannot be used: \(reason); going on from memory") }
            isInTrouble = true
        case .closed: break
        }
    }
}
