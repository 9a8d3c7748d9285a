import Freshness
import HTTP

// Listings for operators.

/// One row of a listing, for operators.
public struct StoredEntry: Sendable, Equatable {
    /// Canonical path and query.
    public let target: String
    public let variant: String
    public let storefront: String
    public let classTag: UInt8
    public let status: Int
    /// Unix seconds.
    public let receivedAt: Int64
    public internal(set) var lifetime: Lifetime
    /// Bytes of target, variant, fields and body.
    public let size: Int
    /// The content coding in which the body is kept; nil where there is none.
    public internal(set) var coding: String?
    /// Unix seconds, to about a minute; nil where it is not recorded.
    public let lastUsed: Int64?
}

extension StoredEntry {
    /// Under which it is found; nil where the file is damaged: no key has these parts.
    var key: CacheKey? {
        if variant.utf8.contains(0) { return nil }
        return CacheKey(scope: .shared, target: Array(target.utf8), variant: Array(variant.utf8))
    }

    /// The entry of an answer in memory, where the time of the last use is not recorded.
    init(_ response: StoredResponse) {
        target = String(decoding: response.key.target, as: UTF8.self)
        variant = String(decoding: response.key.variant, as: UTF8.self)
        storefront = String(decoding: response.storefront, as: UTF8.self)
        classTag = response.classTag
        status = response.status
        receivedAt = response.receivedAt
        lifetime = response.lifetime
        size = response.filedSize
        coding = response.gzip == nil ? Self.coding(response.fields.span) : "gzip"
        lastUsed = nil
    }

    /// The value of `Content-Encoding` in these lines.
    fileprivate static func coding(_ fields: Span<UInt8>) -> String? {
        var lines = FieldLines()
        while let line = lines.next(in: fields) {
            guard line.id == .contentEncoding else { continue }
            return line.value.reduce(into: "") { $0.unicodeScalars.append(Unicode.Scalar(fields[$1])) }
        }
        return nil
    }
}

extension SQLiteStore {
    /// Up to `limit` answers as look-ups would find them, the most recently used first; none where
    /// the file cannot be read.
    func list(_ selection: EntrySelection, limit: Int) -> [StoredEntry] {
        let current = shared.generation.load(ordering: .acquiring)
        guard current > 0 else { return [] }
        do throws(SQLiteError) {
            var rows = try listedRows(selection, limit: limit)
            for (index, row) in rows.enumerated() {
                guard let place = row.place else { continue }
                rows[index].entry.coding = try coding(at: place, current)
            }
            return rows.map(\.entry)
        } catch {
            noteFailedRead(error, generation: current)
            return []
        }
    }

    private func listedRows(_ selection: EntrySelection, limit: Int) throws(SQLiteError) -> [ListedRow] {
        let (condition, values) = selection.condition(from: 1)
        let select = try Statement(
            try openForReading(),
            """
            SELECT target, variant, storefront, class, status, received_at, fresh_for, stale_for, stale_if_error_for,
              keep_for, initial_age, size, last_used, place, is_gzip, resources
            FROM entry WHERE selecting = '' AND \(condition) ORDER BY last_used DESC
            """)
        var rows: [ListedRow] = []
        guard limit > 0 else { return [] }
        try select.forEachRow(values) { row in
            if let left = shared.owed.applied(to: ListedRow(row)) { rows.append(left) }
            return rows.count < limit
        }
        return rows
    }

    /// The coding that a record's fields name; nil where its segment cannot be read.
    private func coding(at place: Place, _ generation: Int) throws(SQLiteError) -> String? {
        let fields = try ifReadable(place, generation) { () throws(SQLiteError) in
            try shared.segments.read(place) { SegmentRecord.fields($0) }
        }
        return fields.flatMap { $0 }.flatMap { $0 }.flatMap { StoredEntry.coding($0.span) }
    }

    /// A look-up or a look at many answers failed.
    func noteFailedRead(_ error: SQLiteError, generation: Int, at place: Place? = nil) {
        shared.counters.withLock { $0.failedReads += 1 }
        runner.report(error, generation: generation, at: place)
    }

    /// A connection for code that reads at length in the background: neither a loop nor the writer
    /// waits for it.
    func openForReading() throws(SQLiteError) -> Database {
        let database = try Database(path: shared.path, mode: .readOnly, busyTimeout: .zero)
        try database.execute("PRAGMA trusted_schema = OFF; PRAGMA cache_size = -1024")
        return database
    }
}

/// A row of a listing, as purges look at it.
private struct ListedRow {
    var entry: StoredEntry
    /// Where the record is that says the coding; nil where the row says it.
    let place: Place?
    let target: [UInt8]
    let storefront: [UInt8]
    let resources: [UInt64]

    init(_ row: Row) {
        entry = StoredEntry(row)
        place = row.integer(14) == 0 ? Place(ofRow: row.integer(13)) : nil
        (target, storefront, resources) = (row.bytes(0), row.bytes(2), row.words(15))
    }
}

extension ListedRow: PurgeableAnswer {
    func answers(_ test: ([UInt8]) -> Bool) -> Bool { test(target) }
    func mayBeOfClass(_ tag: UInt8) -> Bool { entry.classTag == tag }
    func mayName(_ resource: UInt64) -> Bool { StoredResponse.mayName(resource, resources) }

    func left(by purge: Purge) -> ListedRow? {
        guard purge.mode == .soft else { return purge.mode == .hard ? nil : self }
        var left = self
        let age = entry.lifetime.age(since: entry.receivedAt, at: purge.now)
        left.entry.lifetime = entry.lifetime.withoutFreshness(atAge: age)
        return left
    }
}

extension StoredEntry {
    fileprivate init(_ row: Row) {
        func number(_ column: Int32) -> Int { Int(row.integer(column)) }
        target = row.text(0)
        variant = row.text(1)
        storefront = row.text(2)
        classTag = UInt8(truncatingIfNeeded: row.integer(3))
        status = number(4)
        receivedAt = row.integer(5)
        lifetime = Lifetime(
            freshFor: number(6), staleFor: number(7), staleIfErrorFor: number(8), keepFor: number(9),
            initialAge: number(10))
        size = number(11)
        lastUsed = row.integer(12)
        coding = row.integer(14) == 0 ? nil : "gzip"
    }
}
