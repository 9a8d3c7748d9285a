import AppleMusic
import Cache
import HTTP

/// What to do with one request: a pure function of the request, what the cache holds, the time and the policy.
///
/// The exchange carries it out; tests read it without a socket.
public enum Plan {
    /// Answer from the cache, without asking anyone; `ttl` is the freshness left, in seconds.
    case hit(StoredResponse, ttl: Int)
    /// Ask the origin; the answer may be stored. `fallback` is a stale answer to give instead of an error.
    case fetch(Reason, fallback: StoredResponse?)
    /// Ask the origin; whatever it answers belongs to this client alone.
    case pass(Reason)
}

/// What a plan depends on, beside what the cache holds.
public struct PlanFacts {
    public let method: Method
    public let route: Route
    /// Whether the request has content.
    public let hasContent: Bool
    /// Whether it carries a credential of one user, whatever its route.
    public let carriesUserToken: Bool
    public let rule: TTLRule
    /// Request directives; they bind only where the class follows RFC 9111 (an app's `no-cache` must not spend the
    /// team's budget at Apple).
    public let requestControl: CacheControl

    public init(
        method: Method, route: Route, hasContent: Bool = false, carriesUserToken: Bool = false, rule: TTLRule,
        requestControl: CacheControl
    ) {
        self.method = method
        self.route = route
        self.hasContent = hasContent
        self.carriesUserToken = carriesUserToken
        self.rule = rule
        self.requestControl = requestControl
    }

    /// The reason why a stored answer must not even be looked for; nil when the cache may answer.
    public var passReason: Reason? {
        if method != .get && method != .head { return .method }
        // On routes that are known to be shared the token is dropped; elsewhere its presence makes the answer one user's.
        if route.isPersonal || (carriesUserToken && !route.isShared) { return .personal }
        if hasContent { return .requestContent }
        if rule == .off { return .off }
        if rule == .upstream && requestControl.noStore { return .requestNoStore }
        return nil
    }
}

extension Plan {
    /// - Parameter stored: what the cache holds under the request's key, if it was looked up.
    public static func decide(_ facts: PlanFacts, stored: StoredResponse?, unixSeconds: Int64) -> Plan {
        if let reason = facts.passReason { return .pass(reason) }
        guard let stored else { return .fetch(.absent, fallback: nil) }
        switch Freshness.of(stored, at: unixSeconds) {
        case .fresh(let ttl):
            if facts.rule == .upstream, let reason = refusal(of: stored, by: facts.requestControl, ttl, unixSeconds) {
                return .fetch(reason, fallback: nil)
            }
            return .hit(stored, ttl: ttl)
        case .stale: return .fetch(.stale, fallback: stored)
        case .expired: return .fetch(.stale, fallback: stored.canStandIn(at: unixSeconds) ? stored : nil)
        }
    }

    /// RFC 9111 5.2.1: what the client wants fresher than what is stored.
    private static func refusal(
        of stored: StoredResponse, by control: CacheControl, _ ttl: Int, _ unixSeconds: Int64
    ) -> Reason? {
        if control.noCache { return .requestNoCache }
        if let maxAge = control.maxAge, stored.age(at: unixSeconds) > maxAge { return .requestMaxAge }
        if let minFresh = control.minFresh, ttl < minFresh { return .requestMaxAge }
        return nil
    }
}
