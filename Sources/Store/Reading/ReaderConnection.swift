// The database as one loop has it open, for keys that the directory does not know.
// Must hold: no record comes out whose checksum, which covers the key, does not match.

struct ReaderConnection {
    private var select: Statement?
    private var generation = -1
    /// Unix second before which opening is not tried again.
    private var reopenAt = Int64.min

    /// `index` is the key's, `current` the generation of the file that is open now; `place` is set
    /// to where the record is that is looked at.
    mutating func find(
        _ key: RecordKey, _ index: Int64, in shared: SharedState, _ current: Int, at now: Int64, _ place: inout Place?
    ) throws(SQLiteError) -> RecordRow.Found {
        do throws(SQLiteError) {
            guard let select = try open(shared, current, at: now) else { return .missing }
            // A record that was moved since its row was read is where the row says now.
            for isLast in [false, true] {
                guard let row = try select.firstRow(.integer(index), read: RecordRow.init) else { return .missing }
                if let found = row.key, found != key { return .missing }
                place = row.place
                let found = try shared.record(of: row)
                guard case .missing = found else { return found }
                if isLast { return .damaged }
            }
            return .missing
        } catch {
            if !error.isBusy {
                select = nil
                reopenAt = now + 1
            }
            throw error
        }
    }

    /// The statement on the current file; nil while there is none, or one with another home.
    private mutating func open(_ shared: SharedState, _ current: Int, at now: Int64) throws(SQLiteError) -> Statement? {
        if generation != current {
            select = nil
            generation = current
            reopenAt = .min
        }
        if let select { return select }
        guard current > 0, now >= reopenAt else { return nil }
        let database = try Database(reading: shared.path)
        guard try database.home == shared.home else {
            reopenAt = now + 1
            return nil
        }
        select = try Statement(database, RecordRow.select)
        return select
    }
}
