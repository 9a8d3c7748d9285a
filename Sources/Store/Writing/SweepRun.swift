import Purging

// A sweep of the queue and of one file: where its rows are looked for, and how far it has come.
// Must hold: a step looks at a bounded number of rows and changes rows of a bounded size, in the
// order of writing, and none is met twice nor any that came after the first step; single targets
// are found through an index, whatever the file holds, and all else by a look at each row.

struct SweepRun: Sendable {
    /// A place to look for rows that can be among the chosen: a condition on ?2, and its value.
    typealias Source = (condition: String, value: SQLValue)

    private(set) var sweep: Sweep
    /// The end of the freshness of the chosen, unix seconds.
    let now: Int64
    private var sources: [Source]
    /// The least row that has not been looked at in the current source.
    private var next = Int64.min
    /// The last row that was there when the sweep began: while it goes on, rows may be added faster
    /// than it gets on.
    var end: Int64?
    /// The home of the file.
    var home = OriginTag.none
    /// Whether a row was changed.
    private(set) var hasChanged = false

    /// The most rows that a step looks at, and the most that it changes: that takes about a
    /// millisecond, in which its processor does nothing else.
    static let (stepRows, stepChanges) = (512, 64)

    init(_ sweep: Sweep, at now: Int64) {
        (self.sweep, self.now) = (sweep, now)
        sources = Self.sources(sweep)
    }

    /// The sources of all that can be chosen, the narrower the better; taken from the end.
    private static func sources(_ sweep: Sweep) -> [Source] {
        guard let targets = sweep.targets else { return [("?2", .integer(1))] }
        return targets.flatMap { target -> [Source] in
            // The keys of variants cannot be told.
            let variants: Source = ("variant <> '' AND target = ?2", .text(target[...]))
            guard let key = RecordKey(target: target, variant: []) else { return [variants] }
            return [variants, (Self.plainKeys, .integer(key.index))]
        }
    }

    /// The rows of one target without a variant, of all origins: SQLite has no XOR.
    private static let plainKeys = "key IN (SELECT (?2 | number) - (?2 & number) FROM origin)"

    var isDone: Bool { sources.isEmpty }
    var source: Source? { sources.last }

    /// The query of the next step, and its values.
    func query(_ source: Source) -> (sql: String, values: [SQLValue]) {
        let sql = """
            SELECT id, key, target, resources, \(RecordFacts.columns) FROM entry
            WHERE \(source.condition) AND id BETWEEN ?1 AND \(end ?? .max) ORDER BY id LIMIT \(Self.stepRows)
            """
        return (sql, [.integer(next), source.value])
    }

    /// The fate of a record that waits to be written.
    mutating func judge(_ waiting: Record, _ key: Int64) -> PurgeVerdict {
        sweep.judge(waiting.selectable, born: waiting.facts.born, index: key, counts: waiting.facts.isListed)
    }

    /// Operations of these keys waited when it began: their rows were about to go.
    mutating func noteWaiting(_ keys: [Int64]) { sweep.noteMet(keys) }

    /// The fate of a row: one whose facts no record has is damaged, and goes; one whose times are
    /// those of a softened one already stays untouched.
    /// - Parameter soft: the times of a softened one.
    mutating func judge(_ row: Row, _ soft: (RecordFacts) -> RecordFacts.Times) -> PurgeVerdict {
        guard let facts = RecordFacts(row, from: 4, resources: row.words(3)) else { return .gone }
        let key = row.integer(1).relative(to: home)
        let verdict = sweep.judge(
            SelectableRecord(target: row.bytes(2)[...], facts: facts), born: facts.born, index: key,
            counts: facts.isListed, isOnDisk: true)
        return verdict == .stale && soft(facts) == facts.times ? .untouched : verdict
    }

    /// A step met `rows` rows, the last of which was `last`, and changed some of these.
    /// - Parameter isCut: whether there may be more in the source.
    mutating func note(last: Int64, isCut: Bool, changed: Bool) {
        if changed { hasChanged = true }
        if isCut, last < .max {
            next = last + 1
        } else {
            sources.removeLast()
            next = .min
        }
    }
}

extension WriterConnection {
    /// Takes a sweep one step further; the rows that it looked at.
    @discardableResult
    func advance(_ run: inout SweepRun, _ owner: any RecordOwner) throws(SQLiteError) -> Int {
        guard let source = run.source else { return 0 }
        if run.end == nil { run.end = try database.integer("SELECT max(id) FROM entry") }
        run.home = home
        let (sql, values) = run.query(source)
        var (rows, last) = (0, Int64.min)
        var (gone, stale): ([Int64], [Int64]) = ([], [])
        // Where the rows cannot be changed, these have not been judged.
        var judged = run
        let now = run.now
        let soft = { (facts: RecordFacts) in facts.isListed ? owner.aged(facts, at: now) : facts.times }
        try Statement(database, sql).forEachRow(values) { row in
            (rows, last) = (rows + 1, row.integer(0))
            switch judged.judge(row, soft) {
            case .untouched: break
            case .gone: gone.append(last)
            case .stale: stale.append(last)
            }
            return gone.count + stale.count < SweepRun.stepChanges
        }
        try delete(gone)
        try soften(stale, soft)
        let changes = gone.count + stale.count
        judged.note(
            last: last, isCut: rows == SweepRun.stepRows || changes == SweepRun.stepChanges, changed: changes > 0)
        run = judged
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
