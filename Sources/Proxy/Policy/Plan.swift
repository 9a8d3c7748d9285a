import AppleMusic
import Cache
import Compose
import Freshness
import HTTP

/// The plan for one request: `decide` is a pure function of the request, the stored answer, the
/// time and the policy.
///
/// `ProxyService` carries it out; tests read it without a socket.
enum Plan {
    /// Answer from the cache, without asking anyone; `ttl` is the freshness left, in seconds.
    case hit(StoredResponse, ttl: Int)
    /// Answer with a composition of other stored answers.
    indirect case compose(ComposedBody)
    /// Fetch the missing parts of a composition, and answer with it, or with the whole where they
    /// do not complete it.
    indirect case complete(Supplement)
    /// Ask the origin, answer with its answer, and compare that with the composed one.
    indirect case verify(ComposedBody, Reason, stored: StoredResponse?)
    /// Answer with the stored answer although it is no longer fresh; `ttl` is negative.
    /// `refreshes`: the origin is asked in the background.
    case stale(StoredResponse, ttl: Int, Reason, refreshes: Bool)
    /// Ask the origin; the answer may be stored. `stored`: the origin may confirm it instead of
    /// sending it anew.
    case fetch(Reason, stored: StoredResponse?)
    /// Ask the origin; whatever it answers belongs to this client alone.
    case pass(Reason)
    /// The client wants no answer under these circumstances: 504 (RFC 9111 5.2.1.7).
    case refuse(Reason)
}

/// Facts on which a plan depends, beside the stored answer.
struct PlanFacts {
    let method: Method
    let route: Route
    /// Whether the request has content.
    var hasContent = false
    /// The clients that may be given the stored answer; nil where a user's answer must not be
    /// stored.
    var scope: CacheKey.Scope? = .shared
    let rule: TTLRule
    /// Request directives; they bind only where the class follows RFC 9111 (an app's `no-cache`
    /// must not spend the team's budget at Apple).
    var requestControl = CacheControl()

    /// The reason why a stored answer must not even be looked for; nil when the cache may answer.
    var passReason: Reason? {
        if method != .get && method != .head { return .method }
        if scope == nil { return .personal }
        if hasContent { return .requestContent }
        if rule == .off { return route.isPersonal ? .personal : .off }
        if rule.followsOrigin && requestControl.noStore { return .requestNoStore }
        return nil
    }

    /// Whether a HEAD is sent as a GET: its answer is kept under an operator's rule, and serves the
    /// requests to come (DECISIONS 4.8). A path outside the API may lead to anything of any size.
    var fetchesWhole: Bool {
        guard method == .head, case .fixed = rule, route.resourceClass != .other else { return false }
        return passReason == nil
    }

    /// The purpose of a request whose answer is not kept.
    var purposeOfPass: UpstreamPurpose { scope == nil || route.isPersonal ? .personal : .unstored }

    /// The log's text in place of a personal target, whose ids and queries are private: personal by
    /// its route, or because a user's token came with it.
    var logTemplate: String? { scope == .shared ? nil : route.template }
}

extension Plan {
    /// - Parameters:
    ///   - stored: the stored answer under the request's key, if it was looked up.
    ///   - missing: why there is nothing, if so.
    static func decide(
        _ facts: PlanFacts, stored: StoredResponse?, missing: Reason = .absent, unixSeconds: Int64
    ) -> Plan {
        if let reason = facts.passReason { return .pass(reason) }
        let plan = decide(stored, missing, at: unixSeconds)
        return facts.rule.followsOrigin ? plan.heeding(facts.requestControl, stored, unixSeconds) : plan
    }

    /// Whether an answer built of others could be better: nothing fresh is stored.
    var canBeComposed: Bool {
        switch self {
        case .fetch, .stale: true
        default: false
        }
    }

    /// The plan, given what came of the attempt to compose.
    func improved(by outcome: CompositionOutcome, verifying: Bool) -> Plan {
        switch (outcome, self) {
        case (.answer(let body), .fetch(let reason, let stored)) where verifying: .verify(body, reason, stored: stored)
        case (.answer(let body), _) where !verifying: .compose(body)
        case (.partial(let supplement), .fetch(_, stored: nil)) where !verifying: .complete(supplement)
        default: self
        }
    }

    /// The plan for a client that is given nothing stored before the origin has accepted its token:
    /// the origin is asked, and may confirm the stored answer.
    var withoutStored: Plan {
        switch self {
        case .hit(let stored, _), .stale(let stored, _, _, _): .fetch(.unprovenToken, stored: stored)
        default: self
        }
    }

    private static func decide(_ stored: StoredResponse?, _ missing: Reason, at unixSeconds: Int64) -> Plan {
        guard let stored else { return .fetch(missing, stored: nil) }
        return switch Freshness.of(stored, at: unixSeconds) {
        case .fresh(let ttl): .hit(stored, ttl: ttl)
        case .stale(let since): .stale(stored, ttl: -since, .staleWhileRevalidate, refreshes: true)
        case .expired: .fetch(.stale, stored: stored)
        }
    }

    /// RFC 9111 5.2.1: the client may want it fresher than it is, or be content with less.
    private func heeding(_ control: CacheControl, _ stored: StoredResponse?, _ unixSeconds: Int64) -> Plan {
        let plan = stored.map { adapted($0, control, unixSeconds) } ?? self
        if case .fetch = plan, control.onlyIfCached { return .refuse(.onlyIfCached) }
        return plan
    }

    private func adapted(_ stored: StoredResponse, _ control: CacheControl, _ unixSeconds: Int64) -> Plan {
        if control.noCache { return .fetch(.requestNoCache, stored: stored) }
        let (age, ttl) = (stored.age(at: unixSeconds), stored.freshFor - stored.age(at: unixSeconds))
        if let maxAge = control.maxAge, age > maxAge { return .fetch(.requestMaxAge, stored: stored) }
        if let minFresh = control.minFresh, ttl < minFresh { return .fetch(.requestMaxAge, stored: stored) }
        if ttl <= 0, control.refuses(staleFor: -ttl) { return .fetch(.requestMaxAge, stored: stored) }
        // An origin that forbids stale answers forbids them to this client too (RFC 9111 5.2.2.2).
        if case .fetch = self, let maxStale = control.maxStale, -ttl <= maxStale, stored.allowsStale {
            return .stale(stored, ttl: ttl, .requestMaxStale, refreshes: false)
        }
        return self
    }
}

extension CacheControl {
    /// Whether a client refuses an answer that has been stale for that many seconds, be the origin
    /// slow or failing (RFC 9111 5.2.1.1, 5.2.1.2): `max-age` allows none without `max-stale`.
    fileprivate func refuses(staleFor seconds: Int) -> Bool { maxStale.map { seconds > $0 } ?? (maxAge != nil) }
}
