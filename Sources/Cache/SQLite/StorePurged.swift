// The targets that purges chose, for the process after this one (`PurgedTargets`).
// Must hold: a purge has ended only once they are written; who opens the file knows of them before
// anything in it is found.

extension SQLiteStore {
    /// Writes down what a purge chose that has gone through the file; false where that failed.
    func remember(_ purge: Purge) -> Bool {
        guard let mark = PurgedTargets.Mark(purge) else { return true }
        var isWritten = false
        writer.withLock {
            $0.write(for: self) { (connection) throws(SQLiteError) in
                try connection.remember(mark, forgottenUntil: purgedTargets.forgottenUntil)
                isWritten = true
            }
        }
        return isWritten
    }
}

extension StoreConnection {
    /// What is to be written and to be known before the file is used.
    func begin(_ classNames: [String], for store: SQLiteStore) throws(SQLiteError) {
        try write(classNames: classNames)
        try Statement(database, "SELECT target, at FROM purged ORDER BY at").forEachRow([]) { row in
            store.purgedTargets.note(PurgedTargets.Mark(target: Array(row.text(0).utf8), at: row.integer(1)))
            return true
        }
    }

    /// - Parameter forgottenUntil: counts for all targets.
    fileprivate func remember(_ mark: PurgedTargets.Mark, forgottenUntil: Int64) throws(SQLiteError) {
        let select = try Statement(database, "SELECT at FROM purged WHERE target = ''")
        let known = try select.firstRow { $0.integer(0) } ?? .min
        var marks = [mark]
        if forgottenUntil > known { marks.append(PurgedTargets.Mark(target: [], at: forgottenUntil)) }
        let insert = try Statement(
            database,
            "INSERT INTO purged (target, at) VALUES (?1, ?2) ON CONFLICT DO UPDATE SET at = max(at, excluded.at)")
        let remove = try Statement(database, "DELETE FROM purged WHERE target <> '' AND at <= ?1")
        try change(marks) { (mark) throws(SQLiteError) in
            try insert.run(.text(mark.target[...]), .integer(mark.at))
            // What counts for all need not be said of each.
            if mark.target.isEmpty { try remove.run(.integer(mark.at)) }
        }
    }
}
