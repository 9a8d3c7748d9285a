import AppleMusic
import Cache
import Freshness
import HTTP
import Upstream

/// Puts the answer to one request into the cache: stores it, freshens the stored one by a 304 or a
/// HEAD, or gives the reason for neither.
///
/// An answer is born under the number of its flight. Without a flight nothing of the origin's is
/// stored; its number is 0, so that any purge would count. Answers of other nodes bring their own.
struct AnswerStorage {
    private let request: OriginRequest
    /// The flight that the request leads; nil where it leads none.
    private let flight: Flights.FlightID?
    /// The number of the latest answer when the origin was asked (`ResponseCache.arrivals`).
    private let asked: Int64
    private let storing: StorageParts

    /// The largest answer that is collected although it will not be kept. Larger ones need new
    /// memory, which costs 0.5 ms a MiB, more than copying.
    private static let mostHeldBack = 256 << 10

    init(_ request: OriginRequest, _ flight: Flights.FlightID?, asked: Int64 = .max, _ storing: StorageParts) {
        (self.request, self.flight, self.asked, self.storing) = (request, flight, asked, storing)
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

    /// Why an answer whose head has come is streamed; nil where it is collected: it is small, may
    /// be kept, is changed, or has a stand-in for an early end.
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
        guard let key = request.ownContentKey, let location = response.fields.first(.contentLocation),
            RelatedTarget.resolve(location, against: forwarded.target, authority: storing.shared.authority)
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
        case .store where isInvalid || isChosen: return .unstored(response, .outdated)
        // A stored error would replace the stand-in.
        case .store
        where OriginVerdict.standsIn(forStatus: response.status) && storing.accounts.storedStandIn(for: request) != nil:
            return .outranked(response)
        case .store where response.status == 400 && !mayKeepBadRequest(response):
            return .unstored(response, .status)
        case .store(let lifetime):
            let scan = response.scan
            guard scan.isAnswer || response.status != 200 || request.facts.rule.followsOrigin else {
                OriginTroubles(storing.shared, storing.base).noteFailure(
                    "answers \(request.facts.route.template) with a 200 that is not a valid answer")
                return .unstored(response, .noAnswer)
            }
            let stored = storable(response, scan, key, lifetime)
            if isChosen(stored) { return .unstored(response, .outdated) }
            return place(stored, response, varyingBy: facts.vary)
        }
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
        if isOvertaken(stored) { return .unstored(response, .outdated) }
        let fields = request.forwarded.selectingFields
        let placed = put(bornUnder: born) {
            $0.store(stored, varyingBy: vary, forwarded: fields.span, storing.base.reader)
        }
        guard let placed else { return .unstored(response, .outdated) }
        if request.isSuperset { placed.awaitUse() }
        storing.base.statistics.count(.stored)
        noteKept(placed)
        storing.composing.learn(from: placed, original: response.original, request, asked: asked)
        return event(placed, originStatus: response.status)
    }

    /// Whether clients were shown something else under this key meanwhile, composed of an answer
    /// that came while this one was on its way: which of them is newer cannot be told, so neither
    /// is shown again.
    private func isOvertaken(_ stored: StoredResponse) -> Bool {
        let cache = storing.base.cache
        guard stored.key.variant.isEmpty, let shown = cache.memory.lookup(stored.key), shown.composition != nil,
            shown.arrival > asked, shown.status != stored.status || shown.body != stored.body
        else { return false }
        storing.composing.learn(from: stored, original: nil, request, asked: asked)
        cache.remove(shown)
        return true
    }

    private func noteKept(_ placed: StoredResponse) {
        storing.base.noteKept(placed)
        storing.library.noteNames(in: placed, at: storing.base.unixSeconds)
    }

    /// Notes the absence of a resource that a fresh answer names.
    private func noteContradicted(_ key: CacheKey) {
        guard storing.composing.library(for: request.facts) != nil, let wanted = request.wanted else { return }
        storing.library.note(notFound: key, at: storing.base.unixSeconds, wanted)
    }

    /// Keeps an answer that another node fetched; nil where it was purged since then or since the
    /// flight began, its target was changed, or a later answer that this node has contradicts it.
    func keep(_ response: StoredResponse) -> StoredResponse? {
        let born = min(response.born, flight?.born ?? .max)
        guard let placed = put(response, bornUnder: born) else { return nil }
        noteKept(placed)
        let mapped = learn(from: placed)
        // This node has seen, and may have shown, a later state.
        guard storing.library.isOutdated(mapped) else { return mapped }
        storing.base.cache.remove(mapped)
        return nil
    }

    /// Learns from an answer that the origin did not send whole; returns it with its map.
    private func learn(from placed: StoredResponse) -> StoredResponse {
        guard storing.composing.library(for: request.facts) != nil else { return placed }
        var mapped = placed
        if placed.status == 200, placed.outline == nil, let map = DocumentScan(placed.body).document {
            mapped = storing.base.cache.attach(map, to: placed)
        }
        storing.composing.learn(from: mapped, original: nil, request, asked: asked)
        return mapped
    }

    /// This node's decision about an answer that another node has stored.
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
        // Under the operator's rule one form of each answer is kept.
        if !request.facts.rule.followsOrigin, response.hasContentCoding { return .no(.contentCoding) }
        return decision(facts, requestFacts)
    }

    private func decision(_ facts: ResponseFacts, _ requestFacts: RequestFacts) -> StoreDecision {
        let policy = storing.shared.policy
        let decision = StoreDecision.decide(
            requestFacts, facts, rule: request.facts.rule, notFound: policy.notFound, badRequest: policy.badRequest,
            speed: policy.speed, now: storing.base.unixSeconds)
        guard case .store(let lifetime) = decision else { return decision }
        // The origin may vary the answer by the site, which is not part of the key.
        let site = storing.accounts.signs ? nil : request.forwarded.clientAuthorization?.site
        if request.facts.rule.followsOrigin, site != nil { return .no(.authorization) }
        let isNotFound = facts.status == 404 || facts.status == 410
        return isNotFound && contradictsWhatIsHeld(for: lifetime.freshFor) ? .no(.contradicted) : decision
    }

    /// Whether "not found" contradicts a fresh answer under an operator's rule, for `patience`
    /// seconds at most.
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
            receivedAt: storing.base.cache.timeOfArrival(at: storing.base.unixSeconds),
            arrival: storing.base.cache.numberArrival(), born: born,
            lifetime: lifetime, classTag: route.resourceClass.rawValue, storefront: route.storefront?.bytes ?? [],
            resources: scan.mentions,
            outline: storing.composing.library(for: request.facts) != nil ? scan.document : nil,
            gzip: response.storableGzip)
    }

    private func put(_ response: StoredResponse, bornUnder number: Int64) -> StoredResponse? {
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
    private var born: Int64 { flight?.born ?? 0 }

    /// Whether the target was written while the request was under way.
    private var isInvalid: Bool { flight.map { storing.shared.flights.isInvalid($0) } ?? false }

    /// Whether a purge meanwhile has chosen whatever answers the request, so that its content need
    /// not be read.
    private var isChosen: Bool {
        storing.base.cache.purges.choose(
            AwaitedAnswer(to: request.forwarded.target, request.facts, asking: nil), since: born)
    }

    /// Whether a purge meanwhile has chosen this answer. One that names no resource counts as an
    /// answer about those that were asked for.
    private func isChosen(_ response: StoredResponse) -> Bool {
        let purges = storing.base.cache.purges
        return purges.choose(response, since: born)
            || response.resources.isEmpty && purges.choose(AwaitedAnswer(to: request), since: born)
    }
}

