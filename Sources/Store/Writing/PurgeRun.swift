import Purging

// A purge of one file: where its rows are looked for, and how far it has come. Another one begins
// whenever a file is opened.
// Must hold: a step looks at a bounded number of rows and changes rows of a bounded size, in the
// order of writing, and none is met twice nor any that came after the first step; a purge by target
// goes through an index, whatever the file holds, and any other through all rows.

struct PurgeRun: Sendable {
    /// Where rows that can be among the chosen are found: a condition on ?2, and its value.
    typealias Source = (condition: String, value: SQLValue)

    let purge: Purge
    /// The answers that were chosen in memory and in the queue.
    private let found: PurgeCount
    var count: PurgeCount
    private var sources: [Source]
    /// The least row that has not been looked at in the current source.
    private var next = Int64.min
    /// The last row that was there when the purge began: while it goes on, rows may be added faster
    /// than it gets on.
    var end: Int64?

    init(_ purge: Purge, _ found: PurgeCount) {
        self.purge = purge
        (self.found, count) = (found, found)
        sources = Self.sources(purge.selection)
    }

    /// The same purge of another file.
    var begunAnew: PurgeRun { PurgeRun(purge, found) }

    /// Where all that can be chosen is found, the narrower the better; taken from the end.
    private static func sources(_ selection: EntrySelection) -> [Source] {
        for case .target(let target) in selection.conditions {
            // The keys of variants cannot be told.
            let variants: Source = ("variant <> '' AND target = ?2", .text(target[...]))
            guard let key = RecordKey(target: target, variant: []) else { return [variants] }
            return [variants, ("key = ?2", .integer(key.index))]
        }
        return [("?2", .integer(1))]
    }

    var isDone: Bool { sources.isEmpty }
    var source: Source? { sources.last }

    /// The rows that one step looks at. Counting changes nothing, so it may take larger ones. A
    /// step that changes rows takes about a millisecond: until it is over, its processor does
    /// nothing else.
    var stepRows: Int { purge.isCount ? 1_024 : 64 }

    /// The query of the next step: row, whether it is listed, whether it is chosen, its key; and
    /// the query's values.
    func query(_ source: Source) -> (sql: String, values: [SQLValue]) {
        let (condition, values) = purge.selection.condition(from: 3)
        let sql = """
            SELECT id, selecting = '', \(condition), key FROM entry
            WHERE \(source.condition) AND id BETWEEN ?1 AND \(end ?? .max) ORDER BY id LIMIT \(stepRows)
            """
        return (sql, [.integer(next), source.value] + values)
    }

    /// A step met `rows` rows, the last of which was `last`.
    mutating func note(rows: Int, last: Int64) {
        if rows == stepRows, last < .max {
            next = last + 1
        } else {
            sources.removeLast()
            next = .min
        }
    }
}

extension WriterConnection {
    /// Takes a purge one step further; the rows that it looked at.
    @discardableResult
    func advance(_ purge: inout PurgeRun, _ owner: any RecordOwner) throws(SQLiteError) -> Int {
        guard let source = purge.source else { return 0 }
        if purge.end == nil { purge.end = try database.integer("SELECT max(id) FROM entry") }
        let (sql, values) = purge.query(source)
        var (rows, last) = (0, Int64.min)
        var chosen: [(id: Int64, isListed: Bool, key: Int64)] = []
        try Statement(database, sql).forEachRow(values) { row in
            (rows, last) = (rows + 1, row.integer(0))
            guard row.integer(2) != 0 else { return true }
            chosen.append((last, row.integer(1) != 0, row.integer(3)))
            return true
        }
        switch purge.purge.mode {
        case .dryRun: break
        case .hard: try delete(chosen.map(\.id))
        case .soft:
            let now = purge.purge.now
            try soften(chosen.filter(\.isListed).map(\.id)) { owner.aged($0, at: now) }
        }
        for (_, isListed, key) in chosen where isListed { purge.count.add(row: key) }
        purge.note(rows: rows, last: last)
        return rows
    }

    /// The checksum covers the freshness, so each row is read, changed and written; its record
    /// stays as it is, and its place says so. A damaged row goes.
    private func soften(_ ids: [Int64], _ age: (RecordFacts) -> RecordFacts.Times) throws(SQLiteError) {
        guard !ids.isEmpty else { return }
        let reading = try Statement(database, RecordRow.selectNumber)
        let updating = try Statement(
            database,
            """
            UPDATE entry SET fresh_for = ?2, stale_for = ?3, stale_if_error_for = ?4, keep_for = ?5, checksum = ?6,
              place = -abs(place)
            WHERE id = ?1 RETURNING key, place
            """)
        try change(ids) { (id) throws(SQLiteError) in
            guard let row = try reading.firstRow(.integer(id), read: RecordRow.init) else { return }
            guard let facts = row.facts(age) else { return try transactions.delete(id) }
            let values: [SQLValue] = [
                .integer(id), .integer(Int64(facts.times.freshFor)), .integer(Int64(facts.times.staleFor)),
                .integer(Int64(facts.times.staleIfErrorFor)), .integer(Int64(facts.times.keepFor)),
                .integer(Int64(bitPattern: facts.checksum)),
            ]
            try updating.forEachRow(values) { row in
                ledger.move(row.integer(0), from: row.integer(1), to: row.integer(1))
                return true
            }
        }
    }
}
