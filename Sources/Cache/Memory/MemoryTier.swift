import EventLoop
import Purging
import Store
import Synchronization

// The memory tier: shards of `MemoryShard`, each with its own lock, chosen by the low bits of the
// key's hash. Must hold: no response is freed and nothing is computed from one while a lock is
// held; the sum over the shards never exceeds `maxBytes`.

/// Wire-ready answers in memory, bounded in bytes with overhead, evicted by SIEVE. Used from any
/// thread.
public final class MemoryTier: Sendable {
    private final class Shard: Sendable {
        let entries: Mutex<MemoryShard>
        init(maxBytes: Int) { entries = Mutex(MemoryShard(maxBytes: maxBytes)) }
    }

    private let shards: [Shard]
    public let maxBytes: Int
    /// No larger response is kept.
    public var maxResponseBytes: Int { maxBytes / shards.count }

    /// A tier of at most `maxBytes`; 0 keeps nothing. A response larger than one shard's part, 8
    /// MiB or more unless the tier is smaller than that, is not kept in memory.
    public convenience init(maxBytes: Int) {
        var shardCount = 1
        while shardCount < 16, maxBytes / (shardCount * 2) >= 8 << 20 { shardCount *= 2 }
        self.init(maxBytes: maxBytes, shardCount: shardCount)
    }

    /// `shardCount` is a power of two.
    init(maxBytes: Int, shardCount: Int) {
        precondition(shardCount.nonzeroBitCount == 1, "a power of two")
        self.maxBytes = max(maxBytes, 0)
        shards = (0..<shardCount).map { _ in Shard(maxBytes: max(maxBytes, 0) / shardCount) }
    }

    /// The entry of this key, whatever its freshness. Does not allocate.
    public func lookup(_ key: borrowing CacheKey) -> StoredResponse? {
        shard(key.hash).entries.withLock { $0.lookup(key) }
    }

    /// The entry of this key, without counting as a use.
    func peek(_ key: borrowing CacheKey) -> StoredResponse? {
        shard(key.hash).entries.withLock { $0.peek(key) }
    }

    /// Stores `response` in place of the entry of its key, and returns that.
    @discardableResult
    public func store(_ response: StoredResponse) -> StoredResponse? {
        var released: [StoredResponse] = []
        return store(response, released: &released)
    }

    /// Stores for a caller that holds a lock: entries that have to go are appended to `released`.
    @discardableResult
    func store(_ response: StoredResponse, released: inout [StoredResponse]) -> StoredResponse? {
        shard(response.key.hash).entries.withLock { $0.store(response, replacing: true, released: &released) }
    }

    /// Stores `response` unless its key has an entry: an answer read from disk is never newer.
    func storeIfAbsent(_ response: StoredResponse) {
        var released: [StoredResponse] = []
        _ = shard(response.key.hash).entries.withLock { entries in
            entries.store(response, replacing: false, released: &released)
        }
    }

    /// Removes the entry of this key.
    func remove(_ key: borrowing CacheKey) {
        var released: [StoredResponse] = []
        shard(key.hash).entries.withLock { $0.remove(key, released: &released) }
    }

    /// Removes `response`, or its copy with an outline or a form, unless its key has another entry
    /// by now.
    func remove(_ response: StoredResponse) {
        var released: [StoredResponse] = []
        remove(response.key, released: &released) { $0.isCopy(of: response) }
    }

    /// Removes the entry of this key if `condition`, which runs under the lock, holds for it; it is
    /// appended to `released`.
    func remove(
        _ key: borrowing CacheKey, released: inout [StoredResponse], where condition: (StoredResponse) -> Bool
    ) {
        shard(key.hash).entries.withLock { $0.remove(key, released: &released, where: condition) }
    }

    /// Removes all entries of these scopes. Takes as long as looking at every entry: not for a
    /// loop.
    func remove(_ scopes: Set<CacheKey.Scope>) {
        forEachResponse { if scopes.contains($0.key.scope) { remove($0) } }
    }

    /// Calls `body` with all entries that were there all along, whatever else is done to the tier
    /// meanwhile, and under no lock; `betweenPieces` between some hundred entries and the next.
    func forEachResponse(betweenPieces: () -> Void = {}, _ body: (StoredResponse) -> Void) {
        for shard in shards {
            var node: Int? = 0
            while let start = node {
                let piece = shard.entries.withLock { $0.responses(from: start, count: Self.pieceCount) }
                piece.responses.forEach(body)
                node = piece.next
                if !piece.responses.isEmpty { betweenPieces() }
            }
        }
    }

    /// Nodes looked at in one turn of a shard's lock: some ten microseconds.
    static let pieceCount = 256

    /// Entries, variant indexes and composed answers included.
    public var count: Int { shards.reduce(0) { $0 + $1.entries.withLock { $0.count } } }
    /// Entries that had to make room for others, since the start.
    public var evicted: Int { shards.reduce(0) { $0 + $1.entries.withLock { $0.evicted } } }
    /// Bytes held, overhead included.
    public var byteCount: Int { shards.reduce(0) { $0 + $1.entries.withLock { $0.byteCount } } }

    /// Puts a copy of `response` that has an outline or a form more in its place, if it is there
    /// and there is room for that.
    func attach(_ copy: StoredResponse, to response: StoredResponse) {
        var released: [StoredResponse] = []
        shard(response.key.hash).entries.withLock { entries in
            guard copy.byteCount <= entries.maxBytes else { return }
            entries.replace(response, with: copy, released: &released) { $0 === response }
        }
    }

    func replace(_ old: StoredResponse, with new: StoredResponse) {
        var released: [StoredResponse] = []
        shard(old.key.hash).entries.withLock { entries in
            entries.replace(old, with: new, released: &released) { $0.isCopy(of: old) }
        }
    }

    private func shard(_ hash: UInt64) -> Shard {
        shards[Int(truncatingIfNeeded: hash) & (shards.count - 1)]
    }
}
