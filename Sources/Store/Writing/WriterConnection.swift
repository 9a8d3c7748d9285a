// The writer's side of an open database: its statements, one transaction for each batch, room made
// before it.
// Must hold: whatever adds, moves or removes rows goes through `RowTransactions.write` and tells
// the ledger; every transaction is small; a record is in its segment before a row names it.

final class WriterConnection {
    let database: Database
    let transactions: RowTransactions
    let room: Eviction
    let ledger: RowLedger
    /// The home of the file: keys and origins of its rows are relative to it.
    let home: OriginTag
    private let names: [OriginTag: String]
    private let nameOfNewOrigin: (OriginTag) -> String?
    private let addToOrigin: Statement
    private let deleteEntry: Statement
    private let insertEntry: Statement
    private let updateUse: Statement
    private let addToTotals: Statement
    private let selectTotals: Statement
    private let selectUseSpan: Statement
    private let selectKeys: Statement
    /// Records that are about to be appended; kept for its storage.
    private var records: [UInt8] = []
    private var spans: [Int] = []
    /// Room for the next batch, where that takes more than one step.
    private var making: Eviction.Making?
    private var lost = 0
    /// The key up to which rows of lost segments have been removed.
    private var swept = Int64.max

    /// The bytes appended to a segment at once.
    private static let appendedBytes = 1 << 20
    /// The keys that are learnt in one step.
    private static let learntKeys = 16_384

    /// - Parameter name: of an origin that the file does not know yet; nil where it is not known.
    init(
        _ database: Database, _ bounds: SpaceBounds, _ ledger: RowLedger,
        name: @escaping (OriginTag) -> String? = { _ in nil }
    ) throws(SQLiteError) {
        self.database = database
        self.ledger = ledger
        let origins = try OriginTable(database)
        (home, names, nameOfNewOrigin) = (origins.home.tag, origins.names, name)
        transactions = try RowTransactions(database, bounds, ledger)
        room = try Eviction(transactions)
        deleteEntry = try Statement(
            database, "DELETE FROM entry WHERE key = ?1 AND received_at <= ?2 RETURNING key, place")
        insertEntry = try Statement(
            database,
            """
            INSERT INTO entry (key, class, status, received_at, initial_age, fresh_for, stale_for, stale_if_error_for,
              keep_for, size, body_size, is_gzip, place, content_sum, checksum, last_used, born, origin, scope, target,
              variant, storefront, selecting, resources)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, 'shared', ?19, ?20,
              ?21, ?22, ?23)
            """)
        addToOrigin = try Statement(
            database,
            """
            INSERT INTO origin (number, name, entries) VALUES (?1, ?2, ?3)
              ON CONFLICT DO UPDATE SET entries = entries + excluded.entries,
                name = iif(name = '', excluded.name, name)
            """)
        updateUse = try Statement(database, "UPDATE entry SET last_used = max(last_used, ?2) WHERE key = ?1")
        addToTotals = try Statement(
            database, "UPDATE totals SET entries = entries + ?1, bytes = bytes + ?2 WHERE id = 1")
        selectTotals = try Statement(database, "SELECT entries, bytes FROM totals WHERE id = 1")
        selectUseSpan = try Statement(
            database, "SELECT (SELECT max(last_used) FROM entry) - (SELECT min(last_used) FROM entry)")
        selectKeys = try Statement(
            database, "SELECT key, place, id FROM entry WHERE key > ?1 ORDER BY key LIMIT \(Self.learntKeys)")
        try recountIfImplausible()
        GatheredLog.gather(database)
    }

    /// Writes the names of the numbers in `entry.class`.
    func write(classNames: [String]) throws(SQLiteError) {
        let insert = try Statement(database, "INSERT OR REPLACE INTO class (tag, name) VALUES (?1, ?2)")
        try database.transaction { () throws(SQLiteError) in
            for (tag, name) in classNames.enumerated() {
                try insert.run(.integer(Int64(tag)), .text(Array(name.utf8)[...]))
            }
        }
    }

