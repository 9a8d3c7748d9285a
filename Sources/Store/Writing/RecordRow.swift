// One row as it was read: nothing in it is believed before the checksum agrees.
// Must hold: no value of a damaged file can trap; a record comes out only if all of it is as it was
// written.

extension RecordFacts {
    /// The columns in the order that `init` reads them.
    static let columns = """
        class, status, received_at, initial_age, fresh_for, stale_for, stale_if_error_for, keep_for, storefront,
          selecting, born
        """

    /// The facts that a row of `entry` has, `first` being the number of the first of its columns;
    /// nil where no record has them.
    init?(_ row: Row, from first: Int32, resources: [UInt64] = []) {
        func number(_ column: Int32) -> Int { Int(row.integer(first + column)) }
        guard let classTag = UInt8(exactly: number(0)) else { return nil }
        self.init(
            status: number(1), classTag: classTag, receivedAt: row.integer(first + 2), born: row.integer(first + 10),
            times: Times(
                freshFor: number(4), staleFor: number(5), staleIfErrorFor: number(6), keepFor: number(7),
                initialAge: number(3)),
            storefront: row.bytes(first + 8), selecting: row.bytes(first + 9), resources: resources)
        guard arePlausible else { return nil }
    }
}

/// A row of `entry`.
struct RecordRow {
    private static let columns = "id, place, target, variant, \(RecordFacts.columns), content_sum, checksum, origin"
    /// The columns that `init` reads.
    static let count: Int32 = 18
    /// The row whose key is ?1.
    static let select = "SELECT \(columns) FROM entry WHERE key = ?1"
    /// The row with the number ?1.
    static let selectNumber = "SELECT \(columns) FROM entry WHERE id = ?1"
    /// The ?2 records written last of those before the row ?1.
    static let selectBelow = """
        SELECT \(columns) FROM entry WHERE id < ?1 AND selecting = '' ORDER BY id DESC LIMIT ?2
        """
    /// The ?2 rows that follow the row ?1, each with its key's number and the resources it names.
    static let selectAfter = """
        SELECT \(columns), key, resources FROM entry WHERE id > ?1 ORDER BY id LIMIT ?2
        """

    let id: Int64
    /// Nil where the row is damaged.
    let place: Place?
    /// Nil where no key has these parts.
    let key: RecordKey?
    /// Facts of the row; nil where no record has them.
    private let written: RecordFacts?
    private let contentSum: UInt64
    private let checksum: UInt64

    init(_ row: Row) {
        id = row.integer(0)
        place = Place(ofRow: row.integer(1))
        key = RecordKey(target: row.bytes(2), variant: row.bytes(3), of: OriginTag(number: row.integer(17)))
        written = RecordFacts(row, from: 4)
        contentSum = UInt64(bitPattern: row.integer(15))
        checksum = UInt64(bitPattern: row.integer(16))
    }

    /// The facts that its record lacks, where it agrees with its checksum.
    var facts: RowFacts? {
        guard let key, let written, written.checksum(of: key, contentSum: contentSum) == checksum else { return nil }
        return RowFacts(times: written.times, checksum: checksum)
    }

    /// The facts with the times that `age` makes of those that it has; nil where the row is
    /// damaged.
    func facts(_ age: (RecordFacts) -> RecordFacts.Times) -> RowFacts? {
        guard facts != nil, let key, var aged = written else { return nil }
        aged.times = age(aged)
        return RowFacts(times: aged.times, checksum: aged.checksum(of: key, contentSum: contentSum))
    }

    enum Found {
        case record(Record)
        /// A row or its record differs from the one that was written.
        case damaged
        /// There is nothing. Where a row names it, it was moved meanwhile, or the file is damaged.
        case missing
    }
}

extension SharedState {
    /// The record of a row.
    func record(of row: RecordRow) throws(SQLiteError) -> RecordRow.Found {
        guard let key = row.key, let place = row.place, let facts = row.facts else { return .damaged }
        let found = try segments.read(place) { SegmentRecord.record(for: key, $0, facts) }
        guard let found else { return .missing }
        return found.map { .record($0) } ?? .damaged
    }
}

/// A row with the number of its key and the resources that it names, for the check of damage.
struct CheckedRow {
    let row: RecordRow
    private let key: Int64
    private let resources: [UInt64]

    init(_ row: Row) {
        self.row = RecordRow(row)
        key = row.integer(RecordRow.count)
        resources = row.words(RecordRow.count + 1)
    }

    /// Whether all of it is as it was written, as far as can be told.
    func isIntact(in shared: SharedState) throws(SQLiteError) -> Bool {
        // The key's number is that of the key.
        guard row.key?.index == key, case .record(let record) = try shared.record(of: row) else { return false }
        return record.facts.resources == resources && shared.owner.canUse(record)
    }
}
