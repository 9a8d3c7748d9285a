import HTTP

// Whether a response is stored and for how long: a pure function of facts, rule and time.
// Must hold: answers about credentials and load (401, 403, 429), parts (206), answers to conditions
// (304, 412, 416, 417) and answers that a GET would not have got are stored under no rule; a fixed
// rule keeps 200 only, 404, 410 and 451 under the rule for `not-found`, and 400 under that for
// `bad-request` unless the request is personal; an answer that was chosen by anything which the key
// says nothing about is never stored.

/// The decision about a response.
public enum StoreDecision: Hashable, Sendable {
    /// Store it. Where the request was personal this means memory only; the file refuses personal
    /// keys anyway.
    case store(Lifetime)
    case no(Reason)

    /// Decides. `rule` is that of the request's class (`personal` for a personal request),
    /// `notFound` and `badRequest` those of the lines `ttl not-found` and `ttl bad-request`, `now`
    /// the unix second at which the response came, `speed` how many times as fast it ages
    /// (`ttl_speed`), `seconds` for how long it may be served at most without the origin's word;
    /// nil: no bound beside the rule.
    public static func decide(
        _ request: RequestFacts, _ response: ResponseFacts, rule: TTLRule, notFound: TTLRule,
        badRequest: TTLRule = .off, speed: Int = 1, within seconds: Int? = nil, now: Int64
    ) -> StoreDecision {
        let decision = decide(request, response, rule, (notFound, badRequest), now)
        guard speed > 1 || seconds != nil || response.parent.isThere, case .store(let granted) = decision else {
            return decision
        }
        let lifetime = speed > 1 ? granted.passing(speed) : granted
        return stored(seconds.map(lifetime.brief) ?? lifetime, response.parent)
    }

    /// An answer that a parent handed on stale is kept as stale, for as long as it is of use as
    /// that.
    private static func stored(_ lifetime: Lifetime, _ parent: ParentFacts) -> StoreDecision {
        let lifetime = parent.staleFor.map { lifetime.stale(for: $0) } ?? lifetime
        let isUseful = lifetime.initialAge < lifetime.greatestUsefulAge
        return isUseful || !parent.isThere ? .store(lifetime) : .no(.noFreshness)
    }

    private static func decide(
        _ request: RequestFacts, _ response: ResponseFacts, _ rule: TTLRule,
        _ errors: (notFound: TTLRule, badRequest: TTLRule), _ now: Int64
    ) -> StoreDecision {
        if let reason = refusal(request, response, rule) { return .no(reason) }
        if response.status == 400, case .fixed = rule, request.isPersonal || errors.badRequest == .off {
            return .no(.status)
        }
        let isVaryAccounted = response.vary.isAccounted(under: rule, request)
        switch effectiveRule(rule, errors, response.status) {
        case .off:
            return .no(.off)
        case .origin(let stale):
            return RFC9111(
                request: request, response: response, isVaryAccounted: isVaryAccounted, operatorsStale: stale, now: now
            ).decision
        case .fixed(let seconds, let stale):
            if let reason = fixedRefusal(response.status) { return .no(reason) }
            guard isVaryAccounted else { return .no(.vary) }
            guard seconds > 0 || stale > 0 else { return .no(.off) }
            // The same rule may have held in the parent, and then its time is not granted again.
            let lifetime = Lifetime(
                freshFor: seconds, staleFor: stale, keepFor: response.hasValidator ? RFC9111.keepFor : 0,
                initialAge: response.parent.countsAge ? response.correctedAge : 0)
            return .store(lifetime)
        }
    }

    /// The reason why no rule can allow it; nil where one may.
    private static func refusal(
        _ request: RequestFacts, _ response: ResponseFacts, _ rule: TTLRule
    ) -> Reason? {
        guard request.isGet || answersGet(request, response, rule) else { return .method }
        if rule == .off { return request.isPersonal ? .personal : .off }
        if request.cacheControl.noStore { return .requestNoStore }
        switch response.status {
        case 401, 403: return .unauthorized
        case 429: return .rateLimited
        case 206: return .partialContent
        // About the preconditions, the range and the expectation of one request, which are not part
        // of the key.
        case 412, 416, 417: return .status
        case 304, ..<200, 600...: return .status
        default: return nil
        }
    }

    /// RFC 9110 9.3.3: a POST whose answer may be given to a GET. Only the origin's own word allows
    /// it.
    private static func answersGet(_ request: RequestFacts, _ response: ResponseFacts, _ rule: TTLRule) -> Bool {
        request.isPostOfItsOwnContent && rule.followsOrigin && response.status == 200 && response.hasExplicitFreshness
    }

    /// In a class with a fixed rule, 404, 410 and 451 follow the rule for `not-found` and 400 that
    /// for `bad-request`; `upstream` classes stay with the RFC.
    private static func effectiveRule(
        _ rule: TTLRule, _ errors: (notFound: TTLRule, badRequest: TTLRule), _ status: Int
    ) -> TTLRule {
        guard case .fixed = rule else { return rule }
        return switch status {
        case _ where ErrorMeaning(status: status) == .absence: errors.notFound
        case 400: errors.badRequest
        default: rule
        }
    }

    /// An operator's TTL is for answers; an error or a redirect under it would be an answer made up
    /// by the cache.
    private static func fixedRefusal(_ status: Int) -> Reason? {
        switch status {
        case 200, 400: nil
        case 500...: .serverError
        default: ErrorMeaning(status: status) == .absence ? nil : .status
        }
    }
}