    /// Reads the next keys and places into directory and ledger; false where there are no more.
    /// Rows whose segment is gone go too.
    @discardableResult
    func learn() throws(SQLiteError) -> Bool {
        guard !ledger.isComplete else { return false }
        let found = try readKeys(after: ledger.counted)
        // Before these keys count as absent.
        try lose(found.lost)
        ledger.learn(found.rows, through: found.last)
        // An earlier run that crashed may have left some.
        if ledger.hasDeadSegments { _ = try transactions.checkpoint() }
        return !ledger.isComplete
    }

    /// Gives up a segment that cannot be read. `sweep` removes its rows.
    func giveUp(_ segment: Int) {
        ledger.log.remove(segment)
        swept = .min
    }

    /// Removes the next rows whose segment is gone. False where there are no more.
    func sweep() throws(SQLiteError) -> Bool {
        guard swept < .max else { return false }
        let found = try readKeys(after: swept)
        try lose(found.lost)
        swept = found.last
        return swept < .max
    }

    private func lose(_ rows: [Int64]) throws(SQLiteError) {
        try delete(rows)
        lost += rows.count
    }

    /// Rows that went with their segments since this was asked last.
    func takeLost() -> Int {
        defer { lost = 0 }
        return lost
    }

    /// Keys with their places, the numbers of rows whose segment is gone, and up to which key that
    /// is all.
    private func readKeys(
        after key: Int64
    ) throws(SQLiteError) -> (rows: [(key: Int64, place: Int64)], lost: [Int64], last: Int64) {
        var (rows, lost): ([(key: Int64, place: Int64)], [Int64]) = ([], [])
        var (count, last) = (0, Int64.max)
        try selectKeys.forEachRow([.integer(key)]) { row in
            count += 1
            let place = row.integer(1)
            last = row.integer(0)
            if let segment = Place(ofRow: place)?.segment, ledger.log.has(segment) {
                rows.append((last, place))
            } else {
                lost.append(row.integer(2))
            }
            return true
        }
        return (rows, lost, count < Self.learntKeys ? .max : last)
    }

    /// Ends last-use times in the future, the oldest first: the clock was ahead. How many.
    func capUses(at now: Int64) throws(SQLiteError) -> Int {
        var rows: [Int64] = []
        let select = try Statement(database, "SELECT id FROM entry WHERE last_used > ?1 ORDER BY last_used LIMIT ?2")
        try select.forEachRow([.integer(now), .integer(Int64(transactions.bounds.batchRows))]) { row in
            rows.append(row.integer(0))
            return true
        }
        guard !rows.isEmpty else { return 0 }
        let update = try Statement(database, "UPDATE entry SET last_used = ?2 WHERE id = ?1")
        try change(rows) { (row) throws(SQLiteError) in try update.run(.integer(row), .integer(now)) }
        return rows.count
    }

    /// Removes rows by their numbers.
    func delete(_ ids: [Int64]) throws(SQLiteError) {
        try change(ids) { (id) throws(SQLiteError) in try transactions.delete(id) }
    }

    /// Applies a batch in one transaction, once there is room for it; nil where this was one step
    /// towards that. A record that does not fit leaves nothing older either.
    /// - Parameter makingRoom: false where nothing is evicted for it.
    func apply(_ operations: PendingWrites.Batch, at now: Int64, makingRoom: Bool) throws(SQLiteError) -> WriteOutcome?
    {
        let (rowBytes, growth) = estimate(operations)
        var isRoom = try transactions.isRoom(for: growth)
        if !isRoom, makingRoom {
            // Only counted segments can be given up.
            guard ledger.isComplete else {
                try learn()
                return nil
            }
            if making?.bytes != growth { making = try room.beginMaking(for: growth) }
            guard var made = making else { return nil }
            let step = try room.makeRoom(&made)
            making = made
            if case .goOn = step { return nil }
            if case .enough = step { isRoom = true }
        }
        defer { making = nil }
        return try write(operations, at: now, isRoom: isRoom, evicted: making?.evicted ?? 0, rowBytes)
    }

