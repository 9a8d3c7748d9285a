// Listings for operators.

/// One row of a listing.
public struct ListedRecord: PurgeableRecord, Sendable {
    public let target: ArraySlice<UInt8>
    public let variant: ArraySlice<UInt8>
    public internal(set) var facts: RecordFacts
    /// Bytes of target, variant, fields and body.
    public let size: Int
    /// Unix seconds, to about a minute; nil for a record that no file has.
    public let lastUsed: Int64?
    public let isGzip: Bool
}

extension ListedRecord {
    /// A record that no file has.
    public init(_ record: Record) {
        self.init(
            target: record.key.target, variant: record.key.variant, facts: record.facts, size: record.size,
            lastUsed: nil, isGzip: record.isGzip)
    }
}

/// Reads listings of one file.
struct Listing {
    let shared: SharedState
    let runner: StoreRunner

    /// Up to `limit` records as look-ups would find them, the most recently used first; none where
    /// the file cannot be read.
    func records(_ selection: EntrySelection, limit: Int) -> [ListedRecord] {
        let current = shared.generation.load(ordering: .acquiring)
        guard current > 0 else { return [] }
        do throws(SQLiteError) {
            return try rows(selection, limit: limit)
        } catch {
            runner.noteFailedRead(error, generation: current)
            return []
        }
    }

    private func rows(_ selection: EntrySelection, limit: Int) throws(SQLiteError) -> [ListedRecord] {
        let (condition, values) = selection.condition(from: 1)
        let select = try Statement(
            try Database(reading: shared.path),
            """
            SELECT target, variant, size, last_used, is_gzip, resources, \(RecordFacts.columns)
            FROM entry WHERE selecting = '' AND \(condition) ORDER BY last_used DESC
            """)
        var rows: [ListedRecord] = []
        guard limit > 0 else { return [] }
        try select.forEachRow(values) { row in
            if let left = ListedRecord(row).flatMap({ shared.owed.applied(to: $0) }) { rows.append(left) }
            return rows.count < limit
        }
        return rows
    }
}

extension ListedRecord {
    /// Nil where no record has such facts: the file is damaged.
    fileprivate init?(_ row: Row) {
        guard let facts = RecordFacts(row, from: 6, resources: row.words(5)) else { return nil }
        self.init(
            target: row.bytes(0)[...], variant: row.bytes(1)[...], facts: facts, size: Int(row.integer(2)),
            lastUsed: row.integer(3), isGzip: row.integer(4) != 0)
    }
}
