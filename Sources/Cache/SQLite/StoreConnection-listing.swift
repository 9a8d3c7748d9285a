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
    /// Unix seconds, to about a minute.
    public let lastUsed: Int64
}

extension StoreConnection {
    /// Up to `limit` entries, the most recently used first.
    func entries(_ selection: EntrySelection, limit: Int) throws(SQLiteError) -> [StoredEntry] {
        let (condition, values) = selection.condition(from: 1)
        let select = try Statement(
            database,
            """
            SELECT target, variant, storefront, class, status, received_at, fresh_for, stale_for, stale_if_error_for,
              keep_for, initial_age, size, last_used
            FROM entry WHERE \(condition) ORDER BY last_used DESC LIMIT \(max(limit, 0))
            """)
        var entries: [StoredEntry] = []
        try select.forEachRow(values) { row in
            entries.append(StoredEntry(row))
            return true
        }
        return entries
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
    }
}
