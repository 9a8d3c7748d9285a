import AppleMusic
import Cache
import Compose
import EventLoop
import HTTP
import Server
import Upstream

/// The proxy of one loop: from a request to its plan, and from the plan to an answer.
///
/// Confined to its loop. Answering a hit reuses the storage of the last request and allocates
/// nothing, except for pages of lists, after which a client may walk on.
public final class ProxyService: Service {
    private(set) var shared: ProxyShared
    /// Of `shared`, and never another: a constant costs a hit no counting of references.
    let cache: ResponseCache
    let context: LoopContext
    private(set) var gate: UpstreamGate
    let statistics: Statistics
    let observer: RequestObserver
    private(set) var failures: FailureReport
    let reader: StoreReader?
    private(set) lazy var batcher = Batcher(self)
    var walks = PageWalks()
    private var target = CanonicalTarget()
    private var key = CacheKey()
    /// What `target` asks for of the catalog, where the plan had to know.
    private var catalogRequest: CatalogRequest?

    public init(
        shared: ProxyShared, context: LoopContext, gate: UpstreamGate, reader: StoreReader?, statistics: Statistics,
        log: (sink: AccessLogSink, format: AccessLogFormat)?
    ) {
        self.shared = shared
        cache = shared.cache
        self.context = context
        self.gate = gate
        self.reader = reader
        self.statistics = statistics
        failures = FailureReport(shared.warn)
        observer = RequestObserver(
            statistics, context, shared.feed,
            log: log.map { AccessLog(sink: $0.sink, format: $0.format, loop: context.loop) },
            recorder: shared.recorder)
    }

    /// Goes over to other settings between two requests. Exchanges under way ask here for what they
    /// need next, such as another token after a 401, and get what counts now.
    func adopt(
        _ shared: ProxyShared, gate: UpstreamGate, log: (sink: AccessLogSink, format: AccessLogFormat)?
    ) {
        observer.log?.flush()
        observer.log = log.map { AccessLog(sink: $0.sink, format: $0.format, loop: context.loop) }
        // What was reported of the same origin stays reported.
        if gate !== self.gate { failures = FailureReport(shared.warn) }
        self.gate = gate
        self.shared = shared
        // What was concluded from earlier requests follows from settings that count no more: who
        // may ask, for one.
        context.forgetRequests()
    }

    public func handle(_ connection: ClientConnection) {
        // A preflight is no request of the app's.
        if CrossOrigin.isPreflight(connection.head) { return answerPreflight(connection) }
        statistics.count(.requests)
        if answerAsBefore(connection) { return }
        if let refusal = connection.withHeadBytes({ bytes in refusal(of: connection, bytes) }) {
            statistics.count(.refused)
            refuse(connection, refusal.error, retryAfter: refusal.retryAfter)
        } else {
            let (facts, user) = readFacts(connection)
            perform(plan(facts, connection), facts, user, connection)
        }
    }

    public func refused(_ connection: ClientConnection, status: Int, contentLength: Int) {
        statistics.count(.requests)
        statistics.count(.refused)
        observer.recordRefusal(status: status, contentLength: contentLength, on: connection)
    }

    /// Why the request is not served at all; nil when it is, and `target` then holds its canonical
    /// form.
    private func refusal(
        of connection: ClientConnection, _ bytes: Span<UInt8>
    ) -> (error: AppleError, retryAfter: Int?)? {
        let head = connection.head
        connection.client = shared.clientKeys?.client(presenting: head, bytes)
        if shared.clientKeys != nil {
            guard let client = connection.client else {
                return (AppleError(status: 401, detail: "A client key is needed here."), nil)
            }
            if let wait = client.admit(at: context.loop.now) {
                let detail = "This client may send \(client.rate ?? 0) requests a second."
                return (AppleError(status: 429, detail: detail), wait)
            }
        }
        return malformation(of: head, bytes).map { ($0, nil) }
    }

    private func malformation(of head: RequestHead, _ bytes: Span<UInt8>) -> AppleError? {
        // An origin that answers TRACE would send the proxy's own token back (RFC 9110 9.3.8).
        if head.method == .trace { return AppleError(status: 405, detail: "TRACE is not forwarded.") }
        // Which of them the origin goes by is not known, so neither is whose answer it gives.
        if head.fields.count(.musicUserToken) > 1 {
            return AppleError(status: 400, detail: "More than one Music-User-Token.")
        }
        do throws(TargetError) {
            try target.parse(bytes.extracting(head.target.range))
            return nil
        } catch {
            return AppleError(status: 400, detail: "Invalid request target: \(error.reason).")
        }
    }

