import HTTP

// RFC 9111 to the letter, for classes whose rule is `upstream`: sections 3 (storing), 3.5
// (Authorization), 4.2 (freshness), 4.2.4 (stale responses) and RFC 5861 (its two extensions).

/// A response judged by the origin's own fields.
struct RFC9111 {
    let request: RequestFacts
    let response: ResponseFacts
    /// Whether `Vary` names only fields that are the same for every request under the key.
    let isVaryAccounted: Bool
    /// How long the operator lets it be served stale where the origin does not say, in seconds.
    let operatorsStale: Int
    /// The unix second at which the response came.
    let now: Int64

    /// How long an answer with a validator is kept beyond its freshness, to be confirmed by a 304:
    /// a day, in seconds.
    static let keepFor = 86_400
    /// How long a response that says nothing about it may stand in for an origin that fails: a day,
    /// in seconds.
    static let defaultStaleIfError = 86_400
    /// A guess should not outlive a day, however old the document is; in seconds.
    static let longestHeuristic = 86_400
    /// RFC 9110 15.1.
    private static let heuristicallyCacheable: Set<Int> = [200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501]
    /// Statuses of which the caching requirements are known, for must-understand (RFC 9111
    /// 5.2.2.3).
    private static let understood: Set<Int> = [
        200, 203, 204, 300, 301, 302, 303, 307, 308, 400, 404, 405, 410, 414, 500, 501, 502, 503, 504,
    ]

    private var directives: CacheControl { response.directives }

    var decision: StoreDecision {
        if let reason = refusal { return .no(reason) }
        guard let stated = freshnessLifetime ?? (response.hasValidator ? 0 : nil) else { return .no(.noFreshness) }
        let freshFor = directives.noCache ? 0 : stated
        let lifetime = Lifetime(
            freshFor: freshFor,
            staleFor: mayServeStale ? directives.staleWhileRevalidate ?? operatorsStale : 0,
            staleIfErrorFor: mayServeStale ? directives.staleIfError ?? Self.defaultStaleIfError : 0,
            // Kept from when it came, however long ago its freshness ended.
            keepFor: response.hasValidator ? Self.keepFor + max(-freshFor, 0) : 0,
            initialAge: correctedInitialAge)
        let isFresh = lifetime.initialAge < lifetime.freshFor
        // A cookie must reach the client it is for, and no other, unless the origin says that the
        // answer is everyone's.
        if response.setsCookie, !isFresh || !directives.isPublic { return .no(.setCookie) }
        let isUsableStale = lifetime.staleFor > 0 && lifetime.initialAge < lifetime.freshFor + lifetime.staleFor
        guard isFresh || isUsableStale || response.hasValidator else { return .no(.noFreshness) }
        return .store(lifetime)
    }

    /// Section 3: the reason that forbids storing.
    private var refusal: Reason? {
        let isExcused = directives.mustUnderstand && Self.understood.contains(response.status)
        if directives.noStore, !isExcused { return .noStore }
        if directives.mustUnderstand, !Self.understood.contains(response.status) { return .status }
        // Answers stored for one user are that user's private cache.
        if directives.isPrivate, !request.isPersonal { return .private }
        if !isVaryAccounted { return .vary }
        if request.requestCarriedAuthorization, !allowsSharingDespiteAuthorization { return .authorization }
        guard
            response.hasExplicitFreshness || directives.isPublic
                || Self.heuristicallyCacheable.contains(response.status)
        else {
            return response.status >= 500 ? .serverError : .status
        }
        return nil
    }

    /// Section 3.5.
    private var allowsSharingDespiteAuthorization: Bool {
        directives.isPublic || directives.mustRevalidate || directives.sMaxAge != nil
    }

    /// Section 4.2.1, first match wins; nil where there is nothing to go by. Below zero for an
    /// `Expires` before the `Date`: staleness counts from there (4.2.4).
    private var freshnessLifetime: Int? {
        if let seconds = directives.sMaxAge { return seconds }
        if let seconds = directives.maxAge { return seconds }
        switch response.effectiveExpires {
        case .at(let expires):
            // Some origins say the year 1, and it can be kept for a confirmation all the same.
            let difference = Lifetime.difference(from: response.date ?? now, to: expires)
            return max(difference, Self.keepFor - Lifetime.longest)
        case .invalid: return 0
        case .absent: return heuristicLifetime
        }
    }

    /// Section 4.2.2: a tenth of the time since the last change.
    private var heuristicLifetime: Int? {
        guard let lastModified = response.lastModified,
            directives.isPublic || Self.heuristicallyCacheable.contains(response.status)
        else { return nil }
        let sinceChange = Lifetime.seconds(from: lastModified, to: response.date ?? now)
        return min(sinceChange / 10, Self.longestHeuristic)
    }

    /// Section 4.2.3.
    private var correctedInitialAge: Int {
        let apparentAge = response.date.map { Lifetime.seconds(from: $0, to: now) } ?? 0
        return max(apparentAge, response.correctedAge)
    }

    /// Section 4.2.4: these directives forbid serving stale, whatever else is said.
    private var mayServeStale: Bool {
        !directives.mustRevalidate && !directives.proxyRevalidate && !directives.noCache && directives.sMaxAge == nil
    }
}
