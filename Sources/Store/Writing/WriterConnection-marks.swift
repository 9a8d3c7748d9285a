import CSQLite

// Marks that the file keeps besides the records: facts that must agree with them, the forms of
// request in which no answers are built for a while, and the purges by which answers are judged.
// Must hold: no loop waits for the disk; a fact or rest is written after the operations queued
// before it, so that no crash leaves it there without them, and a purge before those after it and
// before facts; marks that wait are bounded, and one of a key is the latest.

extension StoreMark.Table {
    fileprivate var insertion: String {
        switch self {
        case .fact: "INSERT INTO fact (name, value) VALUES (?1, ?2) ON CONFLICT DO UPDATE SET value = excluded.value"
        case .rest:
            """
            INSERT INTO rest (target, until, origin) VALUES (?1, ?2, ?3)
              ON CONFLICT DO UPDATE SET until = excluded.until
            """
        // A floor that is raised again goes to the end of the table.
        case .floor:
            """
            INSERT OR REPLACE INTO floor (number, at, origin) VALUES
              (?1, max(?2, coalesce((SELECT at FROM floor WHERE number = ?1 AND origin = ?3), 0)), ?3)
            """
        // The number of an earlier one of the same words is not needed any more.
        case .purge: "INSERT OR REPLACE INTO purge (words, number, mode, at) VALUES (?1, ?2, ?3, ?4)"
        }
    }

    fileprivate var selection: String {
        switch self {
        case .fact: "SELECT name, value FROM fact ORDER BY name"
        case .rest: "SELECT target, until, origin FROM rest ORDER BY until"
        case .floor: "SELECT number, at, origin FROM floor ORDER BY id"
        case .purge: "SELECT words, number, mode FROM purge ORDER BY number"
        }
    }
}

extension WriterConnection {
    /// Writes marks, and removes those that count no longer. `now` in unix seconds.
    func write(_ marks: [StoreMark], at now: Int64) throws(SQLiteError) {
        guard !marks.isEmpty else { return }
        if marks.contains(where: { $0.table == .rest }) {
            try change("DELETE FROM rest WHERE until <= ?1", now)
        }
        for table in StoreMark.Table.allCases {
            let rows = marks.filter { $0.table == table }
            guard !rows.isEmpty else { continue }
            let insert = try Statement(database, table.insertion)
            try change(rows) { (mark) throws(SQLiteError) in
                switch mark.value {
                case .time(let time):
                    let origin = mark.origin.relative(to: home)
                    try insert.run(.text(mark.key[...]), .integer(time), .integer(origin.number))
                case .text(let text): try insert.run(.text(mark.key[...]), .text(Array(text.utf8)[...]))
                case .purge(let number, let effect): try write(number, effect, mark.key, insert, at: now)
                }
            }
        }
        if marks.contains(where: { $0.table == .floor }) {
            try change(
                "DELETE FROM floor WHERE id <= (SELECT id FROM floor ORDER BY id DESC LIMIT 1 OFFSET ?1)",
                Self.mostFloors)
        }
    }

    /// Beyond these the floors go that were raised the longest ago. Some 4 MiB.
    private static let mostFloors: Int64 = 1 << 16

    /// Writes a purge, which comes after all that are there, and removes those to which nothing is
    /// left to do after it; within a transaction.
    private func write(
        _ number: Int64, _ effect: StoreMark.PurgeEffect, _ words: [UInt8], _ insert: Statement, at now: Int64
    ) throws(SQLiteError) {
        let obsolete: String? =
            switch effect {
            case .forgotten: "number <= ?1 AND mode <> 'swept'"
            case .hard where words.isEmpty: "number < ?1 AND mode IN ('hard', 'soft')"
            case .soft where words.isEmpty: "number < ?1 AND mode = 'soft'"
            case .hard, .soft, .swept: nil
            }
        if let obsolete { try Statement(database, "DELETE FROM purge WHERE " + obsolete).run(.integer(number)) }
        try insert.run(.text(words[...]), .integer(number), .text(Array(effect.rawValue.utf8)[...]), .integer(now))
    }

    /// Ends rests in the future, and lowers floors there: the clock was ahead.
    func capMarks(at now: Int64) throws(SQLiteError) {
        try change("UPDATE rest SET until = ?1 WHERE until > ?1", now + Self.longestRest)
        try change("UPDATE floor SET at = ?1 WHERE at > ?1 + \(ClockStep.adjustment)", now)
    }

    /// A form rests for as long as an answer of its class is fresh: longer than that hardly any is.
    private static let longestRest: Int64 = 7 * 86_400

    private func change(_ sql: String, _ value: Int64) throws(SQLiteError) {
        let statement = try Statement(database, sql)
        try change([value]) { (value) throws(SQLiteError) in try statement.run(.integer(value)) }
    }
}

extension Database {
    /// The marks of a table: facts by name, rests and floors by their times, purges by number.
    func marks(_ table: StoreMark.Table) throws(SQLiteError) -> [StoreMark] {
        var (found, isPlausible): ([StoreMark], Bool) = ([], true)
        let home = table == .rest || table == .floor ? try home : .none
        try Statement(self, table.selection).forEachRow([]) { row in
            switch table {
            case .fact: found.append(StoreMark(table: .fact, key: row.bytes(0), value: .text(row.text(1))))
            case .rest, .floor:
                var mark = StoreMark(table: table, key: row.bytes(0), value: .time(row.integer(1)))
                mark.origin = OriginTag(number: row.integer(2)).relative(to: home)
                found.append(mark)
            case .purge:
                // A mode of a later version is not understood: the purge counts for everything.
                let effect = StoreMark.PurgeEffect(rawValue: row.text(2)) ?? .forgotten
                found.append(StoreMark(purge: row.integer(1), effect, words: row.bytes(0)))
                isPlausible = 1...Self.mostPurges ~= row.integer(1)
            }
            return isPlausible
        }
        guard isPlausible else { throw SQLiteError(code: SQLITE_CORRUPT, message: "a purge has an impossible number") }
        return found
    }

    /// No process comes that far.
    private static let mostPurges: Int64 = 1 << 60
}
