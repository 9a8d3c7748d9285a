import AppleMusic
import Cache
import Freshness
import HTTP
import Store
import Upstream

/// Puts the answer to one request into the cache: stores it, freshens the stored one by a 304 or a
/// HEAD, or gives the reason for neither.
///
/// A key has the origin that was upstream when the request came. A request that waited over a
/// change of `upstream` asks another one: then nothing is stored.
///
/// An answer is born under the number of its flight. Without a flight nothing of the origin's is
/// stored; its number is 0, so that any purge would count. Answers of other nodes bring their own.
struct AnswerStorage {
    let request: OriginRequest
    /// The flight that the request leads; nil where it leads none.
    let flight: Flights.FlightID?
    let storing: StorageParts
    /// The terms under which the origin was asked.
    let terms: Asking.Terms

    /// The largest answer that is collected although it will not be kept. Larger ones need new
    /// memory, which costs 0.5 ms a MiB, more than copying.
    private static let mostHeldBack = 256 << 10

    /// - Parameter terms: nil where the origin was not asked for it.
    init(
        _ request: OriginRequest, _ flight: Flights.FlightID?, _ storing: StorageParts, under terms: Asking.Terms? = nil
    ) {
        (self.request, self.flight, self.storing) = (request, flight, storing)
        self.terms = terms ?? Asking.Terms(origin: storing.settings.origin.tag)
    }

    var troubles: OriginTroubles { storing.troubles }

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

    /// Why an answer whose head has come is streamed; nil where it is collected: it is small, may
    /// be kept, is changed, or has a stand-in for an early end.
    func reasonToStream(_ response: UpstreamResponse) -> Reason? {
        guard let length = response.declaredLength, length > Self.mostHeldBack, response.status == 200,
            !storing.library.settings.completesNext
        else { return nil }
        guard request.key != nil else { return request.ownContentKey(at: terms.origin) == nil ? request.reason : nil }
        guard case .no(let reason) = decision(response, response.facts, requestFacts),
            storing.accounts.storedStandIn(for: request) == nil
        else { return nil }
        troubles.noteUncacheable(response, reason, request)
        return reason
    }

    /// The response with completed links to further pages, unless `no-transform` forbids it (RFC
    /// 9110 7.7).
    private func withOwnLinks(_ response: UpstreamResponse) -> UpstreamResponse {
        guard storing.library.settings.completesNext, request.forwarded.method == .get,
            !request.facts.rule.followsOrigin || !response.facts.cacheControl.noTransform
        else { return response }
        return response.completingNext(of: request.forwarded.target)
    }

    /// Stores the answer to a POST as that to a GET where the origin says so (RFC 9110 9.3.3).
    private func storePost(_ response: UpstreamResponse) {
        let forwarded = request.forwarded
        guard let key = request.ownContentKey(at: terms.origin), let location = response.fields.first(.contentLocation),
            RelatedTarget.resolve(location, against: forwarded.target, authority: storing.settings.authority)
                == forwarded.target
        else { return }
        var facts = requestFacts
        facts.isPostOfItsOwnContent = true
        _ = store(response, key, facts)
    }

    private func store(
        _ response: UpstreamResponse, _ key: CacheKey, _ requestFacts: RequestFacts
    ) -> ExchangeState.Event {
        let event = storeIfAllowed(response, key, requestFacts)
        if case .unstored(_, let reason) = event { noteUnstored(response, reason, key) }
        return event
    }

    private func storeIfAllowed(
        _ response: UpstreamResponse, _ key: CacheKey, _ requestFacts: RequestFacts
    ) -> ExchangeState.Event {
        let facts = response.facts
        switch decision(response, facts, requestFacts) {
        case .no(let reason): return .unstored(response, reason)
        case .store where isInvalid || isChosen: return .unstored(response, .outdated)
        // A stored error would replace the stand-in.
        case .store
        where OriginVerdict.standsIn(forStatus: response.status) && storing.accounts.storedStandIn(for: request) != nil:
            return .outranked(response)
        case .store where response.status == 400 && !mayKeepBadRequest(response):
            return .unstored(response, .status)
        case .store(let lifetime):
            let scan = response.scan
            if let reason = reasonAgainst(scan, of: response) { return .unstored(response, reason) }
            let stored = storable(response, scan, key, lifetime)
            if isChosen(stored) { return .unstored(response, .outdated) }
            return place(stored, response, varyingBy: facts.vary.selecting(under: request.facts.rule))
        }
    }

