// Which relationships clients want of the resources of one type. Pure.
// Must hold: clients make the names up, so only few are remembered; what is said follows the latest
// misses, and nothing is said of few.

/// How often clients include each relationship, over the latest requests that were not answered out
/// of what is held.
struct WantedIncludes: Sendable {
    private var requests = 0
    private var counts: [(name: [UInt8], requests: Int)] = []

    /// Before so many requests nothing is known.
    private static let least = 16
    /// At so many, all counts are halved.
    private static let most = 256
    /// A name is wanted often that one request in so many has.
    private static let share = 10
    /// More than any type has relationships.
    private static let mostNames = 16

    /// A request was not answered out of what is held.
    /// - Parameter include: the names that it has, ascending.
    mutating func note(_ include: [[UInt8]]) {
        requests += 1
        for name in include {
            if let index = counts.firstIndex(where: { $0.name == name }) {
                counts[index].requests += 1
            } else if counts.count < Self.mostNames {
                counts.append((name, 1))
            }
        }
        if requests >= Self.most { halve() }
    }

    /// These names and those that are wanted often, ascending; first with all of those, then with
    /// fewer, the ones that are wanted most.
    func supersets(of include: [[UInt8]]) -> [[[UInt8]]] {
        guard requests >= Self.least else { return [] }
        let further = counts.filter { $0.requests * Self.share >= requests && !include.contains($0.name) }
            .sorted { $0.requests > $1.requests }.map(\.name)
        return further.indices.reversed().map { last in
            (include + further[...last]).sorted { $0.lexicographicallyPrecedes($1) }
        }
    }

    private mutating func halve() {
        requests /= 2
        counts = counts.map { ($0.name, $0.requests / 2) }.filter { $0.requests > 0 }
    }
}
