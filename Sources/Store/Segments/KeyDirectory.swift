import Synchronization

// Where the record of each key lies, in memory: a hit reads one record and no page of the database,
// and a key that the file lacks costs nothing. The database is the truth; this is a copy of its
// index of keys, which the writer keeps equal to it and builds anew when the file is opened.
// Must hold: for keys up to `known` it has exactly the last commit; for the others it has nothing,
// and the database is asked.

final class KeyDirectory: Sendable {
    enum Finding: Equatable {
        case place(Place)
        /// The file has no record of the key.
        case absent
        /// The database is to be asked.
        case unknown
    }

    private final class Shard: Sendable {
        let table = Mutex(PlaceTable())
    }

    private let shards = (0..<KeyDirectory.shardCount).map { _ in Shard() }
    /// Keys beyond it are not known. They are read in their order when a file is opened.
    private let knownThrough = Atomic<Int64>(.min)
    private let count = Atomic<Int>(0)
    /// The most keys that are known; beyond that, half are forgotten.
    private let mostKeys: Int

    /// Shards have locks of their own, and grow alone: moving a table of a million takes 20 ms.
    private static let shardCount = 256
    /// The most that a key takes, in bytes: a table that has just grown is not half full.
    static let bytesPerKey = 37

    init(mostKeys: Int) { self.mostKeys = mostKeys }

    private func shard(_ key: Int64) -> Shard { shards[Int(truncatingIfNeeded: key & 0xFF)] }

    func find(_ key: Int64) -> Finding {
        // `known` is read under the lock: a key that is let go of meanwhile must not look absent.
        let (isKnown, found) = shard(key).table.withLock { table in (key <= known, table[key]) }
        guard isKnown else { return .unknown }
        guard let found else { return .absent }
        return Place(found).map { .place($0) } ?? .unknown
    }

    /// Keys up to this are known; `Int64.max` when all are.
    var known: Int64 { knownThrough.load(ordering: .acquiring) }

    // For the writer, under its lock.

    /// Notes the place that the row of `key` says from now on, below zero where the row has to be
    /// asked; nil where there is none.
    func set(_ key: Int64, _ place: Int64?) {
        guard key <= known else { return }
        let added = shard(key).table.withLock { table in
            let before = table.count
            table[key] = place
            return table.count - before
        }
        let (_, count) = count.wrappingAdd(added, ordering: .relaxed)
        if count > mostKeys { forgetHalf() }
    }

    /// Takes rows in the order of their keys, after which keys up to `last` are known.
    func learn(_ rows: [(key: Int64, place: Int64)], through last: Int64) {
        for row in rows { shard(row.key).table.withLock { $0[row.key] = row.place } }
        count.wrappingAdd(rows.count, ordering: .relaxed)
        knownThrough.store(last, ordering: .releasing)
    }

    /// Whether that many more keys may be learnt.
    func hasRoom(for rows: Int) -> Bool { count.load(ordering: .relaxed) + rows <= mostKeys }

    /// Lets go of the upper half of the keys that are known.
    private func forgetHalf() {
        let half = UInt64(bitPattern: known &- Int64.min) / 2
        let last = Int64.min &+ Int64(bitPattern: half)
        knownThrough.store(last, ordering: .sequentiallyConsistent)
        let kept = shards.reduce(0) { kept, shard in
            kept
                + shard.table.withLock { table in
                    table.keep(through: last)
                    return table.count
                }
        }
        count.store(kept, ordering: .relaxed)
    }

    /// Nothing is known any more.
    func forget() {
        knownThrough.store(.min, ordering: .sequentiallyConsistent)
        count.store(0, ordering: .relaxed)
        for shard in shards { shard.table.withLock { $0 = PlaceTable() } }
    }
}
