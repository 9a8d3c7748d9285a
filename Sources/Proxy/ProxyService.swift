import AppleMusic
import Cache
import EventLoop
import HTTP

/// The proxy of one loop: from a request to its plan, and from the plan to an answer.
///
/// Confined to its loop. Answering a hit reuses the storage of the last request and allocates nothing.
public final class ProxyService: Service {
    let shared: ProxyShared
    let context: LoopContext
    let pool: UpstreamPool
    let statistics: Statistics
    let log: AccessLog?
    let failures: FailureReport
    private let reader: StoreReader?
    private var target = CanonicalTarget()
    private var key = CacheKey()

    public init(
        shared: ProxyShared, context: LoopContext, pool: UpstreamPool, reader: StoreReader?, statistics: Statistics,
        log: (sink: AccessLogSink, format: AccessLogFormat)?
    ) {
        self.shared = shared
        self.context = context
        self.pool = pool
        self.reader = reader
        self.statistics = statistics
        failures = FailureReport(shared.warn)
        self.log = log.map { AccessLog(sink: $0.sink, format: $0.format, loop: context.loop) }
    }

    public func handle(_ connection: ClientConnection) {
        statistics.count(.requests)
        if CrossOrigin.isPreflight(connection.head) {
            answerPreflight(connection)
        } else if let error = connection.withHeadBytes({ bytes in refusal(of: connection.head, bytes) }) {
            refuse(connection, error)
        } else {
            perform(plan(for: connection), connection)
        }
    }

    public func refused(_ connection: ClientConnection, status: Int, contentLength: Int) {
        statistics.count(.refused)
        log?.recordRefusal(status: status, contentLength: contentLength, on: connection)
    }

    /// Why the request is not served at all; nil when it is, and `target` then holds its canonical form.
    private func refusal(of head: borrowing RequestHead, _ bytes: Span<UInt8>) -> AppleError? {
        if let keys = shared.clientKeys, !keys.admits(head, bytes) {
            return AppleError(status: 401, detail: "A client key is needed here.")
        }
        // An origin that answers TRACE would send the proxy's own token back (RFC 9110 9.3.8).
        if head.method == .trace { return AppleError(status: 405, detail: "TRACE is not forwarded.") }
        do throws(TargetError) {
            try target.parse(bytes.extracting(head.target.range))
            return nil
        } catch {
            return AppleError(status: 400, detail: "Invalid request target: \(error.reason).")
        }
    }

    private func plan(for connection: ClientConnection) -> (plan: Plan, facts: PlanFacts) {
        let facts = connection.withHeadBytes { bytes -> PlanFacts in
            readFacts(connection.head, bytes, hasContent: !connection.body.isEmpty)
        }
        let now = context.unixSeconds
        var stored: StoredResponse?
        if facts.passReason == nil {
            key.set(scope: .shared, target: target.bytes)
            stored = shared.cache.lookup(key, reader, at: now)
        }
        return (Plan.decide(facts, stored: stored, unixSeconds: now), facts)
    }

    private func readFacts(_ head: borrowing RequestHead, _ bytes: Span<UInt8>, hasContent: Bool) -> PlanFacts {
        let rule = shared.policy[target.route.resourceClass]
        var control = CacheControl()
        if rule == .upstream {
            for field in head.fields where field.id == .cacheControl {
                control.merge(bytes.extracting(field.value.range))
            }
        }
        return PlanFacts(
            method: head.method, route: target.route, hasContent: hasContent,
            carriesUserToken: head.carriesUserToken(bytes), rule: rule, requestControl: control)
    }

    private func perform(_ planned: (plan: Plan, facts: PlanFacts), _ connection: ClientConnection) {
        switch planned.plan {
        case .hit(let stored, let ttl): serve(stored, ttl: ttl, to: connection)
        case .fetch(let reason, let fallback):
            statistics.count(.misses)
            forward(connection, planned.facts, .fetch(key, fallback: fallback), reason)
        case .pass(let reason):
            statistics.count(.bypassed)
            forward(connection, planned.facts, .pass, reason)
        }
    }
}

