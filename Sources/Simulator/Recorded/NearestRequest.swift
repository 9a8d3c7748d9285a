import AppleMusic

extension RecordedRequest {
    /// Finds the recorded request that is most like this one.
    ///
    /// One with the same path comes first, then one with the same route, then any; of these the one
    /// with the most letters in common. The order of `recorded` makes no difference.
    /// - Returns: method and target; empty where nothing is recorded.
    func nearest(among recorded: some Sequence<(key: [UInt8], route: Route)>) -> String {
        let candidates = recorded.map { other in
            let isSamePath = Self.path(of: other.key) == Self.path(of: key)
            let rank = isSamePath ? 2 : other.route.template == route.template ? 1 : 0
            return (key: other.key, rank: rank, likeness: Self.likeness(other.key, key))
        }
        let best = candidates.max { one, other in
            if one.rank != other.rank { return one.rank < other.rank }
            if one.likeness != other.likeness { return one.likeness < other.likeness }
            if one.key.count != other.key.count { return one.key.count > other.key.count }
            return other.key.lexicographicallyPrecedes(one.key)
        }
        return String(decoding: best?.key ?? [], as: UTF8.self)
    }

    private static func path(of key: [UInt8]) -> ArraySlice<UInt8> { key.prefix { $0 != UInt8(ascii: "?") } }

    /// Counts the letters in common at the beginning and at the end.
    private static func likeness(_ one: [UInt8], _ other: [UInt8]) -> Int {
        let beginning = zip(one, other).prefix { $0 == $1 }.count
        let end = zip(one.reversed(), other.reversed()).prefix { $0 == $1 }.count
        return min(beginning + end, one.count, other.count)
    }
}