    /// Why the content of a 200 forbids to keep it under an operator's rule, which the log says
    /// too. Errors are of one moment. The origin's rules are about whatever it sends.
    private func reasonAgainst(_ scan: DocumentScan, of response: UpstreamResponse) -> Reason? {
        guard response.status == 200, !request.facts.rule.followsOrigin, !scan.isAnswer || scan.hasErrors else {
            return nil
        }
        let subject = request.facts.route.template
        guard scan.isAnswer else {
            troubles.noteFailure("answers \(subject) with a 200 that is not a valid answer")
            return .noAnswer
        }
        troubles.tell("answers \(subject) with errors beside data: such answers are not stored", .incomplete)
        return .incomplete
    }

    /// Whether a 400 may be stored: its errors blame the path or a parameter, a client asked for
    /// the target itself, and no 200 is stored for it. Under the origin's rules its fields alone
    /// decide.
    private func mayKeepBadRequest(_ response: UpstreamResponse) -> Bool {
        if request.facts.rule.followsOrigin { return true }
        return request.purpose.isOwnTarget && mayTakePlace(status: 400) && RequestBlame.isOnTarget(response.body)
    }

    /// False for a 400 where a 200 is stored, except under the origin's rules.
    func mayTakePlace(status: Int) -> Bool {
        status != 400 || request.facts.rule.followsOrigin || request.stored?.status != 200
    }

    private func place(
        _ stored: StoredResponse, _ response: UpstreamResponse, varyingBy vary: ResponseFacts.Vary
    ) -> ExchangeState.Event {
        if removeOvertaking(stored) { return .unstored(response, .outdated) }
        let fields = request.forwarded.selectingFields
        let placed = put(bornUnder: born) {
            $0.store(stored, varyingBy: vary, forwarded: fields.span, storing.base.reader)
        }
        guard let placed else { return .unstored(response, .outdated) }
        if request.isSuperset { placed.awaitUse() }
        storing.base.statistics.count(.stored)
        noteKept(placed)
        storing.composing.learn(from: placed, original: response.original, request, asked: terms.arrivals)
        return event(placed, originStatus: response.status)
    }

    /// Removes a composed answer with other content that was shown under this key while this one
    /// was fetched, from a part that arrived meanwhile; whether there was one. Their order is
    /// unknown, so neither is stored.
    private func removeOvertaking(_ stored: StoredResponse) -> Bool {
        let cache = storing.base.cache
        guard stored.key.variant.isEmpty, let shown = cache.memory.lookup(stored.key), shown.composition != nil,
            shown.arrival > terms.arrivals, shown.status != stored.status || shown.body != stored.body
        else { return false }
        storing.composing.learn(from: stored, original: nil, request, asked: terms.arrivals)
        cache.remove(shown)
        return true
    }

    private func noteKept(_ placed: StoredResponse) {
        storing.base.noteKept(placed)
        storing.library.noteNames(in: placed, at: storing.base.unixSeconds)
    }

    /// Keeps an answer that another node fetched; nil where it was purged since then or since the
    /// flight began, its target was changed, or a later answer that this node has contradicts it.
    func keep(_ response: StoredResponse) -> StoredResponse? {
        let born = min(response.born, flight?.born ?? .max)
        let arrived = response.numbered(storing.base.cache.numberArrival())
        guard let placed = put(arrived, bornUnder: born) else { return nil }
        noteKept(placed)
        let mapped = learn(from: placed)
        // This node has seen, and may have shown, a later state.
        guard storing.library.isOutdated(mapped) else { return mapped }
        storing.base.cache.remove(mapped)
        return nil
    }

    /// Learns from an answer that the origin did not send whole; returns it with its map.
    func learn(from placed: StoredResponse) -> StoredResponse {
        guard storing.composing.library(for: request.facts) != nil else { return placed }
        var mapped = placed
        if placed.status == 200, placed.outline == nil, let map = DocumentScan(placed.body).document {
            mapped = storing.base.cache.attach(map, to: placed)
        }
        storing.composing.learn(from: mapped, original: nil, request, asked: terms.arrivals)
        return mapped
    }

    /// This node's decision about an answer that another node has stored.
    func decision(asIfAnew response: StoredResponse) -> StoreDecision {
        let fields = Array(response.fields)
        return decision(ResponseFacts(status: response.status, fields: fields.span), requestFacts)
    }

