import CSQLite

// Transactions on rows, and room for them in the files and in the log.
// Must hold: nothing is written that the log might have no room for (`SpaceBounds`), so that it
// never grows beyond its bound, whatever is read meanwhile; records are on the disk before the rows
// that name them.

final class RowTransactions {
    private(set) var bounds: SpaceBounds
    let database: Database
    let ledger: RowLedger
    let pageSize: Int
    private let selectPages: Statement
    private let deleteRow: Statement
    private let emptyJournal: Statement

    init(_ database: Database, _ bounds: SpaceBounds, _ ledger: RowLedger) throws(SQLiteError) {
        self.database = database
        self.ledger = ledger
        self.bounds = bounds
        pageSize = Int(try database.integer("PRAGMA page_size"))
        selectPages = try Statement(database, "PRAGMA page_count")
        deleteRow = try Statement(database, "DELETE FROM entry WHERE id = ?1 RETURNING key, place")
        emptyJournal = try Statement(database, "PRAGMA wal_checkpoint(TRUNCATE)")
        database.countLogPages()
        try limitJournal()
    }

    /// Goes on within other bounds, from the next transaction on.
    func adapt(to bounds: SpaceBounds) throws(SQLiteError) {
        guard bounds != self.bounds else { return }
        self.bounds = bounds
        try limitJournal()
    }

    private func limitJournal() throws(SQLiteError) {
        try database.execute("PRAGMA journal_size_limit = \(bounds.journalBytes)")
    }

    /// A transaction that writes about `bytes` of rows, at most.
    func write<R>(_ bytes: Int, _ body: () throws(SQLiteError) -> R) throws(SQLiteError) -> R {
        try makeRoomInJournal(for: bytes)
        defer { ledger.forgetChanges() }
        let result = try database.transaction(body)
        ledger.commit()
        if database.logPages * pageSize >= bounds.checkpointBytes { _ = try checkpoint() }
        return result
    }

    /// Brings records to the disk, then the rows that name them, and lets dead segments go; false
    /// where a reader needs a part of the log.
    func checkpoint() throws(SQLiteError) -> Bool {
        try copyLog { () throws(SQLiteError) in try database.checkpoint() }
    }

    /// Checkpoints, then truncates the write-ahead log.
    @discardableResult
    func emptyLog() throws(SQLiteError) -> Bool {
        try copyLog { () throws(SQLiteError) in try emptyJournal.firstRow(read: { $0.integer(0) }) == 0 }
    }

    private func copyLog(_ copy: () throws(SQLiteError) -> Bool) throws(SQLiteError) -> Bool {
        try ledger.log.synchronize()
        let isWhole = try copy()
        if isWhole { ledger.noteCheckpoint() }
        return isWhole
    }

    /// Brings records and the log to the disk. Unlike a checkpoint it waits for no reader.
    func synchronize() throws(SQLiteError) {
        try ledger.log.synchronize()
        try database.synchronizeLog()
    }

    /// Brings all that was committed to the disk, or fails.
    func secure() throws(SQLiteError) {
        if try checkpoint() { return }
        guard try emptyLog() else { throw Self.heldLog }
    }

    private static let heldLog = SQLiteError(
        code: SQLITE_BUSY, message: "a reader keeps the write-ahead log from being emptied")

    /// Whether the files are larger than they may be, because the bound was lowered. A full disk is
    /// no reason to give up pages: `fileBytes` is the permanent bound.
    func isOver(_ fileBytes: Int) throws(SQLiteError) -> Bool { try usedBytes() > fileBytes }

    /// The size of the database and the segments, in bytes.
    func usedBytes() throws(SQLiteError) -> Int {
        Int(try selectPages.firstRow { $0.integer(0) } ?? 0) * pageSize + ledger.log.byteCount
    }

    /// A segment is kept free, for the copies that are made before another one goes.
    func isRoom(for bytes: Int) throws(SQLiteError) -> Bool {
        try usedBytes() + bytes + bounds.segmentBytes <= bounds.fileBytes
    }

    /// Removes a row; within a transaction.
    func delete(_ id: Int64) throws(SQLiteError) {
        try ledger.remove(by: deleteRow, [.integer(id)])
    }

    /// Empties the log where the next transaction might make it too large. It is copied into the
    /// database as soon as it is `checkpointBytes` long, and SQLite begins it anew when no reader
    /// needs it; with readers at it all along it would grow.
    ///
    /// It comes before records are appended: emptying the log lets segments go that no row names,
    /// and rows of new records are not committed yet.
    func makeRoomInJournal(for bytes: Int) throws(SQLiteError) {
        guard !isRoomInJournal(for: bytes), try !emptyLog() else { return }
        throw Self.heldLog
    }

    /// Whether the log has room for a transaction that writes about `bytes` of rows.
    private func isRoomInJournal(for bytes: Int) -> Bool {
        let size = DatabaseFile.size(database.path + "-wal")
        return size == 0 || size + SpaceBounds.journalBytes(writing: bytes) <= bounds.journalBytes
    }
}
