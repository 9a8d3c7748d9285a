import Dispatch

// The slow look at every row of the file: damage that no look-up has met is found before a client
// asks for what it has hit.
// Must hold: it reads no faster than it was told and for a tenth of the time at most, through a
// connection of its own, and not while the writer is busy; a piece ends its read transaction before
// anything else is done; a row goes only after the writer has read it again and found the same.

/// Where the look has come to. Confined to the queue of checks.
struct StoreCheck {
    /// The findings in one piece.
    struct Piece {
        var rows = 0
        var bytes = 0
        /// The numbers of rows that are not what was written.
        var damaged: [Int64] = []
        /// The last that was read.
        fileprivate var last = Int64.min
        var isLast: Bool { rows == 0 }
    }

    /// The bounds of a piece.
    static let pieceRows = 256
    static let pieceBytes = 256 << 10
    /// The bytes read for a row besides its content.
    private static let rowBytes = 512
    /// Times as much rest as work, whatever the disk does.
    private static let rests: UInt64 = 9

    private var database: Database?
    private var generation = 0
    private var last = Int64.min
    /// In the current pass.
    private(set) var rows = 0
    var dropped = 0

    /// Looks at the next piece of the file that is open now, from its beginning where it is another
    /// one. Nil where there is none.
    mutating func next(in store: SQLiteStore) throws(SQLiteError) -> Piece? {
        let current = store.shared.generation.load(ordering: .acquiring)
        guard current > 0 else { return nil }
        if database == nil || generation != current {
            self = StoreCheck()
            database = try store.openForReading()
            generation = current
        }
        guard let database else { return nil }
        let piece = try piece(database, in: store)
        last = piece.last
        rows += piece.rows
        return piece
    }

    private func piece(_ database: Database, in store: SQLiteStore) throws(SQLiteError) -> Piece {
        var piece = Piece()
        var rows: [CheckedRow] = []
        let select = try Statement(database, StoredRow.selectAfter)
        try select.forEachRow([.integer(last), .integer(Int64(Self.pieceRows))]) { row in
            let checked = CheckedRow(row)
            piece.rows += 1
            piece.last = checked.row.id
            piece.bytes += Self.rowBytes + (checked.row.place?.span ?? 0)
            rows.append(checked)
            return piece.bytes < Self.pieceBytes
        }
        for checked in rows {
            let isIntact = try store.ifReadable(checked.row.place, generation) { () throws(SQLiteError) in
                try store.isIntact(checked)
            }
            // Rows of a segment that cannot be read go with the segment.
            if isIntact == false { piece.damaged.append(checked.row.id) }
        }
        return piece
    }

    /// Nanoseconds of rest after `bytes` that took so long, where `rate` bytes a second may be
    /// read.
    static func rest(bytes: Int, took nanoseconds: UInt64, rate: Int) -> UInt64 {
        max(UInt64(bytes) * 1_000_000_000 / UInt64(max(rate, 1)), nanoseconds * rests)
    }
}

/// All that is written of one answer.
struct CheckedRow {
    let row: StoredRow
    private let key: Int64
    private let resources: [UInt64]

    init(_ row: Row) {
        self.row = StoredRow(row)
        key = row.integer(StoredRow.count)
        resources = row.words(StoredRow.count + 1)
    }

    /// Whether the parts that hits read and purges look at say the same.
    func agrees(with response: StoredResponse) -> Bool { response.resources == resources }

    /// Whether the key's number is that of the key.
    var hasItsKey: Bool { row.entry.key.map { SQLiteStore.index(of: $0) == key } ?? false }
}

extension SQLiteStore {
    /// Whether all of a row is as it was written, as far as can be told.
    func isIntact(_ checked: CheckedRow) throws(SQLiteError) -> Bool {
        guard checked.hasItsKey else { return false }
        return switch try content(of: checked.row) {
        case .response(let response): checked.agrees(with: response)
        case .unreadable: true
        case .damaged, .missing: false
        }
    }

