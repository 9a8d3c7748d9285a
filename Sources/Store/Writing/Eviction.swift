// Room in the files: made by evicting, by giving up segments, and by giving pages back.
// Must hold: database and segments together never grow beyond their bound, whatever is stored,
// evicted or read meanwhile; a step takes milliseconds, however much there is to do.

final class Eviction {
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

    private let transactions: RowTransactions
    private let selectFreePages: Statement
    private let selectOldest: Statement
    private let compaction: Compaction

    /// The most rows evicted before one batch: a lowered bound is approached in small steps.
    private static let evictionLimit = 2_048
    /// Dead records may take that part of the files: with less, more would be copied to get at it.
    private static let slackPart = 32

    init(_ transactions: RowTransactions) throws(SQLiteError) {
        self.transactions = transactions
        selectFreePages = try Statement(transactions.database, "PRAGMA freelist_count")
        selectOldest = try Statement(transactions.database, "SELECT id, place FROM entry ORDER BY last_used LIMIT ?1")
        compaction = try Compaction(transactions)
    }

    private var bounds: SpaceBounds { transactions.bounds }
    private var ledger: RowLedger { transactions.ledger }

    /// Brings files that are too large a step nearer to their bound; false where nothing is left to
    /// do. `evicted` counts the rows that went.
    func approach(_ fileBytes: Int, evicted: inout Int) throws(SQLiteError) -> Bool {
        // Until live records are counted, evicting frees nothing.
        guard ledger.isComplete else { return false }
        var making = try beginMaking(for: 0)
        let step = try makeRoom(&making)
        evicted += making.evicted
        if case .goOn = step { return true }
        guard try transactions.isOver(fileBytes) else { return false }
        return try giveBackPages()
    }

    /// Shortens the database by pages that hold nothing; false where that cannot be.
    private func giveBackPages() throws(SQLiteError) -> Bool {
        let before = try freePages()
        guard before > 0 else { return false }
        try transactions.makeRoomInJournal(for: bounds.batchBytes)
        // Each page that is given back may move another.
        try transactions.database.execute(
            "PRAGMA incremental_vacuum(\(max(bounds.batchBytes / transactions.pageSize / 2, 1)))")
        return try freePages() < before
    }

    /// Pages of the database that hold nothing.
    private func freePages() throws(SQLiteError) -> Int {
        Int(try selectFreePages.firstRow { $0.integer(0) } ?? 0)
    }

    func beginMaking(for bytes: Int) throws(SQLiteError) -> Making {
        Making(bytes: bytes, usedBefore: try transactions.usedBytes())
    }

    /// Takes one step towards room for more.
    func makeRoom(_ making: inout Making) throws(SQLiteError) -> Step {
        if try transactions.isRoom(for: making.bytes) { return .enough }
        let freed = making.usedBefore - (try transactions.usedBytes())
        // In files that are too large anyway, room for this batch will do.
        let isFreed = making.bytes > 0 && freed >= making.bytes
        if isFreed, making.usedBefore > bounds.fileBytes { return .enough }
        // Rows that went leave pages to other rows; where they are many, segments need them.
        if try freePages() * transactions.pageSize > bounds.fileBytes / 16, try giveBackPages() { return .goOn }
        if try compaction.goOn() { return .goOn }
        if ledger.hasDeadSegments, try transactions.checkpoint() { return .goOn }
        if giveUpSegment(slack: bounds.fileBytes / Self.slackPart) { return .goOn }
        let evicted = making.evicted < Self.evictionLimit ? try evict() : 0
        making.evicted += evicted
        if evicted > 0 { return .goOn }
        if making.evicted == 0 {
            // Nothing is left but records that no row names.
            ledger.log.closeHead()
            if giveUpSegment(slack: 0) { return .goOn }
        }
        return isFreed && making.evicted > 0 ? .enough : .tooLittle
    }

    /// Begins to copy the live records of a segment elsewhere; false where none is worth that.
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
        return try transactions.write(bounds.batchBytes) { () throws(SQLiteError) in
            for id in ids { try transactions.delete(id) }
            return ids.count
        }
    }
}
