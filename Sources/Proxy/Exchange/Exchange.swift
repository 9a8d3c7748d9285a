import AppleMusic
import Cache
import EventLoop
import HTTP

/// One request that goes to the origin, from the client's connection to its answer.
///
/// Confined to its loop; kept alive by the upstream exchange until that has ended. When the client leaves, the exchange
/// goes on, so that what was paid for is stored (HARDENING 3, client leaves).
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
    /// The token that was sent last.
    private var developerToken: SecretBytes?
    private var hasRenewedToken = false
    private var forwarded: ForwardedStatus
    private var streamedBytes = 0

    init(
        service: ProxyService, connection: ClientConnection, facts: PlanFacts, purpose: Purpose, reason: Reason,
        request: ForwardedRequest
    ) {
        self.service = service
        self.connection = connection
        self.facts = facts
        self.purpose = purpose
        self.reason = reason
        self.request = request
        forwarded = ForwardedStatus(reason: reason, status: nil, storing: .notStored(reason.text))
    }

    func start() {
        let credentials = service.shared.credentials
        service.statistics.count(.upstreamRequests)
        developerToken = credentials.developer?.current(at: service.context.unixSeconds)
        let head = request.head(
            to: service.shared.authority, developerToken: developerToken, userToken: credentials.musicUser)
        _ = service.pool.send(UpstreamRequest(method: request.method, head: head, body: request.body), to: self)
    }

    /// A 401 is about the developer token (API.md 2): with a new one the request is worth one more try.
    private func renewsToken(after status: Int) -> Bool {
        guard status == 401, !hasRenewedToken, let developerToken,
            let developer = service.shared.credentials.developer
        else { return false }
        hasRenewedToken = true
        return developer.renewAfterRejection(of: developerToken, at: service.context.unixSeconds).isWorthRetrying
    }

    private var fallback: StoredResponse? {
        if case .fetch(_, let fallback) = purpose { fallback } else { nil }
    }

    /// Stores what may be stored; what `Cache-Status` reports, and the stored form.
    private func store(_ response: UpstreamResponse) -> (storing: ForwardedStatus.Storing, stored: StoredResponse?) {
        guard case .fetch(let key, _) = purpose else { return (.notStored(reason.text), nil) }
        if response.hasContentCoding { return (.notStored("content-coding"), nil) }
        let now = service.context.unixSeconds
        let decision = StoreDecision.decide(
            requestFacts, response.facts, rule: facts.rule, notFound: service.shared.policy.notFound, now: now)
        switch decision {
        case .no(let reason): return (.notStored(reason.text), nil)
        case .store(let lifetime):
            let stored = StoredResponse(
                key: key, status: response.status, fields: response.storableFields, body: response.body,
                receivedAt: now, lifetime: lifetime, classTag: facts.route.resourceClass.rawValue,
                storefront: (facts.route.storefront?.text).map { Array($0.utf8) } ?? [])
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

    private func serveFallback(_ stored: StoredResponse, status: Int?) {
        let now = service.context.unixSeconds
        service.statistics.count(.stale)
        log(status: stored.status, contentLength: stored.body.count, outcome: "stale")
        let report = ForwardedStatus(reason: .stale, status: status, storing: .notStored("stale-if-error"))
        connection.respond(content: stored.body) { buffer in
            buffer.append(stored.head)
            buffer.append("Age: ")
            buffer.append(decimal: stored.age(at: now))
            buffer.append("\r\n")
            ResponseWriter.writeForwarded(report, to: &buffer)
            service.writeCrossOrigin(connection, to: &buffer)
        }
    }

    /// What stands in the log in place of a personal target, whose ids and queries are private.
    private var logTemplate: StaticString? {
        facts.route.isPersonal ? facts.route.template : nil
    }

    private func log(status: Int, contentLength: Int, outcome: StaticString) {
        guard connection.isOpen else { return }
        service.log?.record(
            AccessLogEntry(
                status: status, contentLength: contentLength, outcome: outcome,
                template: logTemplate),
            on: connection)
    }
}

// MARK: - What the origin does

extension Exchange: UpstreamReceiver {
    func upstream(_ exchange: UpstreamExchange, answered response: UpstreamResponse) {
        if renewsToken(after: response.status) {
            start()
            return
        }
        if isUnsolicited(response.status) {
            fail(status: 502, reason: "upstream-malformed")
            return
        }
        if response.status >= 500 { service.statistics.count(.upstreamErrors) }
        if let fallback, response.status >= 500 || response.status == 429 {
            serveFallback(fallback, status: response.status)
            return
        }
        let (storing, stored) = store(response)
        forwarded = ForwardedStatus(reason: reason, status: response.status, storing: storing)
        log(status: response.status, contentLength: response.body.count, outcome: reason.name)
        connection.respond(content: response.body) { buffer in
            if let stored {
                buffer.append(stored.head)
            } else {
                buffer.appendStatusLine(response.status)
                appendForwardable(response, to: &buffer)
                appendLength(of: response, to: &buffer)
            }
            ResponseWriter.writeForwarded(forwarded, to: &buffer)
            service.writeCrossOrigin(connection, to: &buffer)
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

    func upstream(_ exchange: UpstreamExchange, began response: UpstreamResponse) {
        forwarded = ForwardedStatus(reason: reason, status: response.status, storing: .notStored("too-large"))
        connection.beginStreaming(length: response.declaredLength) { buffer in
            buffer.appendStatusLine(response.status)
            appendForwardable(response, to: &buffer)
            ResponseWriter.writeForwarded(forwarded, to: &buffer)
            service.writeCrossOrigin(connection, to: &buffer)
        }
        upstream(exchange, received: response.body)
    }

    func upstream(_ exchange: UpstreamExchange, received bytes: [UInt8]) {
        guard connection.isOpen else {
            exchange.cancel()
            return
        }
        streamedBytes += bytes.count
        if !connection.stream(bytes, resume: { exchange.resume() }) { exchange.pause() }
    }

    func upstreamFinished(_ exchange: UpstreamExchange) {
        log(status: forwarded.status ?? 0, contentLength: streamedBytes, outcome: reason.name)
        connection.endStreaming()
    }

    func upstream(_ exchange: UpstreamExchange, failed failure: UpstreamFailure) {
        if connection.isStreaming {
            service.statistics.count(.upstreamErrors)
            connection.abortStreaming()
        } else {
            fail(status: failure.status, reason: failure.reason)
        }
    }

    /// 304 and 206 answer conditions and ranges; to a request that had none they are no answer (RFC 9110 15.4.5, 15.3.7).
    private func isUnsolicited(_ status: Int) -> Bool {
        (status == 304 && !request.isConditional) || (status == 206 && !request.asksForRange)
    }

    /// The origin gave nothing that can be passed on: the stale answer, or an error in its stead.
    private func fail(status: Int, reason failure: StaticString) {
        service.statistics.count(.upstreamErrors)
        if let fallback {
            serveFallback(fallback, status: nil)
        } else {
            let report = ForwardedStatus(reason: reason, status: nil, storing: .notStored("\(failure)"))
            let error = AppleError(status: status, detail: "The origin gave no usable answer: \(failure).")
            service.refuse(connection, error, template: logTemplate, forwarded: report)
        }
    }
}