    /// The bytes that the operations take: rows in the log, and everything in the files.
    private func estimate(_ operations: PendingWrites.Batch) -> (rowBytes: Int, growth: Int) {
        var (rowBytes, recordBytes) = (0, 0)
        for (_, operation) in operations where canHold(operation) {
            rowBytes += operation.rowBytes
            recordBytes += operation.recordBytes
        }
        return (rowBytes, SpaceBounds.growth(rowBytes: rowBytes, rows: operations.count) + recordBytes)
    }

    private func write(
        _ operations: PendingWrites.Batch, at now: Int64, isRoom: Bool, evicted: Int, _ rowBytes: Int
    ) throws(SQLiteError) -> WriteOutcome {
        try transactions.makeRoomInJournal(for: rowBytes)
        let written = try append(operations.filter { isRoom && canHold($0.operation) })
        return try transactions.write(rowBytes) { () throws(SQLiteError) in
            var outcome = WriteOutcome(evicted: evicted)
            var (next, bytes, origins) = (0, 0, [OriginTag: Int]())
            for (key, operation) in operations {
                let key = key.relative(to: home)
                switch operation {
                case .store(let waiting):
                    if ledger.find(key) != .absent { try delete(key, receivedBy: .max) }
                    guard next < written.count, written[next].waiting === waiting else {
                        outcome.dropped += 1
                        continue
                    }
                    bytes += try write(written[next], key, at: now)
                    origins[written[next].origin, default: 0] += 1
                    outcome.written += 1
                    next += 1
                case .remove(let receivedBy): try delete(key, receivedBy: receivedBy)
                }
            }
            if next > 0 { try addToTotals.run(.integer(Int64(next)), .integer(Int64(bytes))) }
            try count(origins)
            try note(in: &outcome)
            return outcome
        }
    }

    /// Counts new rows in table `origin`, by their origins relative to home; in the transaction
    /// that writes them, because a purge of a target looks for those of the origins in the table.
    private func count(_ added: [OriginTag: Int]) throws(SQLiteError) {
        for (origin, count) in added {
            let tag = origin.relative(to: home)
            // A row may have been written before its name was known.
            let known = names[tag] ?? ""
            let name = known.isEmpty ? nameOfNewOrigin(tag) ?? "" : known
            try addToOrigin.run(.integer(origin.number), .text(Array(name.utf8)[...]), .integer(Int64(count)))
        }
    }

    /// A record that is in a segment, with the values for its row.
    private struct Written {
        let waiting: WaitingRecord
        /// Relative to home.
        let origin: OriginTag
        let contentSum: UInt64
        let checksum: UInt64
        var place: Place
    }

    /// Appends the records among `operations`, in their order.
    private func append(_ operations: PendingWrites.Batch) throws(SQLiteError) -> [Written] {
        var written: [Written] = []
        written.reserveCapacity(operations.count)
        for (key, operation) in operations {
            guard case .store(let waiting) = operation else { continue }
            let record = waiting.record
            let contentSum = record.contentSum
            let ownKey = record.key.relative(to: home)
            let checksum = record.facts.checksum(of: ownKey, contentSum: contentSum)
            let head = SegmentRecord(record, key: key.relative(to: home))
            head.append(record, checksum: checksum, to: &records)
            spans.append(head.span)
            written.append(
                Written(
                    waiting: waiting, origin: ownKey.origin, contentSum: contentSum, checksum: checksum,
                    place: Place(segment: 0, offset: 0, span: head.span)))
            if records.count >= Self.appendedBytes { try appendRecords(to: &written) }
        }
        try appendRecords(to: &written)
        return written
    }

    /// Appends the gathered records, which are the last of `written`, and sets their places.
    private func appendRecords(to written: inout [Written]) throws(SQLiteError) {
        guard !spans.isEmpty else { return }
        defer {
            // The room that one long record took is not kept.
            records.removeAll(keepingCapacity: records.capacity <= Self.appendedBytes * 2)
            spans.removeAll(keepingCapacity: true)
        }
        let places = try ledger.log.append(records, spans: spans, segmentBytes: transactions.bounds.segmentBytes)
        let first = written.count - places.count
        for (index, place) in places.enumerated() { written[first + index].place = place }
    }

