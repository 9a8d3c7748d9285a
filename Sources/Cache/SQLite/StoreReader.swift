import Synchronization

// One loop's reader: its own connection, one prepared statement.
// Must hold: a look-up never waits for the disk's writing or another process (WAL; no busy timeout) and is a miss on any
// trouble; nothing comes out that the checksum does not vouch for. Its lock is its loop's but for moments in which the writer
// ends the view of the file that it keeps (`ReaderSnapshots`).

/// Looks responses up on disk. For the loop that made it.
public final class StoreReader: Sendable {
    private let store: SQLiteStore
    private let connection = Mutex(ReaderConnection())

    init(store: SQLiteStore) {
        self.store = store
    }

    /// The stored response of `key`, whatever its freshness; nil where there is none, it is damaged, or the disk fails.
    /// `now` in unix seconds paces attempts to open a file that cannot be opened.
    public func lookup(_ key: CacheKey, at now: Int64) -> StoredResponse? {
        guard !key.isPersonal else { return nil }
        let index = SQLiteStore.index(of: key)
        if let operation = store.pending.withLock({ $0.operation(index) }) {
            switch operation {
            case .store(let response): return response.key == key ? response : nil
            case .remove(let removed, _): if removed == key { return nil }
            }
        }
        guard let row = row(index, at: now), row.belongs(to: key) else { return nil }
        if let response = row.response(for: key) { return response }
        store.counters.withLock { $0.damaged += 1 }
        store.remove(key)
        return nil
    }

    /// Ends the view of the file that it may have kept.
    func endSnapshot() {
        connection.withLock { $0.endSnapshot() }
    }

    private func row(_ index: Int64, at now: Int64) -> StoredRow? {
        let generation = store.generation.load(ordering: .acquiring)
        do throws(SQLiteError) {
            return try connection.withLock { (connection) throws(SQLiteError) in
                try connection.row(index, of: store, generation, at: now)
            }
        } catch {
            store.counters.withLock { $0.failedReads += 1 }
            if error.isDamage { store.reportDamage("\(error)", generation: generation) }
            return nil
        }
    }
}

/// The file as one loop has it open.
private struct ReaderConnection {
    private struct Statements {
        let select: Statement
        let begin: Statement
        let end: Statement

        init(_ database: Database) throws(SQLiteError) {
            select = try Statement(database, StoredRow.select)
            begin = try Statement(database, "BEGIN")
            end = try Statement(database, "COMMIT")
        }
    }

    private var statements: Statements?
    private var generation = -1
    /// Not before this unix second is opening tried again.
    private var reopenAt = Int64.min
    /// Whether a read transaction is open between two look-ups.
    private var keepsSnapshot = false

    mutating func row(
        _ index: Int64, of store: SQLiteStore, _ current: Int, at now: Int64
    ) throws(SQLiteError) -> StoredRow? {
        do throws(SQLiteError) {
            guard let statements = try open(store, current, at: now) else { return nil }
            if !keepsSnapshot, store.snapshots.mayBeKept {
                try statements.begin.run()
                keepsSnapshot = true
            }
            defer { if !store.snapshots.mayBeKept { endSnapshot() } }
            return try statements.select.firstRow(.integer(index)) { StoredRow($0) }
        } catch {
            endSnapshot()
            if !error.isBusy {
                statements = nil
                reopenAt = now + 1
            }
            throw error
        }
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
        return statements
    }
}
