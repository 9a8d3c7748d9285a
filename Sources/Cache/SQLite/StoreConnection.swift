import CSQLite

// The writer's side of an open database: its statements, one transaction for each batch, room made before it.
// Must hold: no transaction is begun that file or log might have no room for (`StoreBounds`), so that neither grows beyond
// its bound, whatever is stored, evicted or read meanwhile; every transaction is small.

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

    /// What came of making room.
    private struct Room {
        var evicted = 0
        var isEnough = true
    }

    let database: Database
    private(set) var bounds: StoreBounds
    private let pageSize: Int
    private let deleteEntry: Statement
    private let evictEntry: Statement
    private let insertEntry: Statement
    private let insertContent: Statement
    private let insertMention: Statement
    private let updateUse: Statement
    private let selectOldest: Statement
    private let selectTotals: Statement
    private let selectUseSpan: Statement
    private let selectPages: Statement
    private let selectFreePages: Statement
    private let emptyJournal: Statement

    /// The most rows evicted before one batch: a lowered bound is approached in small steps.
    private static let evictionLimit = 2_048

    init(_ database: Database, _ bounds: StoreBounds) throws(SQLiteError) {
        self.database = database
        self.bounds = bounds
        pageSize = Int(try database.integer("PRAGMA page_size"))
        deleteEntry = try Statement(database, "DELETE FROM entry WHERE key = ?1 AND received_at <= ?2")
        evictEntry = try Statement(database, "DELETE FROM entry WHERE id = ?1")
        insertEntry = try Statement(
            database,
            """
            INSERT INTO entry (key, class, status, received_at, initial_age, fresh_for, stale_for, stale_if_error_for,
              keep_for, size, checksum, last_used, scope, target, variant, storefront, selecting,
              content_sum)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, 'shared', ?13, ?14, ?15, ?16, ?17)
            """)
        insertContent = try Statement(
            database, "INSERT OR REPLACE INTO content (id, fields, body) VALUES (?1, ?2, ?3)")
        insertMention = try Statement(database, "INSERT OR REPLACE INTO mention (id, resources) VALUES (?1, ?2)")
        updateUse = try Statement(database, "UPDATE entry SET last_used = max(last_used, ?2) WHERE key = ?1")
        selectOldest = try Statement(database, "SELECT id FROM entry ORDER BY last_used LIMIT ?1")
        selectTotals = try Statement(database, "SELECT entries, bytes FROM totals WHERE id = 1")
        selectUseSpan = try Statement(
            database, "SELECT (SELECT max(last_used) FROM entry) - (SELECT min(last_used) FROM entry)")
        selectPages = try Statement(database, "PRAGMA page_count")
        selectFreePages = try Statement(database, "PRAGMA freelist_count")
        emptyJournal = try Statement(database, "PRAGMA wal_checkpoint(TRUNCATE)")
        try setPragmas()
        try recountIfImplausible()
    }

    /// Goes on within other bounds, from the next transaction on.
    func adapt(to bounds: StoreBounds) throws(SQLiteError) {
        guard bounds != self.bounds else { return }
        self.bounds = bounds
        try setPragmas()
    }

    private func setPragmas() throws(SQLiteError) {
        try database.execute(
            """
            PRAGMA journal_size_limit = \(bounds.journalBytes);
            PRAGMA wal_autocheckpoint = \(max(bounds.checkpointBytes / StoreBounds.pageBytes, 1))
            """)
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

    /// Applies a batch in one transaction, after it has evicted what the batch displaces. A response that does not fit
    /// leaves nothing older behind either.
    func apply(_ operations: [(key: Int64, operation: PendingWrites.Operation)]) throws(SQLiteError) -> Outcome {
        let bytes = operations.reduce(0) { $0 + (canHold($1.operation) ? $1.operation.writtenBytes : 0) }
        let room = try makeRoom(for: bytes)
        return try write(bytes) { () throws(SQLiteError) in
            var outcome = Outcome(evicted: room.evicted)
            for (key, operation) in operations {
                switch operation {
                case .store(let response) where room.isEnough && canHold(operation):
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
            try write(bounds.batchBytes) { () throws(SQLiteError) in
                for row in waiting.prefix(bounds.batchRows) { try body(row) }
            }
            waiting = waiting.dropFirst(bounds.batchRows)
        }
    }

    /// Brings a file that is larger than it may be, because the bound was lowered, a step nearer to it; false where nothing
    /// is left to do. `evicted` counts the rows that went. What the disk lacks now is no reason to give up pages: `fileBytes`
    /// is what the file may have for good.
    func approachBound(_ fileBytes: Int, evicted: inout Int) throws(SQLiteError) -> Bool {
        let room = try makeRoom(for: 0)
        evicted += room.evicted
        let pages = try pages()
        guard pages.all * pageSize > fileBytes, pages.free > 0 else { return room.evicted > 0 }
        try makeRoomInJournal(for: bounds.batchBytes)
        // Each page that is given back may move another.
        try database.execute("PRAGMA incremental_vacuum(\(max(bounds.batchBytes / pageSize / 2, 1)))")
        return true
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
        let id = database.lastInsertedRow
        try insertContent.run(.integer(id), .blob(response.fields), .blob(response.body[...]))
        guard !response.resources.isEmpty else { return }
        try insertMention.run(.integer(id), .blob(response.resources.withUnsafeBytes { Array($0) }[...]))
    }

    private func canHold(_ operation: PendingWrites.Operation) -> Bool {
        operation.writtenBytes <= bounds.largestResponse
    }

    /// A transaction that writes about `bytes`, at most.
    private func write<R>(_ bytes: Int, _ body: () throws(SQLiteError) -> R) throws(SQLiteError) -> R {
        try makeRoomInJournal(for: bytes)
        return try database.transaction(body)
    }

    /// Pages of the file, and those of them that hold nothing.
    private func pages() throws(SQLiteError) -> (all: Int, free: Int) {
        (
            Int(try selectPages.firstRow { $0.integer(0) } ?? 0),
            Int(try selectFreePages.firstRow { $0.integer(0) } ?? 0)
        )
    }

    private func isRoom(for bytes: Int) throws(SQLiteError) -> Bool {
        let pages = try pages()
        return (pages.all - pages.free) * pageSize + bytes <= bounds.fileBytes
    }

    /// Evicts the least recently used until `bytes` more fit, or for as long as one turn may take.
    private func makeRoom(for bytes: Int) throws(SQLiteError) -> Room {
        var room = Room()
        while try !isRoom(for: bytes) {
            let evicted = room.evicted < Self.evictionLimit ? try evict(for: bytes) : 0
            room.evicted += evicted
            guard evicted == 0 else { continue }
            // In a file that is too large anyway the freed pages will do.
            let pages = try pages()
            room.isEnough = pages.free * pageSize >= bytes
            break
        }
        return room
    }

    private func evict(for bytes: Int) throws(SQLiteError) -> Int {
        var ids: [Int64] = []
        try selectOldest.forEachRow([.integer(Int64(bounds.batchRows))]) { row in
            ids.append(row.integer(0))
            return true
        }
        return try write(bounds.batchBytes) { () throws(SQLiteError) in
            for (evicted, id) in ids.enumerated() {
                // Looking at every fourth row is often enough, and pages are freed only now and then.
                if evicted > 0, evicted % 4 == 0, try isRoom(for: bytes) { return evicted }
                try evictEntry.run(.integer(id))
            }
            return ids.count
        }
    }

    /// Empties the log where the next transaction might make it too large. SQLite copies it into the database as soon as it
    /// is `checkpointBytes` long and begins it anew when no reader needs it; with readers at it all along it would grow.
    private func makeRoomInJournal(for bytes: Int) throws(SQLiteError) {
        let size = StoreFile.size(database.path + "-wal")
        guard size > 0, size + StoreBounds.journalBytes(writing: bytes) > bounds.journalBytes else { return }
        if try emptyJournal.firstRow(read: { $0.integer(0) }) != 0 {
            throw SQLiteError(code: SQLITE_BUSY, message: "a reader keeps the write-ahead log from being emptied")
        }
    }

    /// A damaged totals row must not keep the cache empty or unbounded. Sizes never exceed the file that holds them.
    private func recountIfImplausible() throws(SQLiteError) {
        let pages = try pages().all
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
