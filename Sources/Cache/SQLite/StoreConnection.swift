// The writer's side of an open database: its statements, one transaction for each batch, room made
// before it.
// Must hold: whatever changes rows goes through `StoreEviction`; every transaction is small.

final class StoreConnection {
    /// Entries and bytes as the `totals` row has them.
    struct Totals: Equatable {
        var entries = 0
        var bytes = 0
    }

    /// What a transaction did, in rows.
    struct Outcome {
        var written = 0
        /// Responses too large for the bound.
        var dropped = 0
        var evicted = 0
    }

    let database: Database
    /// For the file's size and its bounds.
    let room: StoreEviction
    private let deleteEntry: Statement
    private let insertEntry: Statement
    private let insertContent: Statement
    private let insertMention: Statement
    private let updateUse: Statement
    private let selectTotals: Statement
    private let selectUseSpan: Statement

    init(
        _ database: Database, _ bounds: StoreBounds, _ snapshots: ReaderSnapshots
    ) throws(SQLiteError) {
        self.database = database
        room = try StoreEviction(database, bounds, snapshots)
        deleteEntry = try Statement(database, "DELETE FROM entry WHERE key = ?1 AND received_at <= ?2")
        insertEntry = try Statement(
            database,
            """
            INSERT INTO entry (key, class, status, received_at, initial_age, fresh_for, stale_for, stale_if_error_for,
              keep_for, size, checksum, last_used, scope, target, variant, storefront, selecting,
              content_sum)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, 'shared', ?13, ?14, ?15, ?16, ?17)
            ON CONFLICT (key) DO NOTHING
            """)
        insertContent = try Statement(
            database, "INSERT OR REPLACE INTO content (id, facts, fields, body, is_gzip) VALUES (?1, ?2, ?3, ?4, ?5)")
        insertMention = try Statement(database, "INSERT OR REPLACE INTO mention (id, resources) VALUES (?1, ?2)")
        updateUse = try Statement(database, "UPDATE entry SET last_used = max(last_used, ?2) WHERE key = ?1")
        selectTotals = try Statement(database, "SELECT entries, bytes FROM totals WHERE id = 1")
        selectUseSpan = try Statement(
            database, "SELECT (SELECT max(last_used) FROM entry) - (SELECT min(last_used) FROM entry)")
        try recountIfImplausible()
    }

    /// Writes what the numbers in `entry.class` mean.
    func write(classNames: [String]) throws(SQLiteError) {
        let insert = try Statement(database, "INSERT OR REPLACE INTO class (tag, name) VALUES (?1, ?2)")
        try database.transaction { () throws(SQLiteError) in
            for (tag, name) in classNames.enumerated() {
                try insert.run(.integer(Int64(tag)), .text(Array(name.utf8)[...]))
            }
        }
    }

    /// Applies a batch in one transaction, after it has evicted what the batch displaces. A
    /// response that does not fit leaves nothing older behind either.
    func apply(_ operations: [(key: Int64, operation: PendingWrites.Operation)]) throws(SQLiteError) -> Outcome {
        let bytes = operations.reduce(0) { $0 + (canHold($1.operation) ? $1.operation.writtenBytes : 0) }
        let found = try room.make(for: bytes)
        return try room.write(bytes) { () throws(SQLiteError) in
            var outcome = Outcome(evicted: found.evicted)
            for (key, operation) in operations {
                switch operation {
                case .store(let response) where found.isEnough && canHold(operation):
                    try write(response, key)
                    outcome.written += 1
                case .store:
                    try deleteEntry.run(.integer(key), .integer(.max))
                    outcome.dropped += 1
                case .remove(_, let receivedBy):
                    try deleteEntry.run(.integer(key), .integer(receivedBy))
                }
            }
            return outcome
        }
    }

    /// Writes last-use times, unix seconds by key.
    func write(lastUses: [Int64: Int64]) throws(SQLiteError) {
        try change(Array(lastUses)) { (use) throws(SQLiteError) in
            try updateUse.run(.integer(use.key), .integer(use.value))
        }
    }

    /// Calls `body` for rows that it changes or removes, in transactions of a bounded size.
    func change<Row>(_ rows: [Row], _ body: (Row) throws(SQLiteError) -> Void) throws(SQLiteError) {
        var waiting = rows[...]
        while !waiting.isEmpty {
            let batch = waiting.prefix(room.bounds.batchRows)
            // No more than they take: for more the log would be emptied before its time.
            try room.write(batch.count * StoreBounds.estimate(contentBytes: 0)) { () throws(SQLiteError) in
                for row in batch { try body(row) }
            }
            waiting = waiting.dropFirst(room.bounds.batchRows)
        }
    }

    func totals() throws(SQLiteError) -> Totals {
        try selectTotals.firstRow { Totals(entries: Int($0.integer(0)), bytes: Int($0.integer(1))) } ?? Totals()
    }

    /// The seconds between the use of the least recently used entry and the latest use.
    func useSpan() throws(SQLiteError) -> Int {
        Int(try selectUseSpan.firstRow { $0.integer(0) } ?? 0)
    }

    private func write(_ response: StoredResponse, _ key: Int64) throws(SQLiteError) {
        let (lifetime, target, variant) = (response.lifetime, response.key.target, response.key.variant)
        let size =
            target.count + variant.count + response.fields.count + response.filedBody.count
            + response.selecting.count + response.resources.count * MemoryLayout<UInt64>.size
        let contentSum = response.contentSum
        let checksum = response.checksum(contentSum: contentSum)
        let values: [SQLValue] = [
            .integer(key), .integer(Int64(response.classTag)), .integer(Int64(response.status)),
            .integer(response.receivedAt), .integer(Int64(lifetime.initialAge)), .integer(Int64(lifetime.freshFor)),
            .integer(Int64(lifetime.staleFor)), .integer(Int64(lifetime.staleIfErrorFor)),
            .integer(Int64(lifetime.keepFor)), .integer(Int64(size)),
            .integer(Int64(bitPattern: checksum)), .integer(response.receivedAt),
            .text(target), .text(variant), .text(response.storefront[...]), .text(response.selecting[...]),
            .integer(Int64(bitPattern: contentSum)),
        ]
        // Most keys are new: only where one is not, there is something to delete.
        if try insertEntry.change(values) == 0 {
            try deleteEntry.run(.integer(key), .integer(.max))
            _ = try insertEntry.change(values)
        }
        let id = database.lastInsertedRow
        try insertContent.run(
            .integer(id), .blob(AnswerFacts(response, checksum: checksum).bytes[...]), .blob(response.fields),
            .blob(response.filedBody[...]), .integer(response.gzip == nil ? 0 : 1))
        guard !response.resources.isEmpty else { return }
        try insertMention.run(.integer(id), .blob(response.resources.withUnsafeBytes { Array($0) }[...]))
    }

    private func canHold(_ operation: PendingWrites.Operation) -> Bool {
        operation.writtenBytes <= room.bounds.largestResponse
    }

    /// A damaged totals row must not keep the cache empty or unbounded. Sizes never exceed the file
    /// that holds them.
    private func recountIfImplausible() throws(SQLiteError) {
        let bytes = try room.fileBytes()
        let found = try selectTotals.firstRow { (entries: $0.integer(0), bytes: $0.integer(1)) }
        if let found, found.entries >= 0, found.bytes >= 0, found.bytes <= bytes, found.entries <= bytes {
            return
        }
        try database.execute(
            "INSERT OR REPLACE INTO totals SELECT 1, count(*), coalesce(sum(size), 0) FROM entry")
    }
}
