import Freshness
import HTTP
import Text

// One row as it was read: nothing in it is believed before the checksum agrees.
// Must hold: no value of a damaged file can trap; a response comes out only if all of it is as it
// was written.

/// A row of `entry`.
struct EntryRow {
    /// The columns in the order that `init` reads them.
    static let columns = """
        target, variant, class, status, received_at, initial_age, fresh_for, stale_for, stale_if_error_for, keep_for,
          storefront, selecting, content_sum, checksum
        """

    private let target: [UInt8]
    private let variant: [UInt8]
    /// Columns 2 to 9: class, status, times.
    private let numbers: [Int64]
    private let storefront: [UInt8]
    private let selecting: [UInt8]
    private let contentSum: UInt64
    private let checksum: UInt64

    /// `first` is the number of the first of its columns.
    init(_ row: Row, from first: Int32 = 0) {
        target = row.bytes(first)
        variant = row.bytes(first + 1)
        numbers = (2...9).map { row.integer(first + $0) }
        storefront = row.bytes(first + 10)
        selecting = row.bytes(first + 11)
        contentSum = UInt64(bitPattern: row.integer(first + 12))
        checksum = UInt64(bitPattern: row.integer(first + 13))
    }

    /// Whether the numbers can be those of a response.
    private var isPlausible: Bool {
        !variant.contains(0) && UInt8(exactly: numbers[0]) != nil && (100...999).contains(numbers[1])
            && (0...AnswerFacts.latest).contains(numbers[2])
            && numbers[3...].allSatisfy { (0...Int64(Lifetime.longest)).contains($0) }
    }

    private var lifetime: Lifetime {
        Lifetime(
            freshFor: Int(numbers[4]), staleFor: Int(numbers[5]), staleIfErrorFor: Int(numbers[6]),
            keepFor: Int(numbers[7]), initialAge: Int(numbers[3]))
    }

    /// Nil where no key has these parts.
    var key: CacheKey? { variant.contains(0) ? nil : CacheKey(scope: .shared, target: target, variant: variant) }

    /// The facts that its record lacks, where it agrees with its checksum.
    var facts: RowFacts? {
        guard isPlausible, let key, sum(key, lifetime) == checksum else { return nil }
        return RowFacts(lifetime: lifetime, checksum: checksum)
    }

    /// The facts after a soft purge at that time; nil where the row is damaged.
    func withoutFreshness(at now: Int64) -> RowFacts? {
        guard let key, facts != nil else { return nil }
        let rest = lifetime.withoutFreshness(atAge: lifetime.age(since: numbers[2], at: now))
        return RowFacts(lifetime: rest, checksum: sum(key, rest))
    }

    private func sum(_ key: CacheKey, _ lifetime: Lifetime) -> UInt64 {
        Checksum.ofEntry(
            key: key, status: Int(numbers[1]), classTag: UInt8(truncatingIfNeeded: numbers[0]), receivedAt: numbers[2],
            lifetime: lifetime, storefront: storefront, selecting: selecting, contentSum: contentSum)
    }
}

/// A row of `entry` with its number and the place of its record.
struct StoredRow {
    private static let columns = "id, place, \(EntryRow.columns)"
    /// The columns that `init` reads.
    static let count: Int32 = 16
    /// The row whose key is ?1.
    static let select = "SELECT \(columns) FROM entry WHERE key = ?1"
    /// The ?2 answers written last of those before the row ?1.
    static let selectBelow = """
        SELECT \(columns) FROM entry WHERE id < ?1 AND selecting = '' ORDER BY id DESC LIMIT ?2
        """
    /// The ?2 rows that follow the row ?1, each with its key's number and what it names.
    static let selectAfter = """
        SELECT \(columns), key, resources FROM entry WHERE id > ?1 ORDER BY id LIMIT ?2
        """

    let id: Int64
    /// Nil where the row is damaged.
    let place: Place?
    let entry: EntryRow

    init(_ row: Row) {
        id = row.integer(0)
        place = Place(ofRow: row.integer(1))
        entry = EntryRow(row, from: 2)
    }

    enum Found {
        case response(StoredResponse)
        /// In a coding that this process cannot read.
        case unreadable
        case damaged
        /// Where it should be there is nothing: it was moved meanwhile, or the file is damaged.
        case missing
    }
}

extension SQLiteStore {
    /// The answer of a row.
    func content(of row: StoredRow) throws(SQLiteError) -> StoredRow.Found {
        guard let key = row.entry.key, let place = row.place, let facts = row.entry.facts else { return .damaged }
        return switch try shared.segments.read(place, { content(for: key, $0, facts) }) {
        case .response(let response): .response(response)
        case .unreadable: .unreadable
        case .damaged: .damaged
        case nil: .missing
        }
    }

    /// The same for code that goes through many rows. Nil where the segment cannot be read: that is
    /// reported, and costs no other row.
    func contentIfReadable(of row: StoredRow, _ generation: Int) throws(SQLiteError) -> StoredRow.Found? {
        try ifReadable(row.place, generation) { () throws(SQLiteError) in try content(of: row) }
    }

    /// Reads a place with `read`; nil where its segment cannot be read.
    func ifReadable<R>(
        _ place: Place?, _ generation: Int, _ read: () throws(SQLiteError) -> R
    ) throws(SQLiteError) -> R? {
        do throws(SQLiteError) { return try read() } catch {
            guard error.segment != nil else { throw error }
            noteFailedRead(error, generation: generation, at: place)
            return nil
        }
    }

    /// The answer for `key` in the bytes of a record. It is removed where it turns out later that
    /// it cannot be inflated.
    func content(for key: CacheKey, _ raw: UnsafeRawBufferPointer, _ row: RowFacts? = nil) -> SegmentRecord.Content {
        guard let record = SegmentRecord(raw), record.span == raw.count else { return .damaged }
        return record.content(for: key, raw, row, by: shared.gzip) { receivedAt in
            { [weak self] in self?.removeDamaged(key, receivedBy: receivedAt) }
        }
    }
}