    private func plan(_ facts: PlanFacts, _ connection: ClientConnection) -> Plan {
        let now = context.unixSeconds
        var stored: StoredResponse?
        if facts.passReason == nil, let scope = facts.scope {
            key.set(scope: scope, target: target.bytes)
            stored =
                facts.rule.followsOrigin ? lookUpVariant(connection, now) : cache.lookup(key, reader, at: now)
        }
        let isVariant = !key.variant.isEmpty
        let (plan, request) = decide(facts, stored, isVariant: isVariant, asking: CatalogRequest(target), at: now)
        catalogRequest = request
        return plan
    }

    /// The plan for what was found, and what is asked for of the catalog, where the plan had to
    /// know. For requests, and for operators who only want to know (`isPeeking`).
    /// - Parameters:
    ///   - stored: what the cache holds, if it was asked.
    ///   - isVariant: whether the answers to the target are told apart by request fields.
    func decide(
        _ facts: PlanFacts, _ stored: StoredResponse?, isVariant: Bool,
        asking request: @autoclosure () -> CatalogRequest?, at now: Int64, isPeeking: Bool = false
    ) -> (Plan, CatalogRequest?) {
        let missing = stored == nil && isVariant ? Reason.absentVariant : .absent
        let plan = Plan.decide(facts, stored: stored, missing: missing, unixSeconds: now)
        guard plan.canBeComposed, let library = shared.library(for: facts), let request = request() else {
            return (plan, nil)
        }
        let outcome = compose(request, library, under: facts.rule, isPeeking: isPeeking)
        return (plan.improved(by: outcome, verifying: library.settings.compose == .verify), request)
    }

    /// Answers of classes that follow the origin's rules may differ by request fields; `key`
    /// becomes the variant's.
    private func lookUpVariant(_ connection: ClientConnection, _ now: Int64) -> StoredResponse? {
        connection.withHeadBytes { bytes in
            shared.cache.lookup(&key, reader, at: now, selecting: connection.head.fields, bytes)
        }
    }

    private func perform(
        _ plan: Plan, _ facts: PlanFacts, _ user: UserHash?, _ connection: ClientConnection
    ) {
        switch plan {
        case .hit(let stored, let ttl):
            statistics.count(.hits)
            noteStep(stored, facts, forwarded(facts, connection))
            remember(key, facts, connection)
            serve(
                stored, .hit(ttl: ttl, detail: stored.composition?.detail), template: facts.logTemplate, to: connection)
        case .compose(let composed):
            statistics.count(.hits)
            statistics.count(.upstreamSaved)
            let stored = store(composed, key, facts)
            let ttl = stored.freshFor - stored.age(at: context.unixSeconds)
            noteStep(stored, facts, forwarded(facts, connection))
            serve(stored, .hit(ttl: ttl, detail: composed.detail), template: facts.logTemplate, to: connection)
        case .complete(let supplement):
            statistics.count(.misses)
            statistics.count(because: .partial)
            var originRequest = originRequest(facts, user, .partial, nil, connection)
            originRequest.supplement = supplement
            Exchange(originRequest, connection, service: self).start()
        case .verify(let expected, let reason, let stored):
            statistics.count(.misses)
            statistics.count(because: reason)
            var originRequest = originRequest(facts, user, reason, stored, connection)
            originRequest.expected = expected
            Exchange(originRequest, connection, service: self).start()
        case .stale(let stored, let ttl, let reason, let refreshes):
            statistics.count(.hits)
            statistics.count(.stale)
            statistics.count(because: reason)
            // Before the answer: the next request may be read as soon as this one is answered.
            if refreshes { refresh(stored, facts, user, connection) }
            serve(stored, .hit(ttl: ttl, detail: reason), template: facts.logTemplate, to: connection)
        case .fetch(let reason, let stored):
            statistics.count(.misses)
            statistics.count(because: reason)
            Exchange(originRequest(facts, user, reason, stored, connection), connection, service: self).start()
        case .pass(let reason):
            statistics.count(.bypassed)
            statistics.count(because: reason)
            Exchange(originRequest(facts, user, reason, nil, connection), connection, service: self).start()
        case .refuse(let reason):
            statistics.count(.refused)
            statistics.count(because: reason)
            refuse(
                connection, AppleError(status: 504, detail: "Nothing is stored that this request accepts."),
                key: key, template: facts.logTemplate, status: .refused(reason))
        }
    }
}

