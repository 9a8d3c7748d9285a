import AppleMusic

/// Finds the recorded request that is most like one that was not recorded: of the same path, else
/// of the same route, else any; of these the one with the most letters in common.
struct NearestRequest {
    private struct Candidate {
        let key: [UInt8]
        let rank: Int
        /// Letters in common at the beginning and at the end.
        let likeness: Int

        func precedes(_ other: Candidate) -> Bool {
            if rank != other.rank { return rank > other.rank }
            if likeness != other.likeness { return likeness > other.likeness }
            if key.count != other.key.count { return key.count < other.key.count }
            return key.lexicographicallyPrecedes(other.key)
        }
    }

    private let wanted: RecordedRequest
    private let path: ArraySlice<UInt8>
    private let template: String
    private var best: Candidate?

    init(to wanted: RecordedRequest) {
        self.wanted = wanted
        path = Self.path(of: wanted.key)
        template = wanted.route.template.description
    }

    /// Considers one that was recorded. In whatever order all of them come, the nearest is the
    /// same.
    mutating func consider(_ key: [UInt8], _ route: Route) {
        let candidate = Candidate(key: key, rank: rank(key, route), likeness: Self.likeness(key, wanted.key))
        if best.map(candidate.precedes) ?? true { best = candidate }
    }

    /// Method and target; nothing where none was considered.
    var text: String { String(decoding: best?.key ?? [], as: UTF8.self) }

    private func rank(_ key: [UInt8], _ route: Route) -> Int {
        if Self.path(of: key) == path { return 2 }
        return route.template.description == template ? 1 : 0
    }

    private static func path(of key: [UInt8]) -> ArraySlice<UInt8> { key.prefix { $0 != UInt8(ascii: "?") } }

    private static func likeness(_ one: [UInt8], _ other: [UInt8]) -> Int {
        let most = min(one.count, other.count)
        var beginning = 0
        while beginning < most, one[beginning] == other[beginning] { beginning += 1 }
        var end = 0
        while end < most, one[one.count - 1 - end] == other[other.count - 1 - end] { end += 1 }
        return min(beginning + end, most)
    }
}
