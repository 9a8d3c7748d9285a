// Answers to an id that one `ids` request has twice. Pure.
// Must hold: nothing is said that an answer has not shown.

/// The manners in which the origin may treat duplicates, as far as its answers have shown. Each
/// answer to a request with duplicates rules out those that would have looked otherwise.
struct DuplicateIDs: Sendable, Equatable {
    private enum Manner: CaseIterable {
        /// It comes once, in the first of its places, or in the last.
        case first, last
        /// It comes in each of its places.
        case each

        func applied<ID: Hashable>(to ids: [ID]) -> [ID] {
            var seen: Set<ID> = []
            return switch self {
            case .first: ids.filter { seen.insert($0).inserted }
            case .last: Array(ids.reversed().filter { seen.insert($0).inserted }.reversed())
            case .each: ids
            }
        }
    }

    private var possible = Manner.allCases

    /// Learns from an answer; false where no manner that is still possible explains it.
    /// - Parameters:
    ///   - asked: the ids that were asked for and found, with their duplicates.
    ///   - found: what came.
    mutating func note<ID: Hashable>(asked: [ID], found: [ID]) -> Bool {
        // Mostly there are none, and all manners are the same.
        if asked == found, Self.areDistinct(asked) { return true }
        possible.removeAll { $0.applied(to: asked) != found }
        return !possible.isEmpty
    }

    /// Rules out what others have ruled out.
    mutating func formIntersection(_ other: DuplicateIDs) { possible.removeAll { !other.possible.contains($0) } }

    /// A set of few costs more than to compare them.
    private static func areDistinct<ID: Hashable>(_ ids: [ID]) -> Bool {
        guard ids.count <= 8 else { return Set(ids).count == ids.count }
        return ids.indices.allSatisfy { !ids[..<$0].contains(ids[$0]) }
    }

    /// Resources that come for these; nil where that is not known.
    func applied<ID: Hashable>(to ids: [ID]) -> [ID]? {
        if Self.areDistinct(ids) { return ids }
        guard let manner = possible.first else { return nil }
        let expected = manner.applied(to: ids)
        return possible.dropFirst().allSatisfy { $0.applied(to: ids) == expected } ? expected : nil
    }
}