    /// The pause before the first look, after a pass, and while the writer has much to do.
    private static let firstPause = DispatchTimeInterval.seconds(5)
    private static let pauseBetweenPasses = DispatchTimeInterval.seconds(6 * 3_600)
    private static let pauseUnderLoad = DispatchTimeInterval.seconds(1)
    /// More than that waiting is much to do, in bytes.
    private static let load = 1 << 20

    /// How many bytes a second of the file are looked at in the background, 0 for none. From any
    /// thread; the first that is not 0 begins.
    public var checkRate: Int {
        get { bytesCheckedPerSecond.load(ordering: .relaxed) }
        set {
            let before = bytesCheckedPerSecond.exchange(max(newValue, 0), ordering: .relaxed)
            guard before == 0, newValue > 0 else { return }
            let run = checkRun.wrappingAdd(1, ordering: .relaxed).newValue
            checks.asyncAfter(deadline: .now() + Self.firstPause) { @Sendable [weak self] in self?.goOnChecking(run) }
        }
    }

    /// One piece, and the next after a rest.
    private func goOnChecking(_ run: Int) {
        let rate = checkRate
        guard rate > 0, checkRun.load(ordering: .relaxed) == run, health != .closed else { return }
        var pause = Self.pauseUnderLoad
        if shared.pending.withLock({ $0.byteCount }) < Self.load {
            let begun = DispatchTime.now().uptimeNanoseconds
            if let piece = checkPiece() {
                let took = DispatchTime.now().uptimeNanoseconds - begun
                pause =
                    piece.isLast
                    ? Self.pauseBetweenPasses
                    : .nanoseconds(Int(clamping: StoreCheck.rest(bytes: piece.bytes, took: took, rate: rate)))
            }
        }
        checks.asyncAfter(deadline: .now() + pause) { @Sendable [weak self] in self?.goOnChecking(run) }
    }

    /// Looks at the next piece and drops what is damaged there; nil where there is no file that can
    /// be read. The last piece of a pass has no rows. For the queue of checks, and tests.
    @discardableResult
    func checkPiece() -> StoreCheck.Piece? {
        let current = shared.generation.load(ordering: .acquiring)
        do throws(SQLiteError) {
            guard let piece = try check.withLock({ (check) throws(SQLiteError) in try check.next(in: self) }) else {
                return nil
            }
            shared.counters.withLock { $0.checked += piece.rows }
            if !piece.damaged.isEmpty { drop(piece.damaged) }
            if piece.isLast { endPass() }
            return piece
        } catch {
            noteFailedRead(error, generation: current)
            check.withLock { $0 = StoreCheck() }
            return nil
        }
    }

    private func drop(_ damaged: [Int64]) {
        let dropped = drop(damagedRows: damaged)
        let isFirst = check.withLock { check in
            defer { check.dropped += dropped }
            return check.dropped == 0
        }
        guard isFirst, dropped > 0 else { return }
        runner.work.withLock { $0.tell("damage that no request has met: rows are removed, and the check goes on") }
    }

    /// Removes those of the rows that are not what was written; how many.
    func drop(damagedRows ids: [Int64]) -> Int {
        runner.queue.sync {
            runner.work.withLock { $0.drop(damaged: ids) { (row) throws(SQLiteError) in try isIntact(row) } }
        }
    }

    private func endPass() {
        let (rows, dropped) = check.withLock { check in
            defer { check = StoreCheck() }
            return (check.rows, check.dropped)
        }
        guard dropped > 0 else { return }
        runner.work.withLock { $0.tell("\(dropped) of \(rows) rows were damaged and have been removed") }
    }
}

extension StoreConnection {
    /// Removes a row if it is not what was written; whether it did.
    func drop(
        damaged id: Int64, _ isIntact: (CheckedRow) throws(SQLiteError) -> Bool
    ) throws(SQLiteError) -> Bool {
        let found = try Statement(database, StoredRow.selectAfter).firstRow(.integer(id - 1), .integer(1)) {
            CheckedRow($0)
        }
        guard let found, found.row.id == id, try !isIntact(found) else { return false }
        try delete([id])
        return true
    }
}
