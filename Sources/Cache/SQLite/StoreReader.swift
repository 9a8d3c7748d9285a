// One loop's reader: its own connection, one prepared statement.
// Must hold: confined to its loop; a look-up never waits for the writer or another process (WAL; no busy timeout) and is a
// miss on any trouble; nothing comes out that the checksum does not vouch for.

/// Looks responses up on disk. Confined to the loop that made it.
public final class StoreReader {
    private let store: SQLiteStore
    private var select: Statement?
    private var generation = -1
    /// Not before this unix second is opening tried again.
    private var reopenAt = Int64.min

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

    private func row(_ index: Int64, at now: Int64) -> StoredRow? {
        do throws(SQLiteError) {
            return try statement(at: now)?.firstRow(.integer(index)) { StoredRow($0) }
        } catch {
            store.counters.withLock { $0.failedReads += 1 }
            if error.isDamage { store.reportDamage("\(error)", generation: generation) }
            if !error.isBusy {
                select = nil
                reopenAt = now + 1
            }
            return nil
        }
    }

    /// The statement on the current file; nil while there is none.
    private func statement(at now: Int64) throws(SQLiteError) -> Statement? {
        let current = store.generation.load(ordering: .acquiring)
        if generation != current {
            select = nil
            generation = current
            reopenAt = .min
        }
        if let select { return select }
        guard current > 0, now >= reopenAt else { return nil }
        let database = try Database(path: store.path, mode: .readOnly, busyTimeout: .zero)
        try database.execute("PRAGMA trusted_schema = OFF; PRAGMA cache_size = -4096")
        select = try Statement(database, StoredRow.select)
        return select
    }
}