// MARK: - Answers about stored ones

extension AnswerStorage {
    /// Freshens the stored answer with the fields of a 304 (RFC 9111 4.3.4): `stored`, or
    /// `contradicted`.
    func freshen(by response: UpstreamResponse) -> ExchangeState.Event {
        guard let stored = request.stored, let current = current(stored) else { return .contradicted }
        let isReplaced = current.receivedAt > stored.receivedAt
        switch stored.freshened(
            by: response.freshFields(isPersonal: stored.key.isPersonal), revalidation(response),
            arrival: storing.base.cache.numberArrival(), born: born)
        {
        case .stored where isReplaced:
            // Another 304 freshened it, or the same content came again.
            guard current.status == stored.status, current.body == stored.body,
                current.isFresh(at: storing.base.unixSeconds)
            else { return .contradicted }
            storing.base.statistics.count(.revalidated)
            return event(current, originStatus: 304)
        case .stored(let freshened):
            storing.base.statistics.count(.revalidated)
            _ = put(freshened, bornUnder: born)
            storing.library.noteNames(in: freshened, at: storing.base.unixSeconds)
            // The 304 makes this state newer than every other answer.
            return event(learn(from: freshened), originStatus: 304)
        case .unstorable where isReplaced: return .contradicted
        case .unstorable(let confirmed, _):
            storing.base.statistics.count(.revalidated)
            storing.base.cache.remove(stored.key)
            return event(confirmed, originStatus: 304)
        case .contradicted: return .contradicted
        }
    }

    /// Updates the answer stored for GET by that to a HEAD (RFC 9111 4.3.5).
    private func updateByHead(_ response: UpstreamResponse) {
        // No purge up to this number has chosen the answer that is found below.
        let newest = storing.base.cache.purges.newest
        guard request.forwarded.method == .head, response.status == 200, let stored = request.stored,
            stored.status == 200, let current = current(stored), current.receivedAt <= stored.receivedAt
        else { return }
        let updated = stored.updated(
            byHead: response.freshFields(isPersonal: stored.key.isPersonal), contentLength: response.declaredLength,
            revalidation(response))
        _ = put(updated, bornUnder: newest)
    }

    /// The stored answer as it is now; nil where it was removed, which an update must not undo.
    private func current(_ stored: StoredResponse) -> StoredResponse? {
        isInvalid || isChosen(stored) ? nil : storing.base.lookup(stored.key)
    }

    /// Invalidates the target of a successful unsafe request, and the targets that its answer names
    /// (RFC 9111 4.4).
    func invalidate(by response: UpstreamResponse) {
        guard !request.forwarded.method.isSafe, (200..<400).contains(response.status) else { return }
        let base = request.forwarded.target
        invalidate(base)
        for field in [FieldName.location, .contentLocation] {
            guard let reference = response.fields.first(field) else { continue }
            let target = RelatedTarget.resolve(reference, against: base, authority: storing.shared.authority)
            if let target { invalidate(target) }
        }
    }

    /// Forgets the stored answers to a canonical target that everyone shares, and the flights for
    /// it.
    private func invalidate(_ target: [UInt8]) {
        storing.shared.flights.invalidate(target, by: flight)
        storing.base.cache.remove(CacheKey(scope: .shared, target: target))
    }

    private func revalidation(_ response: UpstreamResponse) -> Revalidation {
        let policy = storing.shared.policy
        return Revalidation(
            request: requestFacts, rule: request.facts.rule, notFound: policy.notFound, badRequest: policy.badRequest,
            speed: policy.speed, now: storing.base.unixSeconds, responseDelay: response.delay,
            parent: response.facts.parent)
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
