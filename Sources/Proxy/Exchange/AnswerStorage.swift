import AppleMusic
import Cache
import Freshness
import HTTP
import Upstream

// Puts the origin's answer into the cache: stores it, replaces an older one, freshens one by a 304
// or a HEAD, or gives the reason why the stored answer is no longer valid.

/// Puts the answer to one request into the cache.
struct AnswerStorage {
    private let request: OriginRequest
    /// The flight that the request leads; nil where it leads none.
    private let flight: Flights.FlightID?
    private let storing: Storing

    /// The most of an answer that waits for its end though nobody keeps it. New memory for more
    /// costs more than copying it, 0.5 ms a MiB.
    private static let mostHeldBack = 256 << 10

    init(_ request: OriginRequest, _ flight: Flights.FlightID?, _ storing: Storing) {
        (self.request, self.flight, self.storing) = (request, flight, storing)
    }

    /// Stores what may be stored: `stored` or `unstored`.
    func store(_ received: UpstreamResponse) -> ExchangeState.Event {
        let response = withOwnLinks(received)
        guard let key = request.key else {
            invalidate(by: response)
            storePost(response)
            return .unstored(response, request.reason)
        }
        updateByHead(response)
        return store(response, key, requestFacts)
    }

    /// Why the answer, whose head has come, is streamed; nil where it is collected: it is small,
    /// may be kept, is changed, or something stands in where it breaks off.
    func reasonToStream(_ response: UpstreamResponse) -> Reason? {
        guard let length = response.declaredLength, length > Self.mostHeldBack, response.status == 200,
            !storing.library.settings.completesNext
        else { return nil }
        guard request.key != nil else { return request.ownContentKey == nil ? request.reason : nil }
        guard case .no(let reason) = decision(response, response.facts, requestFacts),
            storing.accounts.storedStandIn(for: request) == nil
        else { return nil }
        return reason
    }

    /// As this proxy writes the links to further pages; under the origin's rules not where these
    /// forbid it (RFC 9110 7.7).
    private func withOwnLinks(_ response: UpstreamResponse) -> UpstreamResponse {
        guard storing.library.settings.completesNext, request.forwarded.method == .get,
            !request.facts.rule.followsOrigin || !response.facts.cacheControl.noTransform
        else { return response }
        return response.completingNext(of: request.forwarded.target)
    }

    /// A POST may be answered by what a GET would get, if the origin says so: then it is stored as
    /// that (RFC 9110 9.3.3).
    private func storePost(_ response: UpstreamResponse) {
        let forwarded = request.forwarded
        guard let key = request.ownContentKey, let location = response.fields.first(.contentLocation),
            RelatedTarget.resolve(location, against: forwarded.target, authority: storing.authority)
                == forwarded.target
        else { return }
        var facts = requestFacts
        facts.isPostOfItsOwnContent = true
        _ = store(response, key, facts)
    }

    private func store(
        _ response: UpstreamResponse, _ key: CacheKey, _ requestFacts: RequestFacts
    ) -> ExchangeState.Event {
        let facts = response.facts
        switch decision(response, facts, requestFacts) {
        case .no(let reason):
            if reason == .contradicted { noteContradicted(key) }
            return .unstored(response, reason)
        case .store where isOutdated: return .unstored(response, .outdated)
        // Stored, however long the origin says that it counts, it would take the stand-in's place.
        case .store
        where OriginVerdict.standsIn(forStatus: response.status) && storing.accounts.storedStandIn(for: request) != nil:
            return .outranked(response)
        case .store where response.status == 400 && !mayKeepBadRequest(response):
            return .unstored(response, .status)
        case .store(let lifetime):
            let scan = response.scan
            guard scan.isAnswer || response.status != 200 || request.facts.rule.followsOrigin else {
                storing.troubles.noteFailure(
                    "answers \(request.facts.route.template) with a 200 that is not a valid answer")
                return .unstored(response, .noAnswer)
            }
            return place(storable(response, scan, key, lifetime), response, varyingBy: facts.vary)
        }
    }

    /// Whether a 400 is an answer to this target: its errors blame the path or a parameter, the
    /// client asked for the target itself, and no 200 is stored for it. Under the origin's rules
    /// its fields alone decide.
    private func mayKeepBadRequest(_ response: UpstreamResponse) -> Bool {
        if request.facts.rule.followsOrigin { return true }
        return request.purpose.isOwnTarget && mayTakePlace(status: 400) && RequestBlame.isOnTarget(response.body)
    }

    /// False of a 400 where a 200 is stored, but under the origin's rules.
    func mayTakePlace(status: Int) -> Bool {
        status != 400 || request.facts.rule.followsOrigin || request.stored?.status != 200
    }

