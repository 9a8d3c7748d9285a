import HTTP

// The file as one loop has it open: its statements, the view that it keeps, and where it found
// what.
// Must hold: no response comes out that its checksum, which covers the key, does not vouch for.

struct ReaderConnection {
    enum Found {
        case response(StoredResponse)
        case nothing
        /// There is a row of the key, and it is not what was written.
        case damaged
    }

    private struct Statements {
        let selectRow: Statement
        let select: Statement
        let begin: Statement
        let end: Statement

        init(_ database: Database) throws(SQLiteError) {
            selectRow = try Statement(database, ContentRow.select)
            select = try Statement(database, StoredRow.select)
            begin = try Statement(database, "BEGIN")
            end = try Statement(database, "COMMIT")
        }
    }

    private var statements: Statements?
    private var hints = RowHints(rows: 0)
    private var generation = -1
    /// Not before this unix second is opening tried again.
    private var reopenAt = Int64.min
    /// Whether a read transaction is open between two look-ups.
    private var keepsSnapshot = false
    /// The unix second in which it was begun: what others than this process's writer change is seen
    /// in the next.
    private var snapshotBegan = Int64.min

    mutating func find(
        _ key: CacheKey, in store: SQLiteStore, _ current: Int, at now: Int64
    ) throws(SQLiteError) -> Found {
        do throws(SQLiteError) {
            guard let statements = try open(store, current, at: now) else { return .nothing }
            if snapshotBegan != now { endSnapshot() }
            if !keepsSnapshot, store.snapshots.mayBeKept {
                try statements.begin.run()
                keepsSnapshot = true
                snapshotBegan = now
            }
            defer { if !store.snapshots.mayBeKept { endSnapshot() } }
            if let row = hints[key.hash],
                let response = try statements.selectRow.firstRow(
                    at: row, read: { ContentRow.response(for: key, $0, in: store) }),
                let response
            {
                return .response(response)
            }
            return try search(statements, key, in: store)
        } catch {
            endSnapshot()
            if !error.isBusy {
                statements = nil
                reopenAt = now + 1
            }
            throw error
        }
    }

    /// Through the index of keys.
    private mutating func search(
        _ statements: Statements, _ key: CacheKey, in store: SQLiteStore
    ) throws(SQLiteError) -> Found {
        let rows = store.entries
        if hints.isTooSmall(for: rows) { hints = RowHints(rows: rows) }
        let index = SQLiteStore.index(of: key)
        return try statements.select.firstRow(at: index) { row in
            guard StoredRow.key(row).map({ $0 == key }) ?? true, !ContentRow.isUnreadable(row, store.gzip) else {
                return Found.nothing
            }
            guard let response = ContentRow.response(for: key, row, in: store) else { return .damaged }
            hints[key.hash] = StoredRow.id(row)
            return .response(response)
        } ?? .nothing
    }

    mutating func endSnapshot() {
        guard keepsSnapshot else { return }
        keepsSnapshot = false
        // A transaction that cannot be ended goes with its connection.
        do throws(SQLiteError) { try statements?.end.run() } catch { statements = nil }
    }

    /// The statements on the current file; nil while there is none.
    private mutating func open(
        _ store: SQLiteStore, _ current: Int, at now: Int64
    ) throws(SQLiteError) -> Statements? {
        if generation != current {
            statements = nil
            keepsSnapshot = false
            generation = current
            reopenAt = .min
        }
        if let statements { return statements }
        guard current > 0, now >= reopenAt else { return nil }
        let database = try Database(path: store.path, mode: .readOnly, busyTimeout: .zero)
        try database.execute("PRAGMA trusted_schema = OFF; PRAGMA cache_size = -4096")
        statements = try Statements(database)
        hints = RowHints(rows: store.entries)
        return statements
    }
}
