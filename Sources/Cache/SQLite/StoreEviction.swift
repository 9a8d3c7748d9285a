import CSQLite

// Room in the file and in its log: made by evicting, by emptying the log, and by giving pages back.
// Must hold: no transaction is begun that file or log might have no room for (`StoreBounds`), so
// that neither grows beyond its bound, whatever is stored, evicted or read meanwhile.

final class StoreEviction {
    /// What came of making room.
    struct Found {
        /// Rows.
        var evicted = 0
        var isEnough = true
    }

    private(set) var bounds: StoreBounds
    private let database: Database
    private let snapshots: ReaderSnapshots
    private let pageSize: Int
    private let selectPages: Statement
    private let selectFreePages: Statement
    private let selectOldest: Statement
    private let evictEntry: Statement
    private let emptyJournal: Statement

    /// The most rows evicted before one batch: a lowered bound is approached in small steps.
    private static let evictionLimit = 2_048

    init(_ database: Database, _ bounds: StoreBounds, _ snapshots: ReaderSnapshots) throws(SQLiteError) {
        self.database = database
        self.snapshots = snapshots
        self.bounds = bounds
        pageSize = Int(try database.integer("PRAGMA page_size"))
        selectPages = try Statement(database, "PRAGMA page_count")
        selectFreePages = try Statement(database, "PRAGMA freelist_count")
        selectOldest = try Statement(database, "SELECT id FROM entry ORDER BY last_used LIMIT ?1")
        evictEntry = try Statement(database, "DELETE FROM entry WHERE id = ?1")
        emptyJournal = try Statement(database, "PRAGMA wal_checkpoint(TRUNCATE)")
        try setPragmas()
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
            PRAGMA wal_autocheckpoint = \(max(bounds.checkpointBytes / pageSize, 1))
            """)
    }

    /// A transaction that writes about `bytes`, at most.
    func write<R>(_ bytes: Int, _ body: () throws(SQLiteError) -> R) throws(SQLiteError) -> R {
        snapshots.pause()
        defer { snapshots.resume() }
        try makeRoomInJournal(for: bytes)
        return try database.transaction(body)
    }

    /// Brings a file that is larger than it may be, because the bound was lowered, a step nearer to
    /// it; false where nothing is left to do. `evicted` counts the rows that went. What the disk
    /// lacks now is no reason to give up pages: `fileBytes` is what the file may have for good.
    func approach(_ fileBytes: Int, evicted: inout Int) throws(SQLiteError) -> Bool {
        let found = try make(for: 0)
        evicted += found.evicted
        let pages = try pages()
        guard pages.all * pageSize > fileBytes, pages.free > 0 else { return found.evicted > 0 }
        snapshots.pause()
        defer { snapshots.resume() }
        try makeRoomInJournal(for: bounds.batchBytes)
        // Each page that is given back may move another.
        try database.execute("PRAGMA incremental_vacuum(\(max(bounds.batchBytes / pageSize / 2, 1)))")
        return true
    }

    /// Pages of the file, and those of them that hold nothing.
    private func pages() throws(SQLiteError) -> (all: Int, free: Int) {
        (
            Int(try selectPages.firstRow { $0.integer(0) } ?? 0),
            Int(try selectFreePages.firstRow { $0.integer(0) } ?? 0)
        )
    }

    /// Of the database alone, in bytes.
    func fileBytes() throws(SQLiteError) -> Int {
        try pages().all * pageSize
    }

    private func isRoom(for bytes: Int) throws(SQLiteError) -> Bool {
        let pages = try pages()
        return (pages.all - pages.free) * pageSize + bytes <= bounds.fileBytes
    }

    /// Evicts the least recently used until `bytes` more fit, or for as long as one turn may take.
    func make(for bytes: Int) throws(SQLiteError) -> Found {
        var found = Found()
        while try !isRoom(for: bytes) {
            let evicted = found.evicted < Self.evictionLimit ? try evict(for: bytes) : 0
            found.evicted += evicted
            guard evicted == 0 else { continue }
            // In a file that is too large anyway the freed pages will do.
            let pages = try pages()
            found.isEnough = pages.free * pageSize >= bytes
            break
        }
        return found
    }

    private func evict(for bytes: Int) throws(SQLiteError) -> Int {
        var ids: [Int64] = []
        try selectOldest.forEachRow([.integer(Int64(bounds.batchRows))]) { row in
            ids.append(row.integer(0))
            return true
        }
        return try write(bounds.batchBytes) { () throws(SQLiteError) in
            for (evicted, id) in ids.enumerated() {
                // Looking at every fourth row is often enough, and pages are freed only now and
                // then.
                if evicted > 0, evicted % 4 == 0, try isRoom(for: bytes) { return evicted }
                try evictEntry.run(.integer(id))
            }
            return ids.count
        }
    }

    /// Empties the log where the next transaction might make it too large. SQLite copies it into
    /// the database as soon as it is `checkpointBytes` long and begins it anew when no reader needs
    /// it; with readers at it all along it would grow.
    private func makeRoomInJournal(for bytes: Int) throws(SQLiteError) {
        let size = StoreFile.size(database.path + "-wal")
        guard size > 0, size + StoreBounds.journalBytes(writing: bytes) > bounds.journalBytes else { return }
        if try emptyJournal.firstRow(read: { $0.integer(0) }) != 0 {
            throw SQLiteError(code: SQLITE_BUSY, message: "a reader keeps the write-ahead log from being emptied")
        }
    }
}
