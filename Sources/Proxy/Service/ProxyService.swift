import AppleMusic
import Cache
import Compose
import Freshness
import HTTP
import Server
import Tier
import Upstream

/// The proxy of one loop: from a request to its plan, and from the plan to an answer.
///
/// Confined to its loop. Answering a hit reuses the storage of the last request and allocates
/// nothing.
public final class ProxyService: Service {
    let proxy: ProxyLoop
    private var target = CanonicalTarget()
    /// Key of the present origin, set anew for each request.
    private var key: CacheKey
    /// The user whom the request for `target` names, with places in its head.
    private var named = NamedUser.nobody
    /// The attempt to compose an answer for `target`; nil where there was none.
    private var attempt: ComposingAttempt?
    /// The nodes' generation of the user of the request while it is planned again; nil until
    /// they were asked, and without a shared tier.
    private var agreed: TierGeneration?

    /// - Parameters:
    ///   - shared: objects of the services of all loops.
    ///   - gate: the way of this loop's requests to the origin.
    ///   - reader: of the cache's file; nil where there is none.
    ///   - log: nil: no access log.
    public init(
        settings: ServiceSettings, shared: SharedStores, context: LoopContext, gate: UpstreamGate,
        reader: FileReader?, statistics: Statistics, log: AccessLogSettings?
    ) {
        let base = LoopBase(shared.cache, reader, context, statistics)
        proxy = ProxyLoop(settings, shared, gate: gate, base: base, log: log) {
            Exchange($0, for: .witness($2), $1).start()
        }
        key = CacheKey(of: settings.origin.tag)
    }

    /// Goes over to other settings between two requests.
    func adopt(_ settings: ServiceSettings, _ shared: SharedStores, gate: UpstreamGate, log: AccessLogSettings?) {
        if settings.origin.tag != key.origin { key = CacheKey(of: settings.origin.tag) }
        proxy.adopt(settings, shared, gate: gate, log: log)
    }

    public func handle(_ connection: ClientConnection) {
        // A preflight is no request of the app's.
        if CrossOrigin.isPreflight(connection.head) { return proxy.answering.answerPreflight(connection) }
        if let path = proxy.settings.healthPath, proxy.shared.health.answer(connection, at: path) { return }
        count(connection)
        if proxy.answering.answerAsBefore(connection) { return }
        if let refusal = connection.withHeadBytes({ bytes in refusal(of: connection, bytes) }) {
            refuse(connection, refusal)
        } else {
            let (facts, user) = readFacts(connection)
            perform(plan(facts, connection), facts, user, connection)
        }
    }

    /// Key, method and target are judged before content is read: nothing is kept for a stranger.
    /// Preflights come without a key, and have no content (Fetch standard, 4.8).
    public func admits(_ connection: ClientConnection) -> Bool {
        let rejection: Rejection? =
            CrossOrigin.isPreflight(connection.head)
            ? .invalid(400, "A preflight has no content.", because: "preflight-content")
            : connection.withHeadBytes { bytes in refusal(of: connection, bytes) }
        guard let refusal = rejection else { return true }
        count(connection)
        refuse(connection, refusal)
        return false
    }

    @inline(__always)
    private func count(_ connection: ClientConnection) {
        proxy.base.statistics.count(.requests)
        if connection.isHTTP2 { proxy.base.statistics.count(.http2Requests) }
    }

    public func refused(_ connection: ClientConnection, status: Int, contentLength: Int, because cause: String) {
        count(connection)
        proxy.base.statistics.count(.refused)
        proxy.observer.record(
            status: status, contentLength: contentLength,
            UnreadRequest(status: status, contentLength: contentLength, because: cause, on: connection), on: connection)
    }

    public func writeRefusalFields(to buffer: inout ByteBuffer) {
        proxy.settings.crossOrigin.writeForUnread(to: &buffer)
    }

    private func refuse(_ connection: ClientConnection, _ rejection: Rejection) {
        proxy.base.statistics.count(.refused)
        proxy.base.statistics.count(because: rejection.reason)
        proxy.answering.refuse(connection, rejection)
    }

    /// Why the request is not served at all; nil when it is, and `target` then holds its canonical
    /// form. Where the head was admitted before, only that form is made again.
    private func refusal(of connection: ClientConnection, _ bytes: Span<UInt8>) -> Rejection? {
        let head = connection.head
        if !connection.isAdmitted, let keys = proxy.settings.clientKeys {
            connection.client = keys.client(presenting: head, bytes)
            guard let client = connection.client else { return .clientKey(of: head, bytes) }
            if let wait = client.admit(at: proxy.base.now, nodes: proxy.shared.nodes.alive) {
                return .rate(client.rate ?? 0, retryAfter: wait)
            }
        }
        if let rejection = malformation(of: head, bytes) { return rejection }
        let sites = proxy.settings.crossOrigin
        return named.isForgeable(by: head, bytes, allowing: sites, isTLS: connection.isTLS) ? .crossSite : nil
    }

