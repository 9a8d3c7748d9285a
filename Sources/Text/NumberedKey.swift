/// A key that brings its own hash: a number that this process has given out itself, or a keyed hash
/// that is worked out already.
///
/// `Hasher` takes some 140 instructions for a number, and a request that the cache cannot answer is
/// looked for by such keys two dozen times. It guards against keys that are chosen to collide, and
/// no client chooses these.
public protocol NumberedKey: Hashable {
    /// Equal for equal keys, and different for nearly all others.
    var hashNumber: UInt64 { get }
}

extension NumberedKey {
    @inlinable
    public func hash(into hasher: inout Hasher) { hasher.combine(hashNumber) }

    /// Hash for sets and dictionaries. Mixed, because they use its low bits alone.
    @inlinable
    public func _rawHashValue(seed: Int) -> Int {
        Int(truncatingIfNeeded: SplitMix64.mixed(hashNumber))
    }
}
