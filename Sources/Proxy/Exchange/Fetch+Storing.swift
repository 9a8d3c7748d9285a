import Cache
import HTTP
import Upstream

// What becomes of an answer in the cache: stored, put in the place of an older one, freshened by a
// 304 or a HEAD, or the reason why what was stored is no longer valid.

extension Fetch {
    func store(_ response: UpstreamResponse) -> FetchResult {
        guard let key = originRequest.key else {
            invalidateIfUnsafe(response)
            return storePost(response) ?? .unstored(response, originRequest.reason)
        }
        updateByHead(response)
        return store(response, key, requestFacts)
    }

    /// A POST may be answered by what a GET would get, if the origin says so: then it is stored as
    /// that (RFC 9110 9.3.3).
    private func storePost(_ response: UpstreamResponse) -> FetchResult? {
        let request = originRequest.request
        guard request.method == .post, originRequest.facts.scope == .shared, !request.tellsWhoAsks,
            let location = response.fields.first(.contentLocation),
            RelatedTarget.resolve(location, against: request.canonical, authority: service.shared.authority)
                == request.canonical
        else { return nil }
        var facts = requestFacts
        facts.isPostOfItsOwnContent = true
        guard case .stored = store(response, CacheKey(scope: .shared, target: request.canonical), facts) else {
            return nil
        }
        return .unstored(response, originRequest.reason)
    }

    private func store(_ response: UpstreamResponse, _ key: CacheKey, _ requestFacts: RequestFacts) -> FetchResult {
        let (facts, rule, now) = (response.facts, originRequest.facts.rule, service.context.unixSeconds)
        // One form of each answer is kept where the operator's rule counts: the one that was asked
        // for.
        if !rule.followsOrigin, response.hasContentCoding { return .unstored(response, .contentCoding) }
        let decision = StoreDecision.decide(
            requestFacts, facts, rule: rule, notFound: service.shared.policy.notFound,
            speed: service.shared.policy.speed, now: now)
        switch decision {
        case .no(let reason): return .unstored(response, reason)
        case .store where isOutdated: return .unstored(response, .outdated)
        case .store(let lifetime):
            let stored = storable(response, key, rule, lifetime, at: now)
            let forwarded = originRequest.request.fields
            let placed = service.shared.cache.store(
                stored, varyingBy: facts.vary, forwarded: forwarded.span, service.reader)
            // A purge that began since the look above may not have seen it.
            guard !isOutdated else {
                service.shared.cache.remove(placed.key)
                return .unstored(response, .outdated)
            }
            service.statistics.count(.stored)
            service.learn(from: placed, original: response.original, originRequest)
            return .stored(placed, originStatus: response.status)
        }
    }

    private func storable(
        _ response: UpstreamResponse, _ key: CacheKey, _ rule: TTLRule, _ lifetime: Lifetime, at now: Int64
    ) -> StoredResponse {
        let scan = response.scan
        return StoredResponse(
            key: key, status: response.status, fields: response.storableFields(isPersonal: key.isPersonal),
            keeping: FieldRetention(under: rule), body: response.body, receivedAt: now, lifetime: lifetime,
            classTag: originRequest.facts.route.resourceClass.rawValue,
            storefront: (originRequest.facts.route.storefront?.text).map { Array($0.utf8) } ?? [],
            resources: scan.mentions,
            outline: service.shared.library(for: originRequest.facts) != nil ? scan.document : nil,
            gzip: response.storableGzip)
    }

    /// Whether what was asked for changed while the answer was on its way.
    private var isOutdated: Bool {
        flight.map { service.shared.flights.isOutdated($0) } ?? false
    }

    /// Whether what the origin was asked about is there still: what was removed or replaced
    /// meanwhile must not come back updated.
    private func mayUpdate(_ stored: StoredResponse) -> Bool {
        let now = service.context.unixSeconds
        guard !isOutdated, let current = service.shared.cache.lookup(stored.key, service.reader, at: now) else {
            return false
        }
        return current.receivedAt <= stored.receivedAt
    }

    /// What is stored is still right: it is fresh again, with the fields that the origin sent along
    /// (RFC 9111 4.3.4).
    func confirm(_ response: UpstreamResponse) {
        guard let stored = originRequest.stored, mayUpdate(stored) else { return startUnconditionally() }
        switch stored.freshened(
            by: response.freshFields(isPersonal: stored.key.isPersonal), revalidation(response))
        {
        case .stored(let freshened):
            service.statistics.count(.revalidated)
            service.shared.cache.store(freshened)
            if isOutdated { service.shared.cache.remove(freshened.key) }
            end(.stored(freshened, originStatus: 304))
        case .unstorable(let confirmed, _):
            service.statistics.count(.revalidated)
            service.shared.cache.remove(stored.key)
            end(.stored(confirmed, originStatus: 304))
        case .contradicted: startUnconditionally()
        }
    }

    /// The same request for the content as it is: inflated it is more than is collected, or it
    /// cannot be inflated here, as a gzip of several members cannot (RFC 1952 2.2). Only a GET asks
    /// for gzip, so nothing is done twice.
    func startUncompressed() {
        acceptsGzip = false
        start()
    }

    private func startUnconditionally() {
        validates = false
        start()
    }

    /// The answer to a HEAD tells whether the answer that is stored for GET is still right (RFC
    /// 9111 4.3.5).
    private func updateByHead(_ response: UpstreamResponse) {
        guard originRequest.request.method == .head, response.status == 200, let stored = originRequest.stored,
            stored.status == 200, mayUpdate(stored)
        else { return }
        let updated = stored.updated(
            byHead: response.freshFields(isPersonal: stored.key.isPersonal), contentLength: response.declaredLength,
            revalidation(response))
        service.shared.cache.store(updated)
    }

    private func revalidation(_ response: UpstreamResponse) -> Revalidation {
        var revalidation = Revalidation(
            request: requestFacts, rule: originRequest.facts.rule, notFound: service.shared.policy.notFound,
            now: service.context.unixSeconds, responseDelay: response.delay)
        revalidation.speed = service.shared.policy.speed
        return revalidation
    }

    /// An unsafe request that went well makes what is stored for its target invalid, and for the
    /// targets that the answer names (RFC 9111 4.4).
    func invalidateIfUnsafe(_ response: UpstreamResponse) {
        guard !originRequest.request.method.isSafe, (200..<400).contains(response.status) else { return }
        let base = originRequest.request.canonical
        service.shared.invalidate(base)
        for field in [FieldName.location, .contentLocation] {
            guard let reference = response.fields.first(field) else { continue }
            let target = RelatedTarget.resolve(reference, against: base, authority: service.shared.authority)
            if let target { service.shared.invalidate(target) }
        }
    }

    private var requestFacts: RequestFacts {
        var result = RequestFacts()
        result.isGet = originRequest.request.method == .get
        result.isPersonal = originRequest.facts.route.isPersonal
        result.requestCarriedAuthorization =
            originRequest.request.clientAuthorization != nil && service.shared.credentials.developer == nil
        result.cacheControl = originRequest.facts.requestControl
        return result
    }
}