    func event(_ stored: StoredResponse, originStatus: Int) -> ExchangeState.Event {
        let isReusable = Freshness.of(stored, at: storing.base.unixSeconds) != .expired
        return .stored(stored, originStatus: originStatus, isReusable: isReusable)
    }

    private func decision(
        _ response: UpstreamResponse, _ facts: ResponseFacts, _ requestFacts: RequestFacts
    ) -> StoreDecision {
        // Under the operator's rule one form of each answer is kept.
        if !request.facts.rule.followsOrigin, response.hasContentCoding { return .no(.contentCoding) }
        return decision(facts, requestFacts)
    }

    private func decision(_ facts: ResponseFacts, _ requestFacts: RequestFacts) -> StoreDecision {
        let policy = storing.settings.policy
        let decision = StoreDecision.decide(
            requestFacts, facts, rule: request.facts.rule, notFound: policy.notFound, badRequest: policy.badRequest,
            speed: policy.speed, within: longestKept(facts.responseDelay), now: storing.base.unixSeconds)
        guard case .store(let lifetime) = decision else { return decision }
        // The origin may vary the answer by the site, which is not part of the key.
        let site = storing.accounts.signs ? nil : request.forwarded.clientAuthorization?.site
        if request.facts.rule.followsOrigin, site != nil { return .no(.authorization) }
        return mayBePassing(facts.status) && contradictsWhatIsHeld(for: lifetime.freshFor)
            ? .no(.contradicted) : decision
    }

    /// Whether the status says "not found", which may be a passing error; a 451 is none.
    private func mayBePassing(_ status: Int) -> Bool { status == 404 || status == 410 }

    /// Whether "not found" contradicts a fresh answer under an operator's rule, for `patience`
    /// seconds at most.
    func contradictsWhatIsHeld(for patience: Int) -> Bool {
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
            receivedAt: timeOfArrival,
            arrival: storing.base.cache.numberArrival(), born: born,
            lifetime: lifetime, classTag: route.resourceClass.rawValue, storefront: route.storefront?.bytes ?? [],
            resources: scan.mentions,
            outline: storing.composing.library(for: request.facts) != nil ? scan.document : nil,
            gzip: response.storableGzip)
    }

    /// The time of receipt of an answer that comes now, unix seconds.
    var timeOfArrival: Int64 { storing.base.cache.timeOfArrival(at: storing.base.unixSeconds) }

    func put(_ response: StoredResponse, bornUnder number: Int64) -> StoredResponse? {
        put(bornUnder: number) { cache in
            cache.store(response)
            return response
        }
    }

    private func put(
        bornUnder number: Int64, _ place: (ResponseCache) -> StoredResponse
    ) -> StoredResponse? {
        Self.put(
            into: storing.base.cache, at: storing.base.unixSeconds, bornUnder: number, unless: { isInvalid }, place)
    }

    /// Stores by `place`; nil where the answer is out of date, and was removed again, or only its
    /// freshness, as the purge has it. The check comes after the store: a purge may have passed
    /// between an earlier check and the store.
    /// - Parameter number: purges up to that do not concern the answer.
    static func put(
        into cache: ResponseCache, at now: Int64, bornUnder number: Int64, unless isInvalid: () -> Bool,
        _ place: (ResponseCache) -> StoredResponse
    ) -> StoredResponse? {
        let placed = place(cache)
        switch isInvalid() ? .gone : cache.purges.verdict(on: placed, since: number) {
        case .untouched: return placed
        case .stale: cache.soften(placed, at: now)
        case .gone: cache.remove(placed.key)
        }
        return nil
    }

    /// The number of the latest purge when the fetch began.
    var born: Int64 { flight?.born ?? 0 }

    /// Whether the target was written while the request was under way, or another origin was asked
    /// than the key says.
    var isInvalid: Bool {
        !request.isKeyed(at: terms.origin) || flight.map { storing.flights.isInvalid($0) } ?? false
    }

    /// Whether a purge meanwhile has chosen whatever answers the request, so that its content need
    /// not be read.
    private var isChosen: Bool {
        storing.base.cache.purges.choose(
            AwaitedAnswer(to: request.forwarded.target, request.facts, asking: nil), since: born)
    }

    /// Whether a purge meanwhile has chosen this answer. One that names no resource counts as an
    /// answer about those that were asked for.
    func isChosen(_ response: StoredResponse) -> Bool {
        let purges = storing.base.cache.purges
        return purges.choose(response, since: born)
            || response.resources.isEmpty && purges.choose(AwaitedAnswer(to: request), since: born)
    }
}
