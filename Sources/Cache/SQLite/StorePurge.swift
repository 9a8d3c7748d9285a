// A purge of the file: where its rows are looked for, and how far it has come.
// Must hold: a step looks at a bounded number of rows and changes rows of a bounded size, in the
// order of writing, and none is met twice nor any that came after the first step; what is asked by
// target goes through an index, and by resource through the table of mentions alone, whatever the
// file holds.

struct StorePurge: Sendable {
    /// Where rows that can be among the chosen are found.
    enum Source: Sendable {
        /// The row of one key.
        case row(Int64)
        /// The rows of a target whose keys cannot be told.
        case variants([UInt8])
        /// The rows of the entries that name a resource: all mentions are looked through.
        case mentions(UInt64)
        /// All rows.
        case all
    }

    let purge: Purge
    var count: PurgeCount
    private var sources: [Source]
    /// The least row that has not been looked at in the current source.
    private var next = Int64.min
    /// The last row that was there when the purge began: while it goes on, rows may be added faster
    /// than it gets on.
    var end: Int64?

    init(_ purge: Purge, _ count: PurgeCount) {
        self.purge = purge
        self.count = count
        sources = Self.sources(purge.selection)
    }

    /// Where all that can be chosen is found, the narrower the better; taken from the end.
    private static func sources(_ selection: EntrySelection) -> [Source] {
        var sources = [Source.all]
        for condition in selection.conditions {
            switch condition {
            case .target(let target):
                return [.variants(target), .row(SQLiteStore.index(of: CacheKey(scope: .shared, target: target)))]
            case .resource(let resource): sources = [.mentions(resource)]
            case .prefix, .storefront, .classTag: break
            }
        }
        return sources
    }

    var isDone: Bool { sources.isEmpty }
    var source: Source? { sources.last }

    /// The rows that one step looks at. Counting changes nothing, so it may take larger ones. A
    /// step that changes rows takes about a millisecond: until it is over, its processor does
    /// nothing else.
    var stepRows: Int { purge.mode == .dryRun ? 1_024 : 64 }
    /// What one step changes at most, in bytes, unless it is one row: for a long answer SQLite goes
    /// through all of its pages.
    static let stepBytes = 1 << 20

    /// The query of the next step: row, whether it is an answer, whether it is chosen, its key, its
    /// size; and the query's values.
    func query(_ source: Source) -> (sql: String, values: [SQLValue]) {
        let (condition, values) = purge.selection.condition(from: 3)
        let columns = "SELECT id, selecting = '', \(condition), key, size FROM"
        let rest = "id BETWEEN ?1 AND \(end ?? .max) ORDER BY id LIMIT \(stepRows)"
        func query(_ sql: String, _ value: SQLValue) -> (String, [SQLValue]) {
            (sql, [.integer(next), value] + values)
        }
        switch source {
        case .row(let key): return query("\(columns) entry WHERE key = ?2 AND \(rest)", .integer(key))
        case .variants(let target):
            return query("\(columns) entry WHERE variant <> '' AND target = ?2 AND \(rest)", .text(target[...]))
        case .mentions(let resource):
            return query(
                """
                SELECT id, 1, CASE WHEN \(EntrySelection.mayName("?2"))
                  THEN (SELECT \(condition) FROM entry WHERE entry.id = mention.id) ELSE 0 END,
                  CASE WHEN \(EntrySelection.mayName("?2")) THEN (SELECT key FROM entry WHERE entry.id = mention.id) END,
                  CASE WHEN \(EntrySelection.mayName("?2")) THEN (SELECT size FROM entry WHERE entry.id = mention.id) END
                FROM mention WHERE \(rest)
                """, EntrySelection.value(of: resource))
        case .all: return query("\(columns) entry WHERE ?2 AND \(rest)", .integer(1))
        }
    }

    /// A step met `rows` rows, the last of which was `last`; `isCut`: it left some for the next.
    mutating func note(rows: Int, last: Int64, isCut: Bool = false) {
        if rows == stepRows || isCut, last < .max {
            next = last + 1
        } else {
            sources.removeLast()
            next = .min
        }
    }
}

extension StoreConnection {
    /// Takes a purge one step further.
    func advance(_ purge: inout StorePurge) throws(SQLiteError) {
        guard let source = purge.source else { return }
        if purge.end == nil { purge.end = try database.integer("SELECT max(id) FROM entry") }
        let (sql, values) = purge.query(source)
        var (rows, last, bytes) = (0, Int64.min, 0)
        var chosen: [(id: Int64, isAnswer: Bool, key: Int64)] = []
        try Statement(database, sql).forEachRow(values) { row in
            (rows, last) = (rows + 1, row.integer(0))
            guard row.integer(2) != 0 else { return true }
            chosen.append((last, row.integer(1) != 0, row.integer(3)))
            // What a damaged row says of its size is bounded too.
            bytes += Int(clamping: min(max(row.integer(4), 0), Int64(StorePurge.stepBytes)))
            return purge.purge.mode == .dryRun || bytes < StorePurge.stepBytes
        }
        switch purge.purge.mode {
        case .dryRun: break
        case .hard: try delete(chosen.map(\.id))
        case .soft: try soften(chosen.filter(\.isAnswer).map(\.id), at: purge.purge.now)
        }
        for (_, isAnswer, key) in chosen where isAnswer { purge.count.add(row: key) }
        purge.note(rows: rows, last: last, isCut: bytes >= StorePurge.stepBytes)
    }

    private func delete(_ ids: [Int64]) throws(SQLiteError) {
        guard !ids.isEmpty else { return }
        let deleting = try Statement(database, "DELETE FROM entry WHERE id = ?1")
        try change(ids) { (id) throws(SQLiteError) in try deleting.run(.integer(id)) }
    }

    /// The checksum covers the freshness, so each row is read, changed and written. Of its content
    /// the facts alone are written, but SQLite reads the rest to do it. A damaged row goes.
    private func soften(_ ids: [Int64], at now: Int64) throws(SQLiteError) {
        guard !ids.isEmpty else { return }
        let reading = try Statement(database, "SELECT \(EntryRow.columns) FROM entry WHERE id = ?1")
        let deleting = try Statement(database, "DELETE FROM entry WHERE id = ?1")
        let updating = try Statement(
            database,
            """
            UPDATE entry SET fresh_for = ?2, stale_for = ?3, stale_if_error_for = ?4, keep_for = ?5, checksum = ?6
            WHERE id = ?1
            """)
        let readingFacts = try Statement(database, "SELECT facts FROM content WHERE id = ?1")
        let updatingFacts = try Statement(database, "UPDATE content SET facts = ?2 WHERE id = ?1")
        try change(ids) { (id) throws(SQLiteError) in
            guard let row = try reading.firstRow(.integer(id), read: { EntryRow($0) }) else { return }
            guard let (lifetime, checksum) = row.withoutFreshness(at: now) else {
                try deleting.run(.integer(id))
                return
            }
            try updating.run(
                .integer(id), .integer(Int64(lifetime.freshFor)), .integer(Int64(lifetime.staleFor)),
                .integer(Int64(lifetime.staleIfErrorFor)), .integer(Int64(lifetime.keepFor)),
                .integer(Int64(bitPattern: checksum)))
            guard let found = try readingFacts.firstRow(at: id, read: { $0.withBytes(0) { AnswerFacts($0) } }),
                var facts = found
            else { return }
            (facts.lifetime, facts.checksum) = (lifetime, checksum)
            try updatingFacts.run(.integer(id), .blob(facts.bytes[...]))
        }
    }
}
