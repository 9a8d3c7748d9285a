/// The indices of the keys that a loop has looked for last: the answer to a miss is stored soon,
/// and the digest need not be worked out twice.
struct RecentIndices {
    private var entries: [(hash: UInt64, index: Int64)]

    /// Hardly more misses of one loop are under way at once.
    private static let count = 64

    init() { entries = Array(repeating: (0, 0), count: Self.count) }

    /// The key's `FileTier.index`. Keys of one keyed hash would get the same, which is the index of
    /// the one and a wrong one for the other; rows and records are compared by their whole key.
    mutating func index(of key: CacheKey) -> Int64 {
        let place = Int(truncatingIfNeeded: key.hash) & (Self.count - 1)
        if entries[place].hash == key.hash { return entries[place].index }
        let index = key.index
        entries[place] = (key.hash, index)
        return index
    }
}
