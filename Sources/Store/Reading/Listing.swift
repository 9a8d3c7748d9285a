import Purging

// Listings for operators.

/// A row of a listing.
public struct ListedRecord: PurgeableRecord, Sendable {
    public let target: ArraySlice<UInt8>
    public let variant: ArraySlice<UInt8>
    public internal(set) var facts: RecordFacts
    /// Bytes of target, variant, fields and body.
    public let size: Int
    /// Unix seconds, to about a minute; nil for a record that no file has.
    public let lastUsed: Int64?
    public let isGzip: Bool
    public let origin: OriginTag
}

extension ListedRecord {
    /// A record that no file has.
    public init(_ record: Record) {
        self.init(
            target: record.key.target, variant: record.key.variant, facts: record.facts, size: record.size,
            lastUsed: nil, isGzip: record.isGzip, origin: record.key.origin)
    }

    /// Unix seconds at which its age was 0.
    fileprivate var bornAt: Int64 { facts.receivedAt - Int64(facts.times.initialAge) }
}

extension EntrySelection {
    /// Whether it is among the chosen.
    public func chooses(_ record: ListedRecord) -> Bool { chooses(record.selectable) }
}

/// Order of a listing.
public enum ListingOrder: String, CaseIterable, Sendable {
    /// The largest first.
    case size
    /// The oldest first.
    case age
    /// The most recently used first; where no use is recorded, the most recently received.
    case use

    fileprivate func precedes(_ one: ListedRecord, _ other: ListedRecord) -> Bool {
        switch self {
        case .size: one.size > other.size
        case .age: one.bornAt < other.bornAt
        case .use:
            (one.lastUsed ?? .min, one.facts.receivedAt) > (other.lastUsed ?? .min, other.facts.receivedAt)
        }
    }
}

/// The first records of an order, among all that were added: up to a number, and up to `mostBytes`,
/// because clients choose targets and answers name up to 4,096 resources.
package struct FirstRecords {
    private let limit: Int
    private let order: ListingOrder
    private var records: [ListedRecord] = []
    private var bytes = 0

    /// Bytes of one listing; 1.6 KiB for each of 10,000 records.
    static let mostBytes = 16 << 20

    package init(_ limit: Int, in order: ListingOrder) { (self.limit, self.order) = (limit, order) }

    package mutating func add(_ record: ListedRecord) {
        records.append(record)
        bytes += record.listedBytes
        // Seldom, so that a record costs no more than its place in a sort.
        if records.count / 2 > limit || bytes / 2 > Self.mostBytes {
            records = all
            bytes = records.reduce(0) { $0 + $1.listedBytes }
        }
    }

    var isFull: Bool { records.count >= limit || bytes >= Self.mostBytes }

    /// In their order.
    package var all: [ListedRecord] {
        var rest = Self.mostBytes
        return Array(
            records.sorted(by: order.precedes).prefix(limit).prefix { record in
                rest -= record.listedBytes
                return rest >= 0
            })
    }
}

extension ListedRecord {
    /// Bytes that it holds in a listing.
    fileprivate var listedBytes: Int { target.count + variant.count + facts.resources.count * 8 }
}

extension StoreRunner {
    /// Up to `limit` records as look-ups would find them; none where the file cannot be read.
    func list(_ selection: EntrySelection, limit: Int, in order: ListingOrder) -> [ListedRecord] {
        let current = shared.generation.load(ordering: .acquiring)
        guard current > 0, limit > 0 else { return [] }
        let (now, swept) = (shared.unixSeconds(), shared.owner.sweptPurges)
        let (condition, values) = selection.condition(from: 1)
        // Only uses have an index; any other order would go through a temporary file.
        let isIndexed = order == .use
        do throws(SQLiteError) {
            let database = try Database(reading: shared.path)
            let home = try database.home
            let select = try Statement(
                database,
                """
                SELECT target, variant, size, last_used, is_gzip, resources, \(RecordFacts.columns), origin
                FROM entry WHERE selecting = '' AND \(condition) \(isIndexed ? "ORDER BY last_used DESC" : "")
                """)
            var first = FirstRecords(limit, in: order)
            try select.forEachRow(values) { row in
                let left = ListedRecord(row, home).flatMap { $0.left(at: now, since: swept, shared.owner) }
                if let left { first.add(left) }
                return !isIndexed || !first.isFull
            }
            return first.all
        } catch {
            noteFailedRead(error, generation: current)
            return []
        }
    }
}

extension ListedRecord {
    /// Nil where no record has such facts: the file is damaged.
    fileprivate init?(_ row: Row, _ home: OriginTag) {
        guard let facts = RecordFacts(row, from: 6, resources: row.words(5)) else { return nil }
        self.init(
            target: row.bytes(0)[...], variant: row.bytes(1)[...], facts: facts, size: Int(row.integer(2)),
            lastUsed: row.integer(3), isGzip: row.integer(4) != 0,
            origin: OriginTag(number: row.integer(17)).relative(to: home))
    }
}
