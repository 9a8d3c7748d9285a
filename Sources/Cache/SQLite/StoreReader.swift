import Synchronization

// One loop's reader of the file: what is about to be written comes first, then its own connection.
// Must hold: a look-up never waits for the disk's writing or another process (WAL; no busy timeout)
// and is a miss on any trouble; nothing comes out that the checksum does not vouch for. Its lock is
// its loop's but for moments in which the writer ends the view of the file that it keeps
// (`ReaderSnapshots`).

/// Looks responses up on disk. For the loop that made it.
public final class StoreReader: Sendable {
    private let store: SQLiteStore
    private let connection = Mutex(ReaderConnection())

    init(store: SQLiteStore) {
        self.store = store
    }

    /// The stored response of `key`, whatever its freshness; nil where there is none, it is
    /// damaged, or the disk fails. `now` in unix seconds paces attempts to open a file that cannot
    /// be opened.
    public func lookup(_ key: CacheKey, at now: Int64) -> StoredResponse? {
        guard !key.isPersonal else { return nil }
        if store.pending.withLock({ $0.hasOperations }) {
            let index = SQLiteStore.index(of: key)
            switch store.pending.withLock({ $0.operation(index) }) {
            case .store(let response): return response.key == key ? response : nil
            case .remove(let removed, _): if removed == key { return nil }
            case nil: break
            }
        }
        switch find(key, at: now) {
        case .response(let response): return response
        case .nothing: return nil
        case .damaged:
            store.removeDamaged(key)
            return nil
        }
    }

    /// Ends the view of the file that it may have kept.
    func endSnapshot() {
        connection.withLock { $0.endSnapshot() }
    }

    private func find(_ key: CacheKey, at now: Int64) -> ReaderConnection.Found {
        let generation = store.generation.load(ordering: .acquiring)
        do throws(SQLiteError) {
            return try connection.withLock { (connection) throws(SQLiteError) in
                try connection.find(key, in: store, generation, at: now)
            }
        } catch {
            store.counters.withLock { $0.failedReads += 1 }
            if error.isDamage { store.reportDamage("\(error)", generation: generation) }
            return .nothing
        }
    }
}
