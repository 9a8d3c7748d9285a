import AppleMusic
import Cache
import EventLoop
import HTTP

/// One request that goes to the origin, from the client's connection to its answer.
///
/// Confined to its loop; kept alive by the upstream exchange until that has ended. When the client leaves, the exchange
/// goes on, so that what was paid for is stored (HARDENING 3, client leaves); what is then answered goes nowhere.
final class Exchange {
    enum Purpose {
        /// The answer may be stored under the key; the fallback is served when the origin has nothing better.
        case fetch(CacheKey, fallback: StoredResponse?)
        /// The answer is the client's alone.
        case pass
    }

    private let service: ProxyService
    private let connection: ClientConnection
    private let facts: PlanFacts
    private let purpose: Purpose
    private let reason: Reason
    private let request: ForwardedRequest
    /// Whether the operator's user token may stand in for a missing one.
    private let mayUseOperatorsToken: Bool
    /// The token that was sent last; nil when the proxy has none of its own.
    private var developerToken: SecretBytes?
    private var hasRenewedToken = false
    private var streamed: (status: Int, bytes: Int) = (0, 0)

    init(
        service: ProxyService, connection: ClientConnection, facts: PlanFacts, purpose: Purpose, reason: Reason,
        request: ForwardedRequest, mayUseOperatorsToken: Bool
    ) {
        self.service = service
        self.connection = connection
        self.facts = facts
        self.purpose = purpose
        self.reason = reason
        self.request = request
        self.mayUseOperatorsToken = mayUseOperatorsToken
    }

    func start() {
        let credentials = service.shared.credentials
        service.statistics.count(.upstreamRequests)
        developerToken = credentials.developer?.current(at: service.context.unixSeconds)
        let head = request.head(
            to: service.shared.authority, developerToken: developerToken,
            userToken: mayUseOperatorsToken ? credentials.musicUser : nil, origin: credentials.origin)
        _ = service.pool.send(UpstreamRequest(method: request.method, head: head, body: request.body), to: self)
    }

    private var fallback: StoredResponse? {
        if case .fetch(_, let fallback) = purpose { fallback } else { nil }
    }

    private var verdictFacts: Verdict.Facts {
        Verdict.Facts(
            canRenewToken: developerToken != nil && !hasRenewedToken, hasFallback: fallback != nil,
            isConditional: request.isConditional, asksForRange: request.asksForRange)
    }

    /// Carries out every verdict but `relay`; false when the answer is to be relayed.
    private func settles(_ status: Int) -> Bool {
        if status >= 500 {
            service.statistics.count(.upstreamErrors)
            service.failures.note("answers \(status)", at: service.context.loop.now)
        } else if status == 401 {
            service.failures.note("refuses the developer token (401)", at: service.context.loop.now)
        } else if status == 429 {
            service.failures.note("asks for fewer requests (429)", at: service.context.loop.now)
        }
        switch Verdict.of(status: status, verdictFacts) {
        case .renewToken: return startsAnew()
        case .standIn: fail(status: status, originStatus: status, .upstreamError)
        case .refuse: fail(status: 502, originStatus: status, .upstreamMalformed)
        case .relay: return false
        }
        return true
    }

    /// Sends the request again if there is another token than the refused one.
    private func startsAnew() -> Bool {
        hasRenewedToken = true
        guard let refused = developerToken, let tokens = service.shared.credentials.developer,
            tokens.renewAfterRejection(of: refused, at: service.context.unixSeconds).isWorthRetrying
        else { return false }
        start()
        return true
    }

    /// The origin gave nothing that can be passed on: the stale answer, or an error in its stead.
    private func fail(status: Int, originStatus: Int?, _ failure: Reason) {
        if let fallback {
            serve(fallback, originStatus)
            return
        }
        service.refuse(
            connection,
            AppleError(status: status, detail: "The origin gave no usable answer: \(failure.text)."),
            template: logTemplate,
            outcome: failure.word,
            forwarded: ForwardedStatus(reason: reason, status: originStatus, storing: .notStored(failure)))
    }

    private func serve(_ stored: StoredResponse, _ originStatus: Int?) {
        service.statistics.count(.stale)
        log(status: stored.status, contentLength: stored.body.count, outcome: "stale")
        let age = stored.age(at: service.context.unixSeconds)
        let report = ForwardedStatus(reason: .stale, status: originStatus, storing: .notStored(.staleIfError))
        connection.respond(content: stored.body) { buffer in
            ResponseWriter.writeStored(stored, age: age, to: &buffer)
            ResponseWriter.writeForwarded(report, to: &buffer)
            service.writeCrossOrigin(connection, to: &buffer)
        }
    }

    /// What stands in the log in place of a personal target, whose ids and queries are private.
    private var logTemplate: StaticString? {
        facts.route.isPersonal ? facts.route.template : nil
    }

