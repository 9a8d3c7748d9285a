// A purge of the file: where its rows are looked for, and how far it has come.
// Must hold: a step looks at a bounded number of rows, in the order of their keys, and none is met twice; what is asked by
// target goes through an index, and by resource through the table of mentions alone, whatever the file holds.

struct StorePurge: Sendable {
    /// Where rows that can be among the chosen are found.
    enum Source: Sendable {
        /// The row of one key.
        case row(Int64)
        /// The rows of a target whose keys nobody can tell.
        case variants([UInt8])
        /// The rows of the entries that name a resource: all mentions are looked through.
        case mentions(UInt64)
        /// All rows.
        case all
    }

    let purge: Purge
    var count: PurgeCount
    private var sources: [Source]
    /// The least key that has not been looked at in the current source.
    private var next = Int64.min

    init(_ purge: Purge, _ count: PurgeCount) {
        self.purge = purge
        self.count = count
        // Taken from the end.
        if let target = purge.selection.target {
            sources = [.variants(target), .row(SQLiteStore.index(of: CacheKey(scope: .shared, target: target)))]
        } else if let resource = purge.selection.resource {
            sources = [.mentions(resource)]
        } else {
            sources = [.all]
        }
    }

    var isDone: Bool { sources.isEmpty }
    var source: Source? { sources.last }

    /// The rows that one step looks at. Counting changes nothing, so it may take larger ones.
    var stepRows: Int { purge.mode == .dryRun ? 4_096 : 256 }

    /// The query of the next step: key, whether the row is an answer, whether it is chosen; and its values.
    func query(_ source: Source) -> (sql: String, values: [SQLValue]) {
        let (condition, values) = purge.selection.condition(from: 3)
        let columns = "SELECT entry.key, selecting = '', \(condition) FROM"
        let end = "entry.key >= ?1 ORDER BY entry.key LIMIT \(stepRows)"
        func query(_ sql: String, _ value: SQLValue) -> (String, [SQLValue]) {
            (sql, [.integer(next), value] + values)
        }
        switch source {
        case .row(let key): return query("\(columns) entry WHERE key = ?2 AND \(end)", .integer(key))
        case .variants(let target):
            return query("\(columns) entry WHERE variant <> '' AND target = ?2 AND \(end)", .text(target[...]))
        case .mentions(let resource):
            return query(
                """
                SELECT mention.key, 1, CASE WHEN \(EntrySelection.mayName("?2"))
                  THEN (SELECT \(condition) FROM entry WHERE entry.key = mention.key) ELSE 0 END
                FROM mention WHERE mention.key >= ?1 ORDER BY mention.key LIMIT \(stepRows)
                """, EntrySelection.value(of: resource))
        case .all: return query("\(columns) entry WHERE ?2 AND \(end)", .integer(1))
        }
    }

    /// A step met `rows` rows, the last of which had the key `last`.
    mutating func note(rows: Int, last: Int64) {
        if rows == stepRows, last < .max {
            next = last + 1
        } else {
            sources.removeLast()
            next = .min
        }
    }
}

extension StoreConnection {
    /// Takes a purge one step further, in one transaction.
    func advance(_ purge: inout StorePurge) throws(SQLiteError) {
        guard let source = purge.source else { return }
        let (sql, values) = purge.query(source)
        var (rows, last) = (0, Int64.min)
        var chosen: [(key: Int64, isAnswer: Bool)] = []
        try Statement(database, sql).forEachRow(values) { row in
            (rows, last) = (rows + 1, row.integer(0))
            if row.integer(2) != 0 { chosen.append((last, row.integer(1) != 0)) }
            return true
        }
        if !chosen.isEmpty {
            switch purge.purge.mode {
            case .dryRun: break
            case .hard: try delete(chosen.map(\.key))
            case .soft: try soften(chosen.filter(\.isAnswer).map(\.key), at: purge.purge.now)
            }
        }
        for (key, isAnswer) in chosen where isAnswer { purge.count.add(row: key) }
        purge.note(rows: rows, last: last)
    }

    private func delete(_ keys: [Int64]) throws(SQLiteError) {
        let deleting = try Statement(database, "DELETE FROM entry WHERE key = ?1")
        try database.transaction { () throws(SQLiteError) in
            for key in keys { try deleting.run(.integer(key)) }
        }
    }

    /// The checksum covers the freshness, so each row is read, changed and written, its content not. A damaged row goes.
    private func soften(_ keys: [Int64], at now: Int64) throws(SQLiteError) {
        let reading = try Statement(database, "SELECT \(EntryRow.columns) FROM entry WHERE key = ?1")
        let deleting = try Statement(database, "DELETE FROM entry WHERE key = ?1")
        let updating = try Statement(
            database,
            """
            UPDATE entry SET fresh_for = ?2, stale_for = ?3, stale_if_error_for = ?4, keep_for = ?5, checksum = ?6
            WHERE key = ?1
            """)
        try database.transaction { () throws(SQLiteError) in
            for key in keys {
                guard let row = try reading.firstRow(.integer(key), read: { EntryRow($0) }) else { continue }
                guard let (lifetime, checksum) = row.withoutFreshness(at: now) else {
                    try deleting.run(.integer(key))
                    continue
                }
                try updating.run(
                    .integer(key), .integer(Int64(lifetime.freshFor)), .integer(Int64(lifetime.staleFor)),
                    .integer(Int64(lifetime.staleIfErrorFor)), .integer(Int64(lifetime.keepFor)),
                    .integer(Int64(bitPattern: checksum)))
            }
        }
    }
}
