import AppleMusic
import Text

/// Finds the recorded request that is most like one that was not recorded: of the same path, else
/// of the same route, else any; of these the one whose text differs least.
struct NearestRequest {
    private struct Candidate {
        let key: [UInt8]
        let rank: Int
        /// Letters in common at the beginning and at the end.
        let likeness: Int

        /// Whether it comes before another that is compared.
        func precedes(_ other: Candidate) -> Bool {
            if rank != other.rank { return rank > other.rank }
            if likeness != other.likeness { return likeness > other.likeness }
            if key.count != other.key.count { return key.count < other.key.count }
            return key.lexicographicallyPrecedes(other.key)
        }
    }

    /// Of texts that are compared letter by letter, and letters of each: an error must not cost
    /// seconds.
    private static let mostCompared = 32
    private static let mostLetters = 512

    private let wanted: RecordedRequest
    private let path: ArraySlice<UInt8>
    private let template: String
    /// The best so far, in order.
    private var best: [Candidate] = []

    init(to wanted: RecordedRequest) {
        self.wanted = wanted
        path = Self.path(of: wanted.key)
        template = wanted.route.template.description
    }

    /// Considers one that was recorded. In whatever order all of them come, the nearest is the
    /// same.
    mutating func consider(_ key: [UInt8], _ route: Route) {
        let candidate = Candidate(key: key, rank: rank(key, route), likeness: Self.likeness(key, wanted.key))
        if best.count == Self.mostCompared {
            guard let last = best.last, candidate.precedes(last) else { return }
            best.removeLast()
        }
        best.insert(candidate, at: best.firstIndex { candidate.precedes($0) } ?? best.endIndex)
    }

    /// Method and target; nothing where none was considered.
    var text: String {
        let wanted = wanted.key.prefix(Self.mostLetters)
        let rivals = best.prefix { $0.rank == best.first?.rank }.map(\.key)
        let nearest = rivals.map { ($0, editDistance($0.prefix(Self.mostLetters), wanted)) }.min { $0.1 < $1.1 }
        return String(decoding: nearest?.0 ?? [], as: UTF8.self)
    }

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
