// Marks that the file keeps besides the records: facts that must agree with them, the forms of
// request in which no answers are built for a while, and the targets that purges chose.
// Must hold: no loop waits for the disk; a mark is written after the operations queued before it,
// so that no crash leaves it there without them; a fact also waits for all purges of the file;
// marks that wait are bounded, and one of a key is the latest.

extension StoreMark.Table {
    fileprivate var name: (table: String, key: String, value: String) {
        switch self {
        case .fact: ("fact", "name", "value")
        case .rest: ("rest", "target", "until")
        case .purged: ("purged", "target", "at")
        }
    }
}

extension WriterConnection {
    /// Writes marks, and removes those that count no longer. `now` in unix seconds.
    func write(_ marks: [StoreMark], at now: Int64) throws(SQLiteError) {
        guard !marks.isEmpty else { return }
        if marks.contains(where: { $0.table == .rest }) {
            try change("DELETE FROM rest WHERE until <= ?1", until: now)
        }
        for table in StoreMark.Table.allCases {
            let rows = marks.filter { $0.table == table }
            guard !rows.isEmpty else { continue }
            let (name, key, value) = table.name
            // Purges come in any order, and the latest counts.
            let kept = table == .purged ? "max(\(value), excluded.\(value))" : "excluded.\(value)"
            let insert = try Statement(
                database,
                "INSERT INTO \(name) (\(key), \(value)) VALUES (?1, ?2) ON CONFLICT DO UPDATE SET \(value) = \(kept)")
            try change(rows) { (mark) throws(SQLiteError) in
                switch mark.value {
                case .time(let time): try insert.run(.text(mark.key[...]), .integer(time))
                case .text(let text): try insert.run(.text(mark.key[...]), .text(Array(text.utf8)[...]))
                }
            }
        }
        // A purge that counts for all targets need not be noted with each.
        for case .time(let time) in marks.filter({ $0.table == .purged && $0.key.isEmpty }).map(\.value) {
            try change("DELETE FROM purged WHERE target <> '' AND at <= ?1", until: time)
        }
    }

    /// A purge of everything at `time` has ended: nothing that was purged before is left, so those
    /// marks need not be later by the lag of the clock.
    func endLag(_ seconds: Int64, until time: Int64) throws(SQLiteError) {
        try change("UPDATE purged SET at = ?1 WHERE at > ?1 AND at <= ?1 + \(seconds)", until: time)
    }

    /// Ends times in the future: the clock was ahead. Those of purges count up to `purges`.
    func capMarks(at now: Int64, purges: Int64) throws(SQLiteError) {
        try change("UPDATE purged SET at = ?1 WHERE at > ?1", until: purges)
        try change("UPDATE rest SET until = ?1 WHERE until > ?1", until: now + Self.longestRest)
    }

    /// A form rests for as long as an answer of its class is fresh: longer than that hardly any is.
    private static let longestRest: Int64 = 7 * 86_400

    private func change(_ sql: String, until time: Int64) throws(SQLiteError) {
        let statement = try Statement(database, sql)
        try change([time]) { (time) throws(SQLiteError) in try statement.run(.integer(time)) }
    }
}

extension Database {
    /// The marks of a table, the least value first.
    func marks(_ table: StoreMark.Table) throws(SQLiteError) -> [StoreMark] {
        let (name, key, value) = table.name
        var found: [StoreMark] = []
        try Statement(self, "SELECT \(key), \(value) FROM \(name) ORDER BY \(value)").forEachRow([]) { row in
            let value: StoreMark.Value = table == .fact ? .text(row.text(1)) : .time(row.integer(1))
            found.append(StoreMark(table: table, key: row.bytes(0), value: value))
            return true
        }
        return found
    }
}