// MARK: - Answers of its own

extension ProxyService {
    private func serve(_ stored: StoredResponse, ttl: Int, to connection: ClientConnection) {
        statistics.count(.hits)
        let hidesContent = connection.head.method == .head
        log?.record(
            AccessLogEntry(
                status: stored.status, contentLength: hidesContent ? 0 : stored.body.count, outcome: "hit",
                template: nil),
            on: connection)
        let age = stored.age(at: context.unixSeconds)
        connection.respond(content: stored.body) { buffer in
            ResponseWriter.writeStored(stored, age: age, to: &buffer)
            ResponseWriter.writeHit(ttl: ttl, to: &buffer)
            writeCrossOrigin(connection, to: &buffer)
        }
    }

    func writeCrossOrigin(_ connection: ClientConnection, to buffer: inout ByteBuffer) {
        connection.withHeadBytes { bytes in
            shared.crossOrigin.write(for: connection.head, bytes, to: &buffer)
        }
    }

    private func answerPreflight(_ connection: ClientConnection) {
        // The target may be private, and says nothing here: a preflight asks about the proxy.
        log?.record(AccessLogEntry(status: 204, contentLength: 0, outcome: "preflight", template: "-"), on: connection)
        connection.respond(content: []) { buffer in
            CrossOrigin.writePreflight(to: &buffer)
            writeCrossOrigin(connection, to: &buffer)
        }
    }

    /// Answers with an error of the proxy's own.
    ///
    /// - Parameters:
    ///   - template: written to the log in place of the target; a target that is malformed or private is not repeated there.
    ///   - forwarded: what `Cache-Status` says when the origin was asked.
    ///   - outcome: what the log says of it.
    func refuse(
        _ connection: ClientConnection, _ error: AppleError, template: StaticString? = "-",
        outcome: StaticString = "refused", forwarded: ForwardedStatus? = nil
    ) {
        let content = error.content
        log?.record(
            AccessLogEntry(
                status: error.status, contentLength: content.count, outcome: outcome, template: template),
            on: connection)
        connection.respond(content: content) { buffer in
            AppleError.writeHead(status: error.status, contentLength: content.count, to: &buffer)
            if error.status == 405 { buffer.append("Allow: GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS\r\n") }
            if let forwarded { ResponseWriter.writeForwarded(forwarded, to: &buffer) }
            writeCrossOrigin(connection, to: &buffer)
        }
    }
}

// MARK: - Forwarding

extension ProxyService {
    private func forward(
        _ connection: ClientConnection, _ facts: PlanFacts, _ purpose: Exchange.Purpose, _ reason: Reason
    ) {
        let (request, isTrusted) = connection.withHeadBytes { bytes -> (ForwardedRequest, Bool) in
            let head = connection.head
            let request = ForwardedRequest(
                head: head, bytes: bytes, canonical: target, body: connection.body,
                breadth: facts.passReason != nil ? .all : facts.rule == .upstream ? .impersonal : .none,
                dropsAuthorization: shared.clientKeys?.isPresentedAsBearer(head) ?? false)
            return (request, mayUseOperatorsToken(head, bytes))
        }
        Exchange(
            service: self, connection: connection, facts: facts, purpose: purpose, reason: reason, request: request,
            mayUseOperatorsToken: isTrusted
        )
        .start()
    }

    /// Whether the operator's own user token may stand in: not for a web page that the operator has not named, be it that
    /// it says where it comes from, or that it has rebound its own name to this address. A client key settles it.
    private func mayUseOperatorsToken(_ head: borrowing RequestHead, _ bytes: Span<UInt8>) -> Bool {
        guard shared.credentials.musicUser != nil else { return false }
        if shared.clientKeys != nil { return true }
        guard let origin = head.fields.first(.origin) else { return head.addressesLoopback(bytes) }
        return shared.crossOrigin.names(bytes.extracting(origin.value.range))
    }
}