    private func place(
        _ stored: StoredResponse, _ response: UpstreamResponse, varyingBy vary: ResponseFacts.Vary
    ) -> ExchangeState.Event {
        let fields = request.forwarded.fields
        let placed = put { cache in
            cache.store(stored, varyingBy: vary, forwarded: fields.span, storing.base.reader)
        }
        guard let placed else { return .unstored(response, .outdated) }
        if request.isSuperset { placed.awaitUse() }
        storing.base.statistics.count(.stored)
        noteKept(placed)
        storing.composing.learn(from: placed, original: response.original, request)
        return event(placed, originStatus: response.status)
    }

    private func noteKept(_ placed: StoredResponse) {
        storing.base.noteKept(placed)
        storing.library.noteNames(in: placed, at: storing.base.unixSeconds)
    }

    /// A resource that was not found although a fresh answer names it.
    private func noteContradicted(_ key: CacheKey) {
        guard storing.composing.library(for: request.facts) != nil, let wanted = request.wanted else { return }
        storing.library.note(notFound: key, at: storing.base.unixSeconds, wanted)
    }

    /// Keeps what another node fetched, as if the origin had brought it now; nil where it was
    /// purged since the flight began, or since it was looked at.
    func keep(_ response: StoredResponse, unless isPurged: () -> Bool = { false }) -> StoredResponse? {
        let place = { (cache: ResponseCache) in
            cache.store(response)
            return response
        }
        guard let placed = Self.put(into: storing.base.cache, unless: { isOutdated || isPurged() }, place) else {
            return nil
        }
        noteKept(placed)
        return learn(from: placed)
    }

    /// Learns from an answer that did not come from the origin as a whole; with the map of its
    /// resources.
    private func learn(from placed: StoredResponse) -> StoredResponse {
        guard storing.composing.library(for: request.facts) != nil else { return placed }
        var mapped = placed
        if placed.status == 200, placed.outline == nil, let map = DocumentScan(placed.body).document {
            mapped = storing.base.cache.attach(map, to: placed)
        }
        storing.composing.learn(from: mapped, original: nil, request)
        return mapped
    }

    /// This node's decision about an answer that another node has stored, had it come now.
    func decision(asIfAnew response: StoredResponse) -> StoreDecision {
        let fields = Array(response.fields)
        return decision(ResponseFacts(status: response.status, fields: fields.span), requestFacts)
    }

    private func event(_ stored: StoredResponse, originStatus: Int) -> ExchangeState.Event {
        let isReusable = Freshness.of(stored, at: storing.base.unixSeconds) != .expired
        return .stored(stored, originStatus: originStatus, isReusable: isReusable)
    }

    private func decision(
        _ response: UpstreamResponse, _ facts: ResponseFacts, _ requestFacts: RequestFacts
    ) -> StoreDecision {
        // One form of each answer is kept where the operator's rule counts: the one that was asked
        // for.
        if !request.facts.rule.followsOrigin, response.hasContentCoding { return .no(.contentCoding) }
        return decision(facts, requestFacts)
    }

    private func decision(_ facts: ResponseFacts, _ requestFacts: RequestFacts) -> StoreDecision {
        let decision = StoreDecision.decide(
            requestFacts, facts, rule: request.facts.rule, notFound: storing.policy.notFound,
            badRequest: storing.policy.badRequest, speed: storing.policy.speed, now: storing.base.unixSeconds)
        guard case .store(let lifetime) = decision else { return decision }
        // The origin may choose such an answer by the site, which is no part of the key.
        let site = storing.accounts.signs ? nil : request.forwarded.clientAuthorization?.site
        if request.facts.rule.followsOrigin, site != nil { return .no(.authorization) }
        let isNotFound = facts.status == 404 || facts.status == 410
        return isNotFound && contradictsWhatIsHeld(for: lifetime.freshFor) ? .no(.contradicted) : decision
    }

    /// Whether "not found" contradicts a fresh answer under an operator's rule; not where that has
    /// lasted for as long as it is kept itself.
    private func contradictsWhatIsHeld(for patience: Int) -> Bool {
        guard !request.facts.rule.followsOrigin, let key = request.key else { return false }
        return storing.library.contradicts(
            notFound: key, request.wanted, patience: patience, at: storing.base.unixSeconds)
    }

    private func storable(
        _ response: UpstreamResponse, _ scan: DocumentScan, _ key: CacheKey, _ lifetime: Lifetime
    ) -> StoredResponse {
        let route = request.facts.route
        return StoredResponse(
            key: key, status: response.status, fields: response.storableFields(isPersonal: key.isPersonal),
            followsOrigin: request.facts.rule.followsOrigin, body: response.body,
            receivedAt: storing.base.unixSeconds, lifetime: lifetime,
            classTag: route.resourceClass.rawValue,
            storefront: route.storefront?.bytes ?? [], resources: scan.mentions,
            outline: storing.composing.library(for: request.facts) != nil ? scan.document : nil,
            gzip: response.storableGzip)
    }