    private func malformation(of head: RequestHead, _ bytes: Span<UInt8>) -> Rejection? {
        // An origin that answers TRACE would send the proxy's own token back (RFC 9110 9.3.8).
        if head.asksForEcho(bytes) { return .invalid(405, "TRACE is not forwarded.", because: "trace") }
        named = NamedUser(of: head, bytes)
        if named == .several { return .invalid(400, "More than one user token.", because: "user-tokens") }
        if !head.method.isSafe,
            GatewayFields.overridesMethod(of: head, bytes, permitted: proxy.settings.forwardedFields.names)
        {
            return .invalid(
                400, "Send the request with its own method: method override fields are not forwarded.",
                because: "method-override")
        }
        do throws(TargetError) {
            try target.parse(bytes.extracting(head.target.range))
        } catch {
            return .invalid(400, "Invalid request target: \(error.reason).", because: "target")
        }
        return refuses(target) ? .otherPath : nil
    }

    /// Nil where the request is planned again later.
    private func plan(_ facts: PlanFacts, _ connection: ClientConnection) -> Plan? {
        let now = proxy.base.unixSeconds
        var stored: StoredResponse?
        if facts.passReason == nil, let scope = facts.scope {
            key.set(scope: scope, target: target.bytes)
            stored =
                facts.rule.followsOrigin
                ? lookUpVariant(connection, now) : proxy.base.lookup(key)
        }
        guard proxy.accounts.mayBeGivenStored(facts, connection) else {
            attempt = ComposingAttempt(request: CatalogRequest(target), refusal: nil)
            return Plan.decide(facts, stored: stored, unixSeconds: now).withoutStored
        }
        let isVariant = !key.variant.isEmpty
        let (plan, attempt) = decide(facts, stored, isVariant: isVariant, asking: CatalogRequest(target), at: now)
        self.attempt = attempt
        guard attempt?.wasKeptBack == true else { return plan }
        let isPostponed = proxy.composing.postpone(of: proxy.accounts.party(of: connection)) { [self] in
            resume(connection, knowing: nil)
        }
        return isPostponed ? nil : plan
    }

    /// Answers of classes that follow the origin's rules may differ by those of the client's fields
    /// that go along; `key` becomes the variant's.
    private func lookUpVariant(_ connection: ClientConnection, _ now: Int64) -> StoredResponse? {
        connection.withHeadBytes { bytes in
            proxy.base.cache.lookup(&key, proxy.base.reader, at: now) {
                ForwardedFields(
                    subset: .impersonal, isTraced: true, isForAPI: target.isOfAPI,
                    permitted: proxy.settings.forwardedFields.names(for: target)
                ).selectingLines(of: connection.head, bytes)
            }
        }
    }

    private func perform(
        _ plan: Plan?, _ facts: PlanFacts, _ user: UserHash?, _ connection: ClientConnection,
        knowing agreed: TierGeneration? = nil
    ) {
        switch plan {
        case nil: break
        case .hit(let stored, let ttl):
            proxy.base.statistics.count(.hits)
            proxy.answering.remember(key, facts, connection)
            proxy.answering.serve(
                stored, .hit(ttl: ttl, detail: stored.composition?.detail), template: facts.logTemplate, to: connection)
        case .compose(let composed):
            proxy.base.statistics.count(.hits)
            proxy.composing.noteUse(of: composed, facts)
            let stored = proxy.composed.store(composed, key, facts, attempt?.request, replacing: attempt?.replaced)
            let ttl = stored.freshFor - stored.age(at: proxy.base.unixSeconds)
            proxy.answering.serve(
                stored, .hit(ttl: ttl, detail: composed.detail), template: facts.logTemplate, to: connection)
        case .complete(let supplement) where supplement.growth != nil && facts.method == .head:
            // A HEAD asks for no larger page.
            exchange(originRequest(facts, user, .absent, nil, connection), counting: .misses, connection)
        case .complete(let supplement):
            let request = originRequest(facts, user, supplement.reason, nil, connection, supplement: supplement)
            exchange(request, counting: .misses, connection)
        case .verify(let expected, let reason, let stored):
            let request = originRequest(facts, user, reason, stored, connection, expected: expected)
            exchange(request, counting: .misses, connection)
        case .stale(let stored, let ttl, let reason, let refreshes):
            proxy.base.statistics.count(.hits)
            proxy.base.statistics.count(.stale)
            proxy.base.statistics.count(because: reason)
            var asked = AnsweredRequest.Asked()
            // Before the answer: the next request may be read as soon as this one is answered.
            if refreshes {
                asked.sent = refresh(
                    originRequest(facts, user, .staleWhileRevalidate, stored, connection, refreshes: true), facts,
                    connection)
            }
            proxy.answering.serve(
                stored, .hit(ttl: ttl, detail: reason), template: facts.logTemplate, asked: asked, to: connection)
        case .fetch(let reason, let stored):
            exchange(originRequest(facts, user, reason, stored, connection), counting: .misses, connection)
        case .pass(let reason):
            if let user, let tier = proxy.sharing.tier, agreed == nil {
                return agree(on: user, tier, facts, connection)
            }
            let cause: Reason = agreed == .unknown && reason == .personal ? .unconfirmed : reason
            exchange(originRequest(facts, user, cause, nil, connection), counting: .bypassed, connection)
        case .refuse(let reason):
            proxy.base.statistics.count(.refused)
            proxy.base.statistics.count(because: reason)
            proxy.answering.refuse(
                connection, AppleError(status: 504, detail: "No stored answer satisfies this request."),
                key: key, template: facts.logTemplate, status: .refused(reason))
        }
    }

