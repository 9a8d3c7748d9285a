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
    public let lifetime: Lifetime
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

    /// What a listing says of an answer in memory, where the time of the last use is not recorded.
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

    /// What `Content-Encoding` says in these lines.
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
    /// Up to `limit` answers, the most recently used first; none where the file cannot be read.
    func list(_ selection: EntrySelection, limit: Int) -> [StoredEntry] {
        let current = shared.generation.load(ordering: .acquiring)
        guard current > 0 else { return [] }
        var entries: [StoredEntry] = []
        do throws(SQLiteError) {
            let (condition, values) = selection.condition(from: 1)
            let select = try Statement(
                try openForReading(),
                """
                SELECT target, variant, storefront, class, status, received_at, fresh_for, stale_for, stale_if_error_for,
                  keep_for, initial_age, size, last_used, place, is_gzip
                FROM entry WHERE selecting = '' AND \(condition) ORDER BY last_used DESC LIMIT \(max(limit, 0))
                """)
            var places: [Place?] = []
            try select.forEachRow(values) { row in
                entries.append(StoredEntry(row))
                places.append(row.integer(14) == 0 ? Place(ofRow: row.integer(13)) : nil)
                return true
            }
            for (index, place) in places.enumerated() {
                guard let place else { continue }
                entries[index].coding = try shared.segments.read(place) { SegmentRecord.fields($0) }?
                    .flatMap { StoredEntry.coding($0.span) }
            }
        } catch {
            noteFailedRead(error, generation: current)
            return []
        }
        return entries
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
