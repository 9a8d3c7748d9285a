import Cache
import Freshness

/// A composed body, and the facts for its answer.
package struct ComposedBody {
    package let body: [UInt8]
    /// An over-fetch that may be useful here: the page that it is a window of, or its resources.
    package var growth: Growth?
    /// The kind of composition: the detail in `Cache-Status`.
    package let detail: Reason
    /// The answers whose bytes it holds; the first one's fields are its own.
    package let parts: [StoredSource]
    /// Unix seconds at which the other facts run out on which it relies: its form, or a resource's
    /// absence.
    let reliesUntil: Int64
    /// The cache's count of contradicted answers before the parts were looked up.
    package let contradictions: Int
    /// The resources that it shows in other placements than they are held in.
    package var crossings: [PlacementCrossing] = []
    /// How long it may be used.
    package private(set) var lifetime = Lifetime(freshFor: 0)
}

extension ComposedBody {
    /// How long the composed answer may be used: as long as its stalest part (DECISIONS 9.4), and
    /// no longer than one of the origin's of that age under the rule of its own class. Nil where
    /// that is over.
    func limited(by rule: TTLRule, at now: Int64) -> ComposedBody? {
        guard case .fixed(let seconds, let stale) = rule else { return nil }
        var (age, fresh) = (0, Int(max(reliesUntil - now, 0)))
        var usable = Lifetime.longest
        for part in parts {
            let response = part.response
            let own = response.age(at: now)
            age = max(age, own)
            fresh = min(fresh, response.freshFor - own)
            usable = min(usable, response.freshFor - own + response.staleFor)
        }
        fresh = min(fresh, seconds - age)
        usable = min(usable, seconds - age + stale)
        guard fresh > 0 else { return nil }
        var limited = self
        limited.lifetime = Lifetime(freshFor: age + fresh, staleFor: max(usable - fresh, 0), initialAge: age)
        return limited
    }
}
