// The relationships and views that clients want of the resources of one type. Pure.
// Must hold: clients make the names up, so only few are remembered; the latest misses decide, and
// nothing is said of few.

/// How often clients name each relationship and view, over the latest requests that were not
/// answered out of stored answers.
struct WantedNames: Sendable, Equatable {
    private(set) var requests = 0
    private var counts: [(name: Selection.Name, requests: Int)] = []

    /// With fewer requests nothing is known.
    private static let least = 16
    /// At this number of requests all counts are halved.
    static let most = 256
    /// A name is wanted often that one request in this many has.
    private static let share = 10
    /// Bound of the names, above the relationships and views that any type has.
    private static let mostNames = 24

    init() {}

    /// The counts of another node.
    init(requests: Int, _ counts: [(name: Selection.Name, requests: Int)]) {
        (self.requests, self.counts) = (requests, counts)
    }

    static func == (one: WantedNames, other: WantedNames) -> Bool {
        one.requests == other.requests && one.counts.elementsEqual(other.counts) { $0 == $1 }
    }

    /// The names that most requests have, `count` of them at most.
    func most(_ count: Int) -> [(name: Selection.Name, requests: Int)] {
        Array(counts.sorted { $0.requests > $1.requests }.prefix(count))
    }

    /// The names that are wanted often.
    var often: Set<Selection.Name> { Set(counts.filter { isOften($0.requests) }.map(\.name)) }

    private func isOften(_ count: Int) -> Bool { count * Self.share >= requests }

    /// Sums both counts.
    func adding(_ other: WantedNames) -> WantedNames {
        var sum = self
        sum.requests += other.requests
        for (name, requests) in other.counts {
            if let index = sum.counts.firstIndex(where: { $0.name == name }) {
                sum.counts[index].requests += requests
            } else {
                sum.counts.append((name, requests))
            }
        }
        return sum
    }

    /// Counts a request that was not answered out of stored answers, or would not have been.
    mutating func note(_ selection: Selection) {
        requests += 1
        for name in selection.isEmpty ? [] : selection.names {
            if let index = counts.firstIndex(where: { $0.name == name }) {
                counts[index].requests += 1
            } else if counts.count < Self.mostNames {
                counts.append((name, 1))
            }
        }
        guard requests >= Self.most else { return }
        requests /= 2
        counts = counts.map { ($0.name, $0.requests / 2) }.filter { $0.requests > 0 }
    }

    /// The selection with the names that are wanted often: first with all of them, then with fewer,
    /// those that are wanted most.
    /// - Parameter mayHaveViews: false for several resources, which show none (APPLE-MUSIC-API
    ///   4.3.5).
    func supersets(of selection: Selection, mayHaveViews: Bool) -> [Selection] {
        guard requests >= Self.least, !counts.isEmpty else { return [] }
        let further = counts.filter { name, count in
            isOften(count) && !selection.contains(name) && (mayHaveViews || !name.isView)
        }.sorted { $0.requests > $1.requests }.map(\.name)
        return further.indices.reversed().map { last in selection.adding(further[...last]) }
    }
}