    /// Writes a row; the size that it says.
    private func write(_ written: Written, _ key: Int64, at now: Int64) throws(SQLiteError) -> Int {
        let record = written.waiting.record
        let (facts, times, size) = (record.facts, record.facts.times, record.size)
        try insertEntry.insert(
            [
                key, Int64(facts.classTag), Int64(facts.status), facts.receivedAt, Int64(times.initialAge),
                Int64(times.freshFor), Int64(times.staleFor), Int64(times.staleIfErrorFor),
                Int64(times.keepFor), Int64(size), Int64(record.body.count), record.isGzip ? 1 : 0,
                written.place.number, Int64(bitPattern: written.contentSum), Int64(bitPattern: written.checksum),
                min(facts.receivedAt, now), facts.born, written.origin.number,
            ],
            texts: record.key.target, record.key.variant, facts.storefront[...], facts.selecting[...],
            blob: facts.resources)
        ledger.add(key, at: written.place)
        return size
    }

    private func delete(_ key: Int64, receivedBy: Int64) throws(SQLiteError) {
        try ledger.remove(by: deleteEntry, [.integer(key), .integer(receivedBy)])
    }

    /// Reads the totals, for the counters.
    func note(in outcome: inout WriteOutcome) throws(SQLiteError) {
        outcome.totals = try totals()
        outcome.useSpan = Int(try selectUseSpan.firstRow { $0.integer(0) } ?? 0)
    }

    /// Writes last-use times, unix seconds by key; none is in the future.
    func write(lastUses: [(key: Int64, value: Int64)], at now: Int64) throws(SQLiteError) {
        try change(lastUses) { (use) throws(SQLiteError) in
            try updateUse.run(.integer(use.key.relative(to: home)), .integer(min(use.value, now)))
        }
    }

    /// Calls `body` for rows that it changes or removes, in transactions of a bounded size.
    func change<Row>(_ rows: [Row], _ body: (Row) throws(SQLiteError) -> Void) throws(SQLiteError) {
        var waiting = rows[...]
        while !waiting.isEmpty {
            let batch = waiting.prefix(transactions.bounds.batchRows)
            // No more than they take: for more the log would be emptied before its time.
            try transactions.write(batch.count * SpaceBounds.estimate(rowBytes: 0)) { () throws(SQLiteError) in
                for row in batch { try body(row) }
            }
            waiting = waiting.dropFirst(transactions.bounds.batchRows)
        }
    }

    /// Removes a row if it is damaged. Returns whether it did.
    func drop(damaged id: Int64, in shared: SharedState) throws(SQLiteError) -> Bool {
        let found = try Statement(database, RecordRow.selectAfter).firstRow(.integer(id - 1), .integer(1)) {
            CheckedRow($0)
        }
        guard let found, found.row.id == id, try !found.isIntact(in: shared) else { return false }
        try delete([id])
        return true
    }

    func totals() throws(SQLiteError) -> (entries: Int, bytes: Int) {
        let found = try selectTotals.firstRow { (entries: Int($0.integer(0)), bytes: Int($0.integer(1))) }
        return found ?? (entries: 0, bytes: 0)
    }

    private func canHold(_ operation: PendingWrites.Operation) -> Bool {
        operation.rowBytes + operation.recordBytes <= transactions.bounds.largestResponse
    }

    /// A damaged totals row must not keep the cache empty or unbounded. Sizes never exceed the
    /// files that hold them.
    private func recountIfImplausible() throws(SQLiteError) {
        let bytes = try transactions.usedBytes()
        let found = try selectTotals.firstRow { (entries: $0.integer(0), bytes: $0.integer(1)) }
        if let found, found.entries >= 0, found.bytes >= 0, found.bytes <= bytes, found.entries <= bytes {
            return
        }
        try database.execute(
            "INSERT OR REPLACE INTO totals SELECT 1, count(*), coalesce(sum(size), 0) FROM entry;"
                + "UPDATE origin SET entries = 0;"
                + "INSERT INTO origin SELECT origin, '', count(*) FROM entry WHERE true GROUP BY origin"
                + " ON CONFLICT DO UPDATE SET entries = excluded.entries")
    }
}
