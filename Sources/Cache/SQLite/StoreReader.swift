import Synchronization

// One loop's reader of the file: what is about to be written comes first, then what the directory
// knows, then the database.
// Must hold: a look-up never waits for the disk's writing or another process (WAL; no busy timeout)
// and is a miss on any trouble; nothing comes out that the checksum does not vouch for.

/// Looks responses up on disk. For the loop that made it.
public final class StoreReader: Sendable {
    private let store: SQLiteStore
    private let connection = Mutex(ReaderConnection())
    private let recent = Mutex(RecentIndices())

    init(store: SQLiteStore) {
        self.store = store
    }

    /// The stored response of `key`, whatever its freshness; nil where there is none, it is
    /// damaged, or the disk fails. `now` in unix seconds paces attempts to open a file that cannot
    /// be opened.
    public func lookup(_ key: CacheKey, at now: Int64) -> StoredResponse? {
        guard !key.isPersonal else { return nil }
        let index = index(of: key)
        switch store.shared.pending.withLock({ $0.operation(index) }) {
        case .store(let response): return response.key == key ? response : nil
        case .remove: return nil
        case nil: break
        }
        let generation = store.shared.generation.load(ordering: .acquiring)
        guard generation > 0 else { return nil }
        var place: Place?
        do throws(SQLiteError) {
            return try find(key, index, generation, at: now, &place).flatMap { store.shared.owed.applied(to: $0) }
        } catch {
            store.noteFailedRead(error, generation: generation, at: place)
            return nil
        }
    }

    /// The integer that finds the row of `key`, which it may have looked for a moment ago.
    func index(of key: CacheKey) -> Int64 { recent.withLock { $0.index(of: key) } }

    /// - Parameter place: where the last record is that was looked at.
    private func find(
        _ key: CacheKey, _ index: Int64, _ generation: Int, at now: Int64, _ place: inout Place?
    ) throws(SQLiteError) -> StoredResponse? {
        switch store.shared.directory.find(index) {
        case .absent: return nil
        case .unknown: break
        case .place(let known):
            place = known
            let content = try store.shared.segments.read(known) { store.content(for: key, $0) }
            if case .response(let response) = content { return response }
        // Moved, another key's, or damaged: the row tells.
        }
        let found = try connection.withLock { (connection) throws(SQLiteError) in
            try connection.find(key, index, in: store, generation, at: now, &place)
        }
        switch found {
        case .response(let response): return response
        case .nothing: return nil
        case .damaged:
            store.removeDamaged(key)
            return nil
        }
    }
}