// MARK: - Who asks, and for what

extension ProxyService {
    /// What the plan depends on, and whose token goes along: nil without one, or where nothing
    /// personal is kept.
    private func readFacts(_ connection: ClientConnection) -> (PlanFacts, UserHash?) {
        let rule = shared.policy[target.route.resourceClass]
        return connection.withHeadBytes { bytes -> (PlanFacts, UserHash?) in
            let user = shared.keepsPersonal && target.route.isPersonal ? user(connection.head, bytes) : nil
            let facts = PlanFacts(
                method: connection.head.method, route: target.route, hasContent: !connection.body.isEmpty,
                scope: scope(connection.head, bytes, user), rule: rule,
                requestControl: rule.followsOrigin
                    ? CacheControl(request: connection.head.fields, bytes) : CacheControl())
            return (facts, user)
        }
    }

    /// Who may share the answer; nil where it is one user's and is not kept. On routes that are
    /// known to be shared the token is dropped; elsewhere its presence makes the answer one user's.
    private func scope(_ head: RequestHead, _ bytes: Span<UInt8>, _ user: UserHash?) -> CacheKey.Scope? {
        if target.route.isShared { return .shared }
        guard target.route.isPersonal else { return head.carriesUserToken(bytes) ? nil : .shared }
        return user.flatMap { shared.users?.scope(of: $0, at: context.unixSeconds) }
    }

    /// Whose token the origin will see; nil where something else than that token might tell it who
    /// asks. A write counts as that user's all the same.
    private func user(_ head: RequestHead, _ bytes: Span<UInt8>) -> UserHash? {
        if head.method.isSafe, head.carriesPlayersToken(bytes) || head.fields.contains(.cookie) { return nil }
        if let field = head.fields.first(.musicUserToken) {
            return shared.users?.user(ofToken: bytes.extracting(field.value.range))
        }
        guard mayUseOperatorsToken(head, bytes), let token = shared.credentials.musicUser else { return nil }
        return token.withUnsafeBytes { shared.users?.user(ofToken: $0.bindMemory(to: UInt8.self).span) }
    }

    /// Whether the operator's own user token may stand in: not for a web page that the operator has
    /// not named, be it that it says where it comes from, or that it has rebound its own name to
    /// this address. A client key settles it.
    private func mayUseOperatorsToken(_ head: RequestHead, _ bytes: Span<UInt8>) -> Bool {
        guard shared.credentials.musicUser != nil else { return false }
        if shared.clientKeys != nil { return true }
        guard let origin = head.fields.first(.origin) else { return head.addressesLoopback(bytes) }
        return shared.crossOrigin.names(bytes.extracting(origin.value.range))
    }

    private func originRequest(
        _ facts: PlanFacts, _ user: UserHash?, _ reason: Reason, _ stored: StoredResponse?,
        _ connection: ClientConnection, asGet: Bool = false
    ) -> OriginRequest {
        OriginRequest(
            facts: facts, reason: reason, request: forwarded(facts, connection, asGet: asGet),
            key: facts.passReason != nil ? nil : key, stored: stored,
            mayUseOperatorsToken: connection.withHeadBytes { mayUseOperatorsToken(connection.head, $0) }, user: user,
            catalogRequest: catalogRequest)
    }

    private func forwarded(
        _ facts: PlanFacts, _ connection: ClientConnection, asGet: Bool = false
    ) -> ForwardedRequest {
        let breadth: ForwardedRequest.Breadth =
            facts.passReason != nil ? .all : facts.rule.followsOrigin ? .impersonal : .none
        return connection.withHeadBytes { bytes in
            ForwardedRequest(
                head: connection.head, bytes: bytes, canonical: target, body: connection.body, breadth: breadth,
                asGet: asGet, dropsAuthorization: shared.clientKeys?.isPresentedAsBearer(connection.head) ?? false)
        }
    }

    /// Asks for a newer answer behind the stale one; one request for each key, whoever comes.
    private func refresh(
        _ stored: StoredResponse, _ facts: PlanFacts, _ user: UserHash?, _ connection: ClientConnection
    ) {
        guard let flight = shared.flights.refresh(key, now: context.loop.now) else { return }
        let originRequest = originRequest(facts, user, .staleWhileRevalidate, stored, connection, asGet: true)
        fetchBehind(originRequest, flight)
    }