    /// Asks for a newer answer than the stale one that is served, unless that is done already.
    /// - Returns: how many requests have left by now: none if it waits for its turn.
    private func refresh(
        _ request: @autoclosure () -> OriginRequest, _ facts: PlanFacts, _ connection: ClientConnection
    ) -> Int {
        // Mostly the request need not be made to see that another is under way.
        let made = proxy.accounts.asksPlainly(key, facts, connection.head) ? nil : request()
        let flightKey = made.map { proxy.accounts.flightKey(key, $0) } ?? proxy.accounts.plainFlightKey(key)
        assert(proxy.accounts.flightKey(key, made ?? request()) == flightKey, "made from the same request")
        let started = proxy.flights.refresh(
            flightKey, AwaitedAnswer(to: target.bytes, facts, asking: CatalogRequest(target)), now: proxy.base.now)
        guard let flight = started else { return 0 }
        let cause = proxy.accounts.party(of: connection)
        let requestCount = proxy.observer.requestCount(of: cause)
        let exchange = Exchange(made ?? request(), for: .refresh(flight, cause), proxy, requestCount)
        // A client that joins the flight promotes it.
        proxy.flights.note(exchange, as: flight, of: nil, on: proxy.base.loop)
        exchange.start()
        return requestCount.tell()
    }

    private func exchange(_ request: OriginRequest, counting counter: Counter, _ connection: ClientConnection) {
        if let crowded = Rejection.crowded(connection.requestRoom) { return refuse(connection, crowded) }
        let via = request.forwarded.via
        guard !via.isLoop(at: proxy.shared.name) else { return refuseLoop(of: via, connection) }
        Exchange(request, for: .client(connection), proxy).start()
        // Counted afterwards: the request has joined a flight by then, leads one, or was answered.
        proxy.base.statistics.count(counter)
        proxy.base.statistics.count(because: request.reason)
    }
}

extension ProxyService {
    /// The upstream leads back here: to ask it would go on until something breaks.
    private func refuseLoop(of via: ViaChain, _ connection: ClientConnection) {
        // Sixteen names can be a client's invention, and this proxy's own cannot.
        if via.names.contains(proxy.shared.name.bytes) {
            proxy.asking.troubles.noteFailure("leads back to this proxy; such requests are answered 508")
        }
        let detail = "The request has passed this proxy or \(ViaChain.most) others before."
        refuse(connection, .invalid(508, detail, because: "loop"))
    }
}

// MARK: - Agreement of the nodes on a user

extension ProxyService {
    /// Asks the shared tier whether the user has written on any node; of a write tells them all,
    /// before it leaves. Then the request is planned again.
    private func agree(on user: UserHash, _ tier: TierClient, _ facts: PlanFacts, _ connection: ClientConnection) {
        guard !facts.method.isSafe else {
            return tier.generation(of: user) { [self] found in
                if found == .unknown { proxy.shared.tier?.counters.count(.unconfirmed) }
                resume(connection, knowing: found)
            }
        }
        tier.announceWrite(of: user) { [self] isKnown in
            if isKnown { return resume(connection, knowing: .writing) }
            proxy.base.statistics.count(.refused)
            proxy.base.statistics.count(because: .unconfirmed)
            proxy.answering.refuse(
                connection, AppleError(status: 503, detail: "Other nodes cannot be informed of this write."),
                template: facts.logTemplate, retryAfter: 1)
        }
    }

    private func resume(_ connection: ClientConnection, knowing found: TierGeneration?) {
        // Other requests of the loop have used the room for the target meanwhile.
        if let rejection = connection.withHeadBytes({ malformation(of: connection.head, $0) }) {
            return refuse(connection, rejection)
        }
        agreed = found
        let (facts, user) = readFacts(connection)
        let plan = plan(facts, connection)
        // Another user's request may be read as soon as this one is answered.
        agreed = nil
        perform(plan, facts, user, connection, knowing: found)
    }
}