    private func log(status: Int, contentLength: Int, outcome: StaticString) {
        service.log?.record(
            AccessLogEntry(
                status: status, contentLength: request.method == .head ? 0 : contentLength, outcome: outcome,
                template: logTemplate),
            on: connection)
    }
}

// MARK: - Storing

extension Exchange {
    /// Stores what may be stored; what `Cache-Status` reports, and the stored form.
    private func store(_ response: UpstreamResponse) -> (storing: ForwardedStatus.Storing, stored: StoredResponse?) {
        guard case .fetch(let key, _) = purpose else { return (.notStored(reason), nil) }
        if response.hasContentCoding { return (.notStored(.contentCoding), nil) }
        let now = service.context.unixSeconds
        let decision = StoreDecision.decide(
            requestFacts, response.facts, rule: facts.rule, notFound: service.shared.policy.notFound, now: now)
        switch decision {
        case .no(let reason): return (.notStored(reason), nil)
        case .store(let lifetime):
            let stored = StoredResponse(
                key: key, status: response.status, fields: response.storableFields, body: response.body,
                receivedAt: now, lifetime: lifetime, classTag: facts.route.resourceClass.rawValue,
                storefront: (facts.route.storefront?.text).map { Array($0.utf8) } ?? [],
                resources: ResourceMention.numbers(in: response.body.span))
            service.shared.cache.store(stored)
            service.statistics.count(.stored)
            return (.stored(ttl: lifetime.freshFor - lifetime.initialAge), stored)
        }
    }

    private var requestFacts: RequestFacts {
        var result = RequestFacts()
        result.isGet = request.method == .get
        result.isPersonal = facts.route.isPersonal
        result.requestCarriedAuthorization =
            request.clientAuthorization != nil && service.shared.credentials.developer == nil
        result.cacheControl = facts.requestControl
        return result
    }
}

// MARK: - What the origin does

extension Exchange: UpstreamReceiver {
    func upstream(_ exchange: UpstreamExchange, answered response: UpstreamResponse) {
        if settles(response.status) { return }
        let (storing, stored) = store(response)
        log(status: response.status, contentLength: response.body.count, outcome: reason.word)
        let report = ForwardedStatus(reason: reason, status: response.status, storing: storing)
        connection.respond(content: response.body) { buffer in
            if let stored {
                buffer.append(stored.head)
            } else {
                buffer.appendStatusLine(response.status)
                appendForwardable(response, to: &buffer)
                appendLength(of: response, to: &buffer)
            }
            ResponseWriter.writeForwarded(report, to: &buffer)
            service.writeCrossOrigin(connection, to: &buffer)
        }
    }

    func upstream(_ exchange: UpstreamExchange, began response: UpstreamResponse) {
        if settles(response.status) {
            exchange.cancel()
            return
        }
        streamed = (response.status, 0)
        let report = ForwardedStatus(reason: reason, status: response.status, storing: .notStored(.tooLarge))
        connection.beginStreaming(length: response.declaredLength) { buffer in
            buffer.appendStatusLine(response.status)
            appendForwardable(response, to: &buffer)
            ResponseWriter.writeForwarded(report, to: &buffer)
            service.writeCrossOrigin(connection, to: &buffer)
        }
        upstream(exchange, received: response.body)
    }

    func upstream(_ exchange: UpstreamExchange, received bytes: [UInt8]) {
        guard connection.isOpen else {
            exchange.cancel()
            return
        }
        streamed.bytes += bytes.count
        if !connection.stream(bytes, resume: { exchange.resume() }) { exchange.pause() }
    }

    func upstreamFinished(_ exchange: UpstreamExchange) {
        log(status: streamed.status, contentLength: streamed.bytes, outcome: reason.word)
        connection.endStreaming()
    }

    func upstream(_ exchange: UpstreamExchange, failed failure: UpstreamFailure) {
        service.statistics.count(.upstreamErrors)
        service.failures.note("\(failure)", at: service.context.loop.now)
        if connection.isStreaming {
            log(status: streamed.status, contentLength: streamed.bytes, outcome: "upstream-broken")
            connection.reset()
        } else {
            fail(status: failure.status, originStatus: nil, failure.reason)
        }
    }

    /// What is personal tells caches downstream to keep their hands off it, whatever the origin said.
    private func appendForwardable(_ response: UpstreamResponse, to buffer: inout ByteBuffer) {
        buffer.append(response.forwardableFields(isPersonal: facts.route.isPersonal))
        if facts.route.isPersonal { buffer.append("Cache-Control: private, no-store\r\n") }
    }

    /// 204 and 304 have no length; an answer to HEAD tells the length that GET would have (RFC 9110 8.6).
    private func appendLength(of response: UpstreamResponse, to buffer: inout ByteBuffer) {
        if response.status == 204 || response.status == 304 { return }
        let length = request.method == .head ? response.declaredLength : response.body.count
        guard let length else { return }
        buffer.append("Content-Length: ")
        buffer.append(decimal: length)
        buffer.append("\r\n")
    }
}
