// Purges and listings: statements built for one use, from fixed words and bound values.

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

extension EntrySelection {
    /// The condition of a WHERE clause, and the values of its parameters.
    fileprivate var condition: (sql: String, values: [SQLValue]) {
        var terms: [String] = []
        var values: [SQLValue] = []
        func add(_ term: String, _ value: SQLValue) {
            values.append(value)
            terms.append(term.replacingParameter(with: values.count))
        }
        if let target { add("target = ?", .text(target[...])) }
        // Bytes, not characters: a prefix may end anywhere.
        if let prefix { add("substr(CAST(target AS BLOB), 1, length(?)) = ?", .blob(prefix[...])) }
        if let storefront { add("storefront = ?", .text(storefront[...])) }
        if let classTag { add("class = ?", .integer(Int64(classTag))) }
        return (terms.isEmpty ? "1" : terms.joined(separator: " AND "), values)
    }
}

extension String {
    /// Every `?` numbered.
    fileprivate func replacingParameter(with number: Int) -> String {
        split(separator: "?", omittingEmptySubsequences: false).joined(separator: "?\(number)")
    }
}

extension StoreConnection {
    /// Applies a purge in one transaction and returns how many rows it chose.
    func purge(_ selection: EntrySelection, _ mode: PurgeMode) throws(SQLiteError) -> Int {
        let (condition, values) = selection.condition
        switch mode {
        case .dryRun:
            let count = try Statement(database, "SELECT count(*) FROM entry WHERE \(condition)")
            var found = 0
            try count.forEachRow(values) { row in
                found = Int(row.integer(0))
                return false
            }
            return found
        case .hard:
            return try change("DELETE FROM entry WHERE \(condition)", values)
        case .soft:
            return try softPurge(condition, values)
        }
    }

    /// Up to `limit` entries, the most recently used first.
    func entries(_ selection: EntrySelection, limit: Int) throws(SQLiteError) -> [StoredEntry] {
        let (condition, values) = selection.condition
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

    private func change(_ sql: String, _ values: [SQLValue]) throws(SQLiteError) -> Int {
        let statement = try Statement(database, sql)
        return try write(bounds.batchBytes) { () throws(SQLiteError) in
            try statement.forEachRow(values) { _ in true }
            return database.changedRows
        }
    }

    /// The checksum covers the freshness, so each row is read, changed and written. A row that cannot be read goes.
    private func softPurge(_ condition: String, _ values: [SQLValue]) throws(SQLiteError) -> Int {
        let select = try Statement(database, "SELECT key FROM entry WHERE \(condition)")
        var keys: [Int64] = []
        try select.forEachRow(values) { row in
            keys.append(row.integer(0))
            return true
        }
        let reading = try Statement(database, StoredRow.select)
        let updating = try Statement(
            database, "UPDATE entry SET fresh_for = 0, initial_age = 0, checksum = ?2 WHERE key = ?1")
        let removing = try Statement(database, "DELETE FROM entry WHERE key = ?1")
        try write(bounds.batchBytes) { () throws(SQLiteError) in
            for key in keys {
                let row = try reading.firstRow(.integer(key)) { StoredRow($0) }
                if let response = row?.response(for: nil) {
                    let sum = Int64(bitPattern: response.withoutFreshness().checksum)
                    try updating.run(.integer(key), .integer(sum))
                } else {
                    try removing.run(.integer(key))
                }
            }
        }
        return keys.count
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