// MARK: - Facts for the plan: the user, and the target

extension ProxyService {
    /// The facts for the plan, and the user whose token goes along: nil without a token, or where
    /// nothing personal is kept.
    private func readFacts(_ connection: ClientConnection) -> (PlanFacts, UserHash?) {
        let rule = proxy.settings.policy[target.route.resourceClass]
        return connection.withHeadBytes { bytes -> (PlanFacts, UserHash?) in
            let user = target.route.isPersonal && proxy.keepsPersonal ? user(connection, bytes) : nil
            let facts = PlanFacts(
                method: connection.head.method, route: target.route, hasContent: !connection.body.isEmpty,
                scope: scope(of: user), rule: rule,
                requestControl: rule.followsOrigin
                    ? CacheControl(request: connection.head.fields, bytes) : CacheControl())
            return (facts, user)
        }
    }

    /// Scope of the answer; nil where it is one user's and is not kept. On routes that are
    /// known to be shared the token is dropped; elsewhere its presence makes the answer one user's.
    private func scope(of user: UserHash?) -> CacheKey.Scope? {
        if target.route.isShared { return .shared }
        guard target.route.isPersonal else { return named == .nobody ? .shared : nil }
        guard let user, let users = proxy.shared.users, !proxy.shared.personalPause.holds(at: proxy.base.now) else {
            return nil
        }
        if proxy.sharing.tier == nil { return users.scope(of: user, at: proxy.base.now) }
        guard case .current(let generation) = agreed else { return nil }
        let (scope, ended) = users.scope(of: user, in: generation, at: proxy.base.now)
        if let ended { proxy.base.cache.free(ended) }
        return scope
    }

    /// The user whose token the origin will see; nil where there is none, or where a browser sends
    /// it by itself: such answers are not kept in gzip (DECISIONS 6.12). A write counts as that
    /// user's all the same.
    private func user(_ connection: ClientConnection, _ bytes: Span<UInt8>) -> UserHash? {
        let origin = proxy.settings.origin.tag
        if case .one(let place, let isCookie) = named {
            if isCookie, connection.head.method.isSafe { return nil }
            return proxy.shared.users?.user(ofToken: NamedUser.token(at: place, in: bytes).span)?.at(origin)
        }
        guard mayUseOperatorsToken(connection, bytes), let token = proxy.settings.credentials.musicUser else {
            return nil
        }
        return token.withUnsafeBytes {
            proxy.shared.users?.user(ofToken: $0.bindMemory(to: UInt8.self).span)?.at(origin)
        }
    }

    /// Whether the operator's own user token may stand in: not where the request names a user, and
    /// not for a web page that the operator has not named, be it that it says where it comes from,
    /// that its browser does, or that it has rebound its own name to this address. A client key
    /// settles the latter.
    private func mayUseOperatorsToken(_ connection: ClientConnection, _ bytes: Span<UInt8>) -> Bool {
        let head = connection.head
        guard proxy.settings.credentials.musicUser != nil, named == .nobody else { return false }
        if proxy.settings.clientKeys != nil { return true }
        if let origin = head.fields.first(.origin) {
            return proxy.settings.crossOrigin.names(bytes.extracting(origin.value.range))
        }
        return !head.comesFromAnotherSite(bytes) && head.addresses(connection.peer.localAddress, bytes)
    }

    private func originRequest(
        _ facts: PlanFacts, _ user: UserHash?, _ reason: Reason, _ stored: StoredResponse?,
        _ connection: ClientConnection, refreshes: Bool = false, supplement: Supplement? = nil,
        expected: ComposedBody? = nil
    ) -> OriginRequest {
        OriginRequest(
            facts: facts, reason: reason, forwarded: forwarded(facts, connection, refreshes: refreshes),
            key: facts.passReason != nil ? nil : key, stored: stored,
            mayUseOperatorsToken: connection.withHeadBytes { mayUseOperatorsToken(connection, $0) }, user: user,
            catalogRequest: attempt?.request, refusal: attempt?.refusal, supplement: supplement, expected: expected)
    }

    private func forwarded(
        _ facts: PlanFacts, _ connection: ClientConnection, refreshes: Bool = false
    ) -> ForwardedRequest {
        let subset: ForwardedFields.Subset =
            facts.passReason != nil ? .all : facts.rule.followsOrigin ? .impersonal : .none
        return connection.withHeadBytes { bytes in
            ForwardedRequest(
                head: connection.head, bytes: bytes, canonical: target, body: connection.body, subset: subset,
                refreshes: refreshes, isForWhole: facts.fetchesWhole,
                dropsAuthorization: proxy.settings.clientKeys?.claim(connection.head, bytes) ?? false,
                user: named, permitted: proxy.settings.forwardedFields)
        }
    }
}
