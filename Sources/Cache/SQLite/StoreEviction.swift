import CSQLite

// Room in the files and in the log: made by evicting, by giving up segments, by emptying the log,
// and by giving pages back.
// Must hold: nothing is written that database, segments or log might have no room for
// (`StoreBounds`), so that together they never grow beyond their bound, whatever is stored, evicted
// or read meanwhile; a step takes milliseconds, however much there is to do.

final class StoreEviction {
    /// Making room for something, step by step.
    struct Making {
        let bytes: Int
        /// The size of the files before the first step.
        let usedBefore: Int
        /// Rows.
        var evicted = 0
    }

    enum Step {
        case enough
        /// There is no more to be had now.
        case tooLittle
        case goOn
    }

    private(set) var bounds: StoreBounds
    let database: Database
    let ledger: RowLedger
    private let pageSize: Int
    private let selectPages: Statement
    private let selectFreePages: Statement
    private let selectOldest: Statement
    private let deleteRow: Statement
    private let emptyJournal: Statement
    let compaction: Compaction

    /// The most rows evicted before one batch: a lowered bound is approached in small steps.
    private static let evictionLimit = 2_048
    /// Dead records may take that part of the files: with less, more would be copied to get at it.
    private static let slackPart = 32

    init(_ database: Database, _ bounds: StoreBounds, _ ledger: RowLedger) throws(SQLiteError) {
        self.database = database
        self.ledger = ledger
        self.bounds = bounds
        pageSize = Int(try database.integer("PRAGMA page_size"))
        selectPages = try Statement(database, "PRAGMA page_count")
        selectFreePages = try Statement(database, "PRAGMA freelist_count")
        selectOldest = try Statement(database, "SELECT id, place FROM entry ORDER BY last_used LIMIT ?1")
        deleteRow = try Statement(database, "DELETE FROM entry WHERE id = ?1 RETURNING key, place")
        emptyJournal = try Statement(database, "PRAGMA wal_checkpoint(TRUNCATE)")
        compaction = try Compaction(database)
        database.countLogPages()
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
            PRAGMA journal_size_limit = \(bounds.journalBytes)
            """)
    }

    /// A transaction that writes about `bytes` of rows, at most.
    /// - Parameter checkpointBytes: from which length on the log is copied, where not from that of
    ///   the bounds on.
    func write<R>(
        _ bytes: Int, checkpointBytes: Int? = nil, _ body: () throws(SQLiteError) -> R
    ) throws(SQLiteError) -> R {
        try makeRoomInJournal(for: bytes)
        do throws(SQLiteError) {
            let result = try database.transaction(body)
            ledger.commit()
            if database.logPages * pageSize >= checkpointBytes ?? bounds.checkpointBytes { _ = try checkpoint() }
            return result
        } catch {
            ledger.rollBack()
            throw error
        }
    }

    /// Brings records to the disk, then the rows that name them, and lets dead segments go; false
    /// where a reader needs a part of the log.
    func checkpoint() throws(SQLiteError) -> Bool {
        try copyLog { () throws(SQLiteError) in try database.checkpoint() }
    }

    /// The same, and empties the log.
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

    /// Brings all that was committed to the disk, or fails.
    func secure() throws(SQLiteError) {
        if try checkpoint() { return }
        guard try emptyLog() else { throw Self.heldLog }
    }

    private static let heldLog = SQLiteError(
        code: SQLITE_BUSY, message: "a reader keeps the write-ahead log from being emptied")

    /// Whether the files are larger than they may be, because the bound was lowered. A full disk is
    /// no reason to give up pages: `fileBytes` is what the files may have for good.
    func isOver(_ fileBytes: Int) throws(SQLiteError) -> Bool { try usedBytes() > fileBytes }

    /// Brings such files a step nearer to their bound; false where nothing is left to do. `evicted`
    /// counts the rows that went.
    func approach(_ fileBytes: Int, evicted: inout Int) throws(SQLiteError) -> Bool {
        // Until it is known what is live, evicting frees nothing.
        guard ledger.isComplete else { return false }
        var making = try beginMaking(for: 0)
        let step = try makeRoom(&making)
        evicted += making.evicted
        if case .goOn = step { return true }
        guard try isOver(fileBytes) else { return false }
        return try giveBackPages()
    }

    /// Shortens the database by pages that hold nothing; false where that cannot be.
    private func giveBackPages() throws(SQLiteError) -> Bool {
        let before = try freePages()
        guard before > 0 else { return false }
        try makeRoomInJournal(for: bounds.batchBytes)
        // Each page that is given back may move another.
        try database.execute("PRAGMA incremental_vacuum(\(max(bounds.batchBytes / pageSize / 2, 1)))")
        return try freePages() < before
    }

    /// Pages of the database that hold nothing.
    private func freePages() throws(SQLiteError) -> Int {
        Int(try selectFreePages.firstRow { $0.integer(0) } ?? 0)
    }

    /// The size of the database and the segments, in bytes.
    func usedBytes() throws(SQLiteError) -> Int {
        Int(try selectPages.firstRow { $0.integer(0) } ?? 0) * pageSize + ledger.log.byteCount
    }

    /// A segment is kept free, for what is copied before another one goes.
    func isRoom(for bytes: Int) throws(SQLiteError) -> Bool {
        try usedBytes() + bytes + bounds.segmentBytes <= bounds.fileBytes
    }

    func beginMaking(for bytes: Int) throws(SQLiteError) -> Making {
        Making(bytes: bytes, usedBefore: try usedBytes())
    }

    /// Takes one step towards room for more.
    func makeRoom(_ making: inout Making) throws(SQLiteError) -> Step {
        if try isRoom(for: making.bytes) { return .enough }
        let freed = making.usedBefore - (try usedBytes())
        // In files that are too large anyway what was freed will do.
        let isFreed = making.bytes > 0 && freed >= making.bytes
        if isFreed, making.usedBefore > bounds.fileBytes { return .enough }
        // Rows that went leave pages to other rows; where they are many, segments need them.
        if try freePages() * pageSize > bounds.fileBytes / 16, try giveBackPages() { return .goOn }
        if try compaction.goOn(in: self) { return .goOn }
        if ledger.hasDeadSegments, try checkpoint() { return .goOn }
        if giveUpSegment(slack: bounds.fileBytes / Self.slackPart) { return .goOn }
        let evicted = making.evicted < Self.evictionLimit ? try evict() : 0
        making.evicted += evicted
        if evicted > 0 { return .goOn }
        if making.evicted == 0 {
            // Nothing is left but what no row names.
            ledger.log.closeHead()
            if giveUpSegment(slack: 0) { return .goOn }
        }
        return isFreed && making.evicted > 0 ? .enough : .tooLittle
    }

    /// Begins to copy elsewhere what is live of a segment; false where none is worth that.
    private func giveUpSegment(slack: Int) -> Bool {
        guard ledger.isComplete, let victim = ledger.log.victim(slack: slack) else { return false }
        compaction.begin(victim)
        return true
    }

    /// Evicts a segment's worth of rows, or as many as one transaction may change: after that one
    /// of the segments may be worth giving up.
    private func evict() throws(SQLiteError) -> Int {
        var (ids, bytes): ([Int64], Int) = ([], 0)
        try selectOldest.forEachRow([.integer(Int64(bounds.batchRows))]) { row in
            ids.append(row.integer(0))
            bytes += Place(ofRow: row.integer(1))?.span ?? 0
            return bytes < bounds.segmentBytes
        }
        return try write(bounds.batchBytes) { () throws(SQLiteError) in
            for id in ids { try delete(id) }
            return ids.count
        }
    }

    /// Removes a row; within a transaction.
    func delete(_ id: Int64) throws(SQLiteError) {
        try ledger.remove(by: deleteRow, [.integer(id)])
    }

    /// Empties the log where the next transaction might make it too large. It is copied into the
    /// database as soon as it is `checkpointBytes` long, and SQLite begins it anew when no reader
    /// needs it; with readers at it all along it would grow.
    ///
    /// It comes before records are appended whose rows are not committed: emptying the log lets
    /// segments go of which no row names anything.
    func makeRoomInJournal(for bytes: Int) throws(SQLiteError) {
        guard !isRoomInJournal(for: bytes), try !emptyLog() else { return }
        throw Self.heldLog
    }

    /// Whether the log has room for a transaction that writes about `bytes` of rows.
    func isRoomInJournal(for bytes: Int) -> Bool {
        let size = StoreFile.size(database.path + "-wal")
        return size == 0 || size + StoreBounds.journalBytes(writing: bytes) <= bounds.journalBytes
    }
}
