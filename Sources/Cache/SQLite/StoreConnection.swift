import CSQLite

// The writer's side of an open database: its statements, one transaction for each batch, eviction inside it.
// Must hold: after every transaction the file's used pages and the sum of the entries' sizes are within `maxBytes`, or a
// further `evict` is called for; a batch needs at most an eighth of `maxBytes`, and evicting keeps that eighth free, so the
// file itself never grows beyond.

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
    private let maxBytes: Int
    private let pageSize: Int
    private let deleteEntry: Statement
    private let insertEntry: Statement
    private let insertContent: Statement
    private let insertMention: Statement
    private let updateUse: Statement
    private let selectOldest: Statement
    private let selectTotals: Statement
    private let selectPages: Statement
    private let selectFreePages: Statement

    /// Rows looked for at a time, and the most evicted in one transaction: a lowered bound is approached in small steps.
    private static let evictionStep = 32
    private static let evictionLimit = 2_048

    init(_ database: Database, maxBytes: Int) throws(SQLiteError) {
        self.database = database
        self.maxBytes = maxBytes
        pageSize = Int(try database.integer("PRAGMA page_size"))
        deleteEntry = try Statement(database, "DELETE FROM entry WHERE key = ?1 AND received_at <= ?2")
        insertEntry = try Statement(
            database,
            """
            INSERT INTO entry (key, class, status, received_at, initial_age, fresh_for, stale_for, stale_if_error_for,
              keep_for, size, checksum, last_used, scope, target, variant, storefront, selecting,
              content_sum)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, 'shared', ?13, ?14, ?15, ?16, ?17)
            """)
        insertContent = try Statement(
            database, "INSERT OR REPLACE INTO content (key, fields, body) VALUES (?1, ?2, ?3)")
        insertMention = try Statement(database, "INSERT OR REPLACE INTO mention (key, resources) VALUES (?1, ?2)")
        updateUse = try Statement(database, "UPDATE entry SET last_used = max(last_used, ?2) WHERE key = ?1")
        selectOldest = try Statement(database, "SELECT key FROM entry ORDER BY last_used LIMIT \(Self.evictionStep)")
        selectTotals = try Statement(database, "SELECT entries, bytes FROM totals WHERE id = 1")
        selectPages = try Statement(database, "PRAGMA page_count")
        selectFreePages = try Statement(database, "PRAGMA freelist_count")
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

    /// The most bytes of operations that one transaction may hold.
    var batchBytes: Int { min(4 << 20, maxBytes / 16) }

    /// Applies a batch in one transaction and evicts what it displaces. A response too large for the bound leaves nothing
    /// older behind either.
    func apply(
        _ operations: [(key: Int64, operation: PendingWrites.Operation)], touches: [Int64: Int64]
    ) throws(SQLiteError) -> Outcome {
        try database.transaction { () throws(SQLiteError) in
            var outcome = Outcome()
            for (key, operation) in operations {
                switch operation {
                case .store(let response) where response.byteCount <= maxBytes / 16:
                    try write(response, key)
                    outcome.written += 1
                case .store:
                    try deleteEntry.run(.integer(key), .integer(.max))
                    outcome.dropped += 1
                case .remove(_, let receivedBy):
                    try deleteEntry.run(.integer(key), .integer(receivedBy))
                }
            }
            for (key, time) in touches {
                try updateUse.run(.integer(key), .integer(time))
            }
            outcome.evicted = try evict()
            return outcome
        }
    }

    /// Evicts in a transaction of its own, for a bound that was lowered; returns how many rows went.
    func evictMore() throws(SQLiteError) -> Int {
        try database.transaction { () throws(SQLiteError) in try evict() }
    }

    /// Gives pages back to the file system where the file is larger than it may be.
    func shrink() throws(SQLiteError) {
        let pages = Int(try selectPages.firstRow { $0.integer(0) } ?? 0)
        guard pages * pageSize > maxBytes else { return }
        try database.execute("PRAGMA incremental_vacuum(4096)")
    }

    /// Whether another `evictMore` is called for.
    func isOverBound() throws(SQLiteError) -> Bool {
        let pages = try selectPages.firstRow { $0.integer(0) } ?? 0
        let freePages = try selectFreePages.firstRow { $0.integer(0) } ?? 0
        return Int(pages - freePages) * pageSize > maxBytes - maxBytes / 8
    }

    func totals() throws(SQLiteError) -> Totals {
        try selectTotals.firstRow { Totals(entries: Int($0.integer(0)), bytes: Int($0.integer(1))) } ?? Totals()
    }

    private func write(_ response: StoredResponse, _ key: Int64) throws(SQLiteError) {
        let (lifetime, target, variant) = (response.lifetime, response.key.target, response.key.variant)
        let size =
            target.count + variant.count + response.fields.count + response.body.count
            + response.selecting.count + response.resources.count * MemoryLayout<UInt64>.size
        let contentSum = response.contentSum
        try deleteEntry.run(.integer(key), .integer(.max))
        try insertEntry.run(
            .integer(key), .integer(Int64(response.classTag)), .integer(Int64(response.status)),
            .integer(response.receivedAt), .integer(Int64(lifetime.initialAge)), .integer(Int64(lifetime.freshFor)),
            .integer(Int64(lifetime.staleFor)), .integer(Int64(lifetime.staleIfErrorFor)),
            .integer(Int64(lifetime.keepFor)), .integer(Int64(size)),
            .integer(Int64(bitPattern: response.checksum(contentSum: contentSum))), .integer(response.receivedAt),
            .text(target), .text(variant), .text(response.storefront[...]), .text(response.selecting[...]),
            .integer(Int64(bitPattern: contentSum)))
        try insertContent.run(.integer(key), .blob(response.fields), .blob(response.body[...]))
        guard !response.resources.isEmpty else { return }
        try insertMention.run(.integer(key), .blob(response.resources.withUnsafeBytes { Array($0) }[...]))
    }

    private func evict() throws(SQLiteError) -> Int {
        var evicted = 0
        while evicted < Self.evictionLimit, try isOverBound() {
            var keys: [Int64] = []
            try selectOldest.forEachRow([]) { row in
                keys.append(row.integer(0))
                return true
            }
            guard !keys.isEmpty else { break }
            for key in keys {
                // Looking at every fourth row is often enough, and pages are freed only now and then.
                if evicted % 4 == 0, try !isOverBound() { return evicted }
                try deleteEntry.run(.integer(key), .integer(.max))
                evicted += 1
            }
        }
        return evicted
    }

    /// A damaged totals row must not keep the cache empty or unbounded. Sizes never exceed the file that holds them.
    private func recountIfImplausible() throws(SQLiteError) {
        let pages = Int(try selectPages.firstRow { $0.integer(0) } ?? 0)
        let found = try selectTotals.firstRow { (entries: $0.integer(0), bytes: $0.integer(1)) }
        if let found, found.entries >= 0, found.bytes >= 0, found.bytes <= pages * pageSize,
            found.entries <= pages * pageSize
        {
            return
        }
        try database.execute(
            "INSERT OR REPLACE INTO totals SELECT 1, count(*), coalesce(sum(size), 0) FROM entry")
    }
}
