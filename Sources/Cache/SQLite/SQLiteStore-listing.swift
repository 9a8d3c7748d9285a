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
    public let coding: String?
    /// Unix seconds, to about a minute; nil where nobody keeps it.
    public let lastUsed: Int64?
}

extension StoredEntry {
    /// Under which it is found; nil where the file is damaged: no key has these parts.
    public var key: CacheKey? {
        if variant.utf8.contains(0) { return nil }
        return CacheKey(scope: .shared, target: Array(target.utf8), variant: Array(variant.utf8))
    }

    /// What a listing says of an answer in memory, where nobody keeps when it was used last.
    init(_ response: StoredResponse) {
        target = String(decoding: response.key.target, as: UTF8.self)
        variant = String(decoding: response.key.variant, as: UTF8.self)
        storefront = String(decoding: response.storefront, as: UTF8.self)
        classTag = response.classTag
        status = response.status
        receivedAt = response.receivedAt
        lifetime = response.lifetime
        size = response.key.target.count + response.key.variant.count + response.fields.count + response.filedBodyCount
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
        let current = generation.load(ordering: .acquiring)
        guard current > 0 else { return [] }
        var entries: [StoredEntry] = []
        do throws(SQLiteError) {
            let (condition, values) = selection.condition(from: 1)
            let select = try Statement(
                try openForReading(),
                """
                SELECT target, variant, storefront, class, status, received_at, fresh_for, stale_for, stale_if_error_for,
                  keep_for, initial_age, size, last_used,
                  (SELECT fields FROM content WHERE content.id = entry.id),
                  (SELECT is_gzip FROM content WHERE content.id = entry.id)
                FROM entry WHERE selecting = '' AND \(condition) ORDER BY last_used DESC LIMIT \(max(limit, 0))
                """)
            try select.forEachRow(values) { row in
                entries.append(StoredEntry(row))
                return true
            }
        } catch {
            counters.withLock { $0.failedReads += 1 }
            if error.isDamage { reportDamage("\(error)", generation: current) }
            return []
        }
        return entries
    }

    /// A connection for whoever reads at length behind everybody's back: neither a loop nor the
    /// writer waits for it.
    func openForReading() throws(SQLiteError) -> Database {
        let database = try Database(path: path, mode: .readOnly, busyTimeout: .zero)
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
        coding = row.integer(14) == 0 ? Self.coding(row.bytes(13).span) : "gzip"
    }
}
