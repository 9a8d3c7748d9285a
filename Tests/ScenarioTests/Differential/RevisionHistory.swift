@testable import Simulator

/// Which revision of the simulated API was current when.
struct RevisionHistory {
    private var ended: [(revision: Revision, at: Int64)] = []
    private(set) var current: Revision

    init(_ current: Revision) { self.current = current }

    mutating func move(to revision: Revision, at unixSeconds: Int64) {
        ended.append((current, unixSeconds))
        current = revision
    }

    /// The revisions that were current at `unixSeconds` or later, the latest first. One that ended
    /// in that very second counts: a request in it may have been answered before.
    func revisions(since unixSeconds: Int64) -> [Revision] {
        [current] + ended.reversed().prefix { $0.at >= unixSeconds }.map(\.revision)
    }

    /// The same, each in every shape that was current at `otherSeconds` or later: lessons about
    /// shapes may be as old as any answer, however young its parts are.
    func revisions(since unixSeconds: Int64, shapesSince otherSeconds: Int64) -> [Revision] {
        let recent = revisions(since: unixSeconds)
        let shapes = Set(revisions(since: otherSeconds).map(\.isFlipped))
        guard shapes.count > 1 else { return recent }
        let others = recent.map { Revision(catalog: $0.catalog, isFlipped: !$0.isFlipped) }
        return recent + others.filter { !recent.contains($0) }
    }
}

/// How old an answer may be, by the policy and by its own fields.
struct AnswerAge {
    /// The longest of all freshness lifetimes, in seconds.
    var lifetime: Int
    /// How long an answer may be served stale that says so.
    var staleFor = 0
    /// How much too late a background fetch may be dated, as the test moves its clock.
    var slack = 0

    /// The most seconds since the answer's state; nil where its own fields say it is too old.
    func most(cacheStatus: String?, age: String?) -> Int? {
        let isStale = cacheStatus.map { $0.contains("ttl=-") || $0.contains("detail=stale-") } ?? false
        // An answer younger than its lifetime is fresh (RFC 9111 4.2).
        let limit = lifetime - 1 + (isStale ? staleFor : 0)
        guard let age = age.flatMap(Int.init) else { return limit + slack }
        return age <= limit ? age + slack : nil
    }
}
