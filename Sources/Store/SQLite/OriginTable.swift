import CSQLite

/// Table `origin` of a file: the upstreams that gave its records.
struct OriginTable {
    /// The origin whose records have the number 0.
    let home: Origin
    /// The origins with records, home first.
    let shares: [OriginRows]
    /// The names of all origins that the table has.
    let names: [OriginTag: String]

    /// Throws damage where a name and its number disagree: its records would be taken for those of
    /// another origin.
    init(_ database: Database) throws(SQLiteError) {
        var rows: [(number: Int64, share: OriginRows)] = []
        let select = try Statement(database, "SELECT number, name, entries FROM origin ORDER BY number <> 0, name")
        try select.forEachRow([]) { row in
            rows.append((row.integer(0), OriginRows(name: row.text(1), entries: Int(row.integer(2)))))
            return true
        }
        let home = Origin(name: rows.first?.share.name ?? "")
        let tags = rows.map { OriginTag(number: $0.number).relative(to: home.tag) }
        let agree = zip(rows, tags).allSatisfy { $0.share.name.isEmpty || Origin(name: $0.share.name).tag == $1 }
        guard rows.first?.number == 0, agree else {
            throw SQLiteError(code: SQLITE_CORRUPT, message: "the origins of its answers are damaged")
        }
        self.home = home
        shares = rows.map(\.share).filter { $0.entries > 0 }
        names = Dictionary(uniqueKeysWithValues: zip(tags, rows.map(\.share.name)))
    }
}

extension Database {
    /// The home of the file, to which keys and origins of its rows are relative. It is read from
    /// the database that has the rows: another process may have put another file in its place.
    var home: OriginTag { get throws(SQLiteError) { try OriginTable(self).home.tag } }
}
