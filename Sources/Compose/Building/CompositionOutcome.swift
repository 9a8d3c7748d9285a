import Cache
import Freshness

/// Result of the attempt to build an answer out of stored ones.
package enum CompositionOutcome {
    /// The answer's body, and what it was made of.
    case answer(ComposedBody)
    /// It can be built once this has been fetched.
    case partial(Supplement)
    /// The origin has to be asked: why, is for people and counters.
    case impossible(Refusal)

    /// Whether nothing has to be asked for.
    package var isAnswer: Bool { if case .answer = self { true } else { false } }

    /// Why the origin has to be asked for the whole; nil where it has not.
    package var refusal: Refusal? { if case .impossible(let refusal) = self { refusal } else { nil } }
}

/// A composed answer before it is one.
package struct ComposedBody {
    package let body: [UInt8]
    /// An over-fetch that may be useful here: the page that it is a window of, or its resources.
    package var growth: Growth?
    /// How it was made: the detail in `Cache-Status`.
    package let detail: Reason
    /// The answers whose bytes it holds; the first one's fields are its own.
    package let parts: [StoredSource]
    /// Unix seconds at which something that it relies on beside its parts runs out: what is known
    /// of its form, or that a resource is absent.
    let reliesUntil: Int64
    /// The cache's count of contradicted answers before the parts were looked up.
    package let contradictions: Int
    /// How long it may be used.
    package private(set) var lifetime = Lifetime(freshFor: 0)
}

/// A request that fetches what is missing of a composition.
package struct Supplement {
    /// Canonical, and ready to be sent.
    package let target: [UInt8]
    /// The part that it asks for beyond what the client wants.
    package let growth: Growth?
    /// Whether it asks for more relationships and views than the client wants.
    package var isSuperset: Bool { if case .superset? = growth { true } else { false } }

    /// Why the origin is asked. `partial`: what is stored is joined with what this brings.
    package var reason: Reason { growth?.isForAll == true ? .absent : .partial }

    /// - Parameter target: canonical.
    package init(target: [UInt8], growth: Growth? = nil) {
        (self.target, self.growth) = (target, growth)
    }
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
