import AppleMusic
import Cache
import EventLoop
import HTTP

// Explains a request by the same decision on the same facts as for a real one, and performs
// nothing. Must hold: nothing is sent, counted, learnt, promoted or removed, and no entry counts as
// used.

extension ProxyServer {
    /// Says what would become of a request now; `completion` is called on one of the loops. Targets
    /// that are malformed are answered with nil.
    public func explain(
        _ request: HypotheticalRequest, _ completion: @escaping @Sendable (Explanation?) -> Void
    ) {
        guard let worker = workers.first else { return completion(nil) }
        worker.loop.execute { @Sendable in completion(worker.service.explain(request)) }
    }
}

extension ProxyService {
    /// Whether the operator wants no request for it.
    func refuses(_ target: borrowing CanonicalTarget) -> Bool {
        !proxy.settings.servesOther && !target.isOfAPI
    }

    func explain(_ request: HypotheticalRequest) -> Explanation? {
        var target = CanonicalTarget()
        guard (try? target.parse(request.target.span)) != nil else { return nil }
        let facts = facts(of: request, target.route)
        let now = proxy.base.unixSeconds
        var found = Found()
        if facts.passReason == nil, let scope = facts.scope {
            found = look(
                up: CacheKey(of: proxy.settings.origin.tag, scope: scope, target: target.bytes), facts, at: now)
        }
        let (plan, attempt) = decide(
            facts, found.stored, isVariant: !found.selectingFields.isEmpty, asking: CatalogRequest(target), at: now,
            isPeeking: true)
        let isPrivate = target.route.isPersonal && proxy.keepsPersonal && request.method.isSafe
        let isUnwanted = refuses(target)
        let isRefused = request.method == .trace || isUnwanted
        let told = plan.told
        let asksFirst = facts.method == .get && told.asksOrigin == .first
        // As `Sharing.mayAskTier` has it. What is passed has no key.
        let mayBeInTier = found.key.map { !$0.isPersonal && $0.variant.isEmpty } ?? false
        let awaited = AwaitedAnswer(to: target.bytes, facts, asking: CatalogRequest(target))
        let isUnderWay =
            found.key.map {
                proxy.flights.isWaitedFor(proxy.accounts.plainFlightKey($0), awaited, now: proxy.base.now)
            } ?? false
        return Explanation(
            target: target.text, route: target.route, scope: facts.scope, rule: facts.rule, stored: found.stored,
            isInMemory: found.isInMemory, selectingFields: found.selectingFields,
            action: isRefused ? .refuse : isPrivate ? .personal : told.action,
            reason: isUnwanted ? .off : isRefused ? .method : isPrivate ? nil : told.reason,
            composing: Explanation.Composing(plan), refusal: attempt?.refusal,
            asksOrigin: isRefused ? .never : told.asksOrigin,
            asksTier: proxy.sharing.tier != nil
                && (isPrivate || asksFirst && told.action != .verify && mayBeInTier),
            waitsForAnother: asksFirst && isUnderWay, lastAnswer: lastAnswer(found),
            needsClientKey: proxy.settings.clientKeys != nil, now: now)
    }

    /// Personal scopes need the token that they are made of: such a request has none here.
    private func facts(of request: HypotheticalRequest, _ route: Route) -> PlanFacts {
        let isOneUsers = route.isPersonal || (!route.isShared && request.carriesUserToken)
        return PlanFacts(
            method: request.method, route: route, scope: isOneUsers ? nil : .shared,
            rule: proxy.settings.policy[route.resourceClass])
    }

    /// The last answer to it, unless the stored one is newer.
    private func lastAnswer(_ found: Found) -> LastAnswer? {
        guard let last = found.key.flatMap({ proxy.shared.lastAnswers[$0] }) else { return nil }
        return found.stored.map { $0.receivedAt > last.unixSeconds } == true ? nil : last
    }

    private struct Found {
        var key: CacheKey?
        var stored: StoredResponse?
        var isInMemory = false
        var selectingFields: [String] = []
    }

    private func look(up key: CacheKey, _ facts: PlanFacts, at now: Int64) -> Found {
        var found = Found(key: key, stored: proxy.base.peek(key))
        if facts.rule.followsOrigin, let variantIndex = found.stored,
            let variant = proxy.base.cache.variant(at: variantIndex)
        {
            found.selectingFields = variant.names
            var exact = key
            if let plain = variant.plain { exact.set(variant: plain) }
            found.key = exact
            found.stored = variant.plain == nil ? nil : proxy.base.peek(exact)
        }
        found.isInMemory = found.key.map { proxy.base.cache.isInMemory($0) } ?? false
        return found
    }
}