    /// Stores by `place`. Nil where the answer is out of date by then, and is gone again.
    private func put(_ place: (ResponseCache) -> StoredResponse) -> StoredResponse? {
        Self.put(into: storing.base.cache, unless: { isOutdated }, place)
    }

    /// Looks once more after storing: a purge that began after the last look may have passed before
    /// the answer was there.
    static func put(
        into cache: ResponseCache, unless isOutdated: () -> Bool, _ place: (ResponseCache) -> StoredResponse
    ) -> StoredResponse? {
        let placed = place(cache)
        guard isOutdated() else { return placed }
        cache.remove(placed.key)
        return nil
    }

    /// Whether what was asked for changed while the answer was on its way.
    private var isOutdated: Bool {
        flight.map { storing.flights.isOutdated($0) } ?? false
    }
}

// MARK: - Answers about what is stored

extension AnswerStorage {
    /// Makes the stored answer fresh again, with the fields that the origin sent along (RFC 9111
    /// 4.3.4). `stored`, or `contradicted`.
    func freshen(by response: UpstreamResponse) -> ExchangeState.Event {
        guard let stored = request.stored, let current = current(stored) else { return .contradicted }
        let isReplaced = current.receivedAt > stored.receivedAt
        switch stored.freshened(
            by: response.freshFields(isPersonal: stored.key.isPersonal), revalidation(response))
        {
        case .stored where isReplaced:
            // Freshened meanwhile by another's 304, or the same came anew.
            guard current.status == stored.status, current.body == stored.body,
                current.isFresh(at: storing.base.unixSeconds)
            else { return .contradicted }
            storing.base.statistics.count(.revalidated)
            return event(current, originStatus: 304)
        case .stored(let freshened):
            storing.base.statistics.count(.revalidated)
            put(inPlaceOfTheOld: freshened)
            storing.library.noteNames(in: freshened, at: storing.base.unixSeconds)
            // The origin shows this state again, after every answer since.
            return event(learn(from: freshened), originStatus: 304)
        case .unstorable where isReplaced: return .contradicted
        case .unstorable(let confirmed, _):
            storing.base.statistics.count(.revalidated)
            storing.base.cache.remove(stored.key)
            return event(confirmed, originStatus: 304)
        case .contradicted: return .contradicted
        }
    }

    /// The answer to a HEAD tells whether the answer that is stored for GET is still right (RFC
    /// 9111 4.3.5).
    private func updateByHead(_ response: UpstreamResponse) {
        guard request.forwarded.method == .head, response.status == 200, let stored = request.stored,
            stored.status == 200, let current = current(stored), current.receivedAt <= stored.receivedAt
        else { return }
        let updated = stored.updated(
            byHead: response.freshFields(isPersonal: stored.key.isPersonal), contentLength: response.declaredLength,
            revalidation(response))
        put(inPlaceOfTheOld: updated)
    }

    private func put(inPlaceOfTheOld updated: StoredResponse) {
        _ = put { cache in
            cache.store(updated)
            return updated
        }
    }

    /// The stored answer that the origin was asked about, as it is now: one that was removed or
    /// replaced meanwhile must not come back updated.
    private func current(_ stored: StoredResponse) -> StoredResponse? {
        isOutdated ? nil : storing.base.lookup(stored.key)
    }

    /// An unsafe request that went well makes what is stored for its target invalid, and for the
    /// targets that the answer names (RFC 9111 4.4).
    func invalidate(by response: UpstreamResponse) {
        guard !request.forwarded.method.isSafe, (200..<400).contains(response.status) else { return }
        let base = request.forwarded.target
        storing.invalidate(base, by: flight)
        for field in [FieldName.location, .contentLocation] {
            guard let reference = response.fields.first(field) else { continue }
            let target = RelatedTarget.resolve(reference, against: base, authority: storing.authority)
            if let target { storing.invalidate(target, by: flight) }
        }
    }

    private func revalidation(_ response: UpstreamResponse) -> Revalidation {
        var revalidation = Revalidation(
            request: requestFacts, rule: request.facts.rule, notFound: storing.policy.notFound,
            now: storing.base.unixSeconds, responseDelay: response.delay)
        revalidation.badRequest = storing.policy.badRequest
        revalidation.speed = storing.policy.speed
        revalidation.parent = response.facts.parent
        return revalidation
    }

    private var requestFacts: RequestFacts {
        var result = RequestFacts()
        result.isGet = request.forwarded.method == .get
        result.isPersonal = request.facts.route.isPersonal
        result.requestCarriedAuthorization = request.carriesClientAuthorization(
            hasOwnToken: storing.accounts.signs)
        result.cacheControl = request.facts.requestControl
        return result
    }
}