    /// Asks the origin for what nobody waits for.
    func fetchBehind(_ originRequest: OriginRequest, _ flight: Flights.FlightID) {
        let fetch = Fetch(originRequest, flight: flight, listener: nil, service: self)
        shared.flights.note(fetch, as: flight, on: context.loop)
        fetch.start()
    }
}

// MARK: - Answers of its own

extension ProxyService {
    /// Answers with what is stored.
    ///
    /// - Parameters:
    ///   - template: written to the log in place of a private target.
    ///   - upstreamTime: how long the origin took, where it was asked.
    ///   - known: what was concluded from the request before, where that is at hand.
    func serve(
        _ stored: StoredResponse, _ status: CacheStatus, template: StaticString?, upstreamTime: Duration? = nil,
        known: RequestConclusion? = nil, to connection: ClientConnection
    ) {
        let coding = coding(of: stored, for: connection)
        let form = connection.withHeadBytes { bytes in
            AnswerForm.of(stored, for: connection.head.method, connection.head.fields, bytes)
        }
        guard form != .unsatisfiable else {
            return refuse(
                connection, AppleError(status: 416, detail: "The stored answer has no such bytes."),
                key: stored.key, template: template, upstreamTime: upstreamTime, status: status
            ) { stored.appendContentRange(to: &$0) }
        }
        let content = form.content(of: stored, coding)
        let age = stored.age(at: context.unixSeconds)
        observer.record(
            AnsweredRequest(
                status: form.status(of: stored), contentLength: connection.head.method == .head ? 0 : content.count,
                cacheStatus: status, key: stored.key, template: template, upstreamTime: upstreamTime),
            stored, form, coding, age: age, known, on: connection)
        let file =
            form == .whole && coding == .identity && connection.sendsFiles ? shared.sealedBodies.file(of: stored) : nil
        connection.respond(content: content, file: file, writesDate: !stored.hasDate) { buffer in
            stored.appendHead(form, coding, to: &buffer)
            buffer.append("Age: ")
            buffer.append(decimal: age)
            buffer.append("\r\n")
            status.write(to: &buffer)
            writeCrossOrigin(connection, to: &buffer)
        }
    }

    func writeCrossOrigin(_ connection: ClientConnection, to buffer: inout ByteBuffer) {
        connection.withHeadBytes { bytes in
            shared.crossOrigin.write(for: connection.head, bytes, to: &buffer)
        }
    }

    private func answerPreflight(_ connection: ClientConnection) {
        observer.recordPreflight(on: connection)
        connection.respond(content: []) { buffer in
            CrossOrigin.writePreflight(to: &buffer)
            writeCrossOrigin(connection, to: &buffer)
        }
    }

    /// Answers with an error of the proxy's own.
    ///
    /// - Parameters:
    ///   - key: under which an answer would be; nil where the request names none.
    ///   - template: written to the log in place of the target; a target that is malformed or
    ///     private is not repeated there.
    ///   - retryAfter: seconds, where another try is worth while by then.
    ///   - upstreamTime: how long the origin took, where it was asked.
    ///   - status: what `Cache-Status` says when the cache was asked.
    ///   - fields: further fields.
    func refuse(
        _ connection: ClientConnection, _ error: AppleError, key: CacheKey? = nil, template: StaticString? = "-",
        retryAfter: Int? = nil, upstreamTime: Duration? = nil, status: CacheStatus? = nil,
        fields: (inout ByteBuffer) -> Void = { _ in }
    ) {
        let content = error.content
        observer.record(
            AnsweredRequest(
                status: error.status, contentLength: content.count, cacheStatus: status, key: key,
                template: template, upstreamTime: upstreamTime),
            .passed(fields: AppleError.fields(retryAfter: retryAfter), content: content), on: connection)
        connection.respond(content: content) { buffer in
            AppleError.writeHead(status: error.status, contentLength: content.count, to: &buffer)
            if error.status == 405 { buffer.append("Allow: GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS\r\n") }
            if let retryAfter {
                buffer.append("Retry-After: ")
                buffer.append(decimal: retryAfter)
                buffer.append("\r\n")
            }
            fields(&buffer)
            status?.write(to: &buffer)
            writeCrossOrigin(connection, to: &buffer)
        }
    }
}
