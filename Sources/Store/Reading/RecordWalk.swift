// A walk through the records of the file, newest first, to learn from them again after a start.
// Must hold: it runs on a queue of its own and reads through a connection of its own, in pieces. A
// piece ends its read transaction before any code looks at the rows, so neither a loop nor the
// writer waits for it and the log can be reset between pieces. It yields only records that agree
// with their checksum, and none that is about to be replaced or removed. It does not meet records
// that are stored while it goes on: the code that stores a record knows of it.

struct RecordWalk {
    /// The most rows of a piece, and the bytes of bodies after which it ends.
    static let pieceRows = 64
    static let pieceBytes = 1 << 20

    private let shared: SharedState
    private let runner: StoreRunner
    /// The number of the file that is gone through; 0 for none. When another is opened the walk is
    /// over.
    private let generation: Int
    /// The records that `body` took.
    private(set) var visited = 0

    init(_ shared: SharedState, _ runner: StoreRunner) {
        (self.shared, self.runner) = (shared, runner)
        generation = shared.generation.load(ordering: .acquiring)
    }

    /// Calls `body` with record after record until it returns false, the file ends, or the file
    /// cannot be read. Where `body` returns nil the record does not count.
    mutating func run(_ body: (Record) -> Bool?) {
        guard generation > 0 else { return }
        do throws(SQLiteError) {
            let database = try Database(reading: shared.path)
            let (select, home) = (try Statement(database, RecordRow.selectBelow), try database.home)
            var below = Int64.max
            while shared.generation.load(ordering: .acquiring) == generation {
                let swept = shared.owner.sweptPurges
                let (records, last) = try piece(select, below: below)
                for record in records.map({ $0.relative(to: home) }) where isCurrent(record, since: swept) {
                    guard let goesOn = body(record) else { continue }
                    visited += 1
                    guard goesOn else { return }
                }
                guard let last else { return }
                below = last
            }
        } catch {
            runner.noteFailedRead(error, generation: generation)
        }
    }

    /// The records of some rows as the file has them, the newest first, and the last row that was
    /// read; nil for none.
    private func piece(_ select: Statement, below row: Int64) throws(SQLiteError) -> (records: [Record], last: Int64?) {
        var (records, rows, bytes): ([Record], [RecordRow], Int) = ([], [], 0)
        try select.forEachRow([.integer(row), .integer(Int64(Self.pieceRows))]) { row in
            let found = RecordRow(row)
            rows.append(found)
            bytes += found.place?.span ?? 0
            return bytes < Self.pieceBytes
        }
        for row in rows {
            // A damaged row is left to the look-up that meets it.
            let found = try runner.ifReadable(row.place, generation) { () throws(SQLiteError) in
                try shared.record(of: row)
            }
            if case .record(let record) = found { records.append(record) }
        }
        return (records, rows.last?.id)
    }

    /// Whether the file is to keep it as it was read, after the purges up to that number.
    private func isCurrent(_ record: Record, since swept: Int64) -> Bool {
        let index = record.key.index
        return shared.pending.withLock { $0.operation(index) } == nil
            && shared.owner.verdict(on: record.selectable, since: swept) == .untouched
    }
}
