import AppleMusic
import Cache
import EventLoop
import Glibc
import HTTP

/// What all loops' services share: the cache, the tokens, the operator's policy.
public struct ProxyShared: Sendable {
    public let cache: ResponseCache
    public var credentials: Credentials
    public let policy: Policy
    /// `Host` of the upstream requests.
    public let authority: [UInt8]
    public let crossOrigin: CrossOrigin
    /// nil: anyone who can connect is served.
    public var clientKeys: ClientKeys?

    public init(
        cache: ResponseCache, credentials: Credentials, policy: Policy, authority: String,
        crossOrigin: CrossOrigin = .any
    ) {
        self.crossOrigin = crossOrigin
        self.cache = cache
        self.credentials = credentials
        self.policy = policy
        self.authority = Array(authority.utf8)
    }
}

/// The proxy of one loop: from a request to its plan, and from the plan to an answer.
///
/// Confined to its loop. Answering a hit reuses the storage of the last request and allocates nothing.
public final class ProxyService: Service {
    let shared: ProxyShared
    let context: LoopContext
    let pool: UpstreamPool
    let statistics: Statistics
    let log: AccessLog?
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
        self.log = log.map { AccessLog(sink: $0.sink, format: $0.format, loop: context.loop) }
    }

    public func handle(_ connection: ClientConnection) {
        statistics.count(.requests)
        if CrossOrigin.isPreflight(connection.head) {
            answerPreflight(connection)
            return
        }
        guard admits(connection) else {
            refuse(connection, AppleError(status: 401, detail: "A client key is needed here."))
            return
        }
        do throws(TargetError) {
            try connection.withHeadBytes { bytes throws(TargetError) in
                try target.parse(bytes.extracting(connection.head.target.range))
            }
        } catch {
            refuse(connection, AppleError(status: 400, detail: "Invalid request target: \(error.reason)"))
            return
        }
        let facts = facts(of: connection)
        let now = context.unixSeconds
        var stored: StoredResponse?
        if facts.passReason == nil {
            key.set(scope: .shared, target: target.bytes)
            stored = shared.cache.lookup(key, reader, at: now)
        }
        switch Plan.decide(facts, stored: stored, unixSeconds: now) {
        case .hit(let stored, let ttl): serve(stored, ttl: ttl, now, to: connection)
        case .fetch(let reason, let fallback):
            statistics.count(.misses)
            forward(connection, facts, .fetch(key, fallback: fallback), reason)
        case .pass(let reason):
            statistics.count(.bypassed)
            forward(connection, facts, .pass, reason)
        }
    }

    public func refused(_ connection: ClientConnection, status: Int) {
        statistics.count(.refused)
    }

    private func admits(_ connection: ClientConnection) -> Bool {
        guard let keys = shared.clientKeys else { return true }
        return connection.withHeadBytes { bytes in keys.admits(connection.head, bytes) }
    }

    private func facts(of connection: ClientConnection) -> PlanFacts {
        let rule = shared.policy[target.route.resourceClass]
        var control = CacheControl()
        if rule == .upstream {
            connection.withHeadBytes { bytes in
                for field in connection.head.fields where field.id == .cacheControl {
                    control.merge(bytes.extracting(field.value.range))
                }
            }
        }
        return PlanFacts(method: connection.head.method, route: target.route, rule: rule, requestControl: control)
    }

    private func serve(_ stored: StoredResponse, ttl: Int, _ now: Int64, to connection: ClientConnection) {
        statistics.count(.hits)
        log?.record(
            AccessLogEntry(status: stored.status, contentLength: stored.body.count, outcome: "hit", template: nil),
            on: connection)
        connection.respond(content: stored.body) { buffer in
            ResponseWriter.write(stored, age: stored.age(at: now), ttl: ttl, to: &buffer)
            writeCrossOrigin(connection, to: &buffer)
        }
    }

    func writeCrossOrigin(_ connection: ClientConnection, to buffer: inout ByteBuffer) {
        connection.withHeadBytes { bytes in
            shared.crossOrigin.write(for: connection.head, bytes, to: &buffer)
        }
    }

    private func answerPreflight(_ connection: ClientConnection) {
        log?.record(AccessLogEntry(status: 204, contentLength: 0, outcome: "preflight", template: nil), on: connection)
        connection.respond(content: []) { buffer in
            CrossOrigin.writePreflight(to: &buffer)
            writeCrossOrigin(connection, to: &buffer)
        }
    }

    private func forward(
        _ connection: ClientConnection, _ facts: PlanFacts, _ purpose: Exchange.Purpose, _ reason: Reason
    ) {
        let request = connection.withHeadBytes { bytes in
            ForwardedRequest(
                head: connection.head, bytes: bytes, canonical: target, body: connection.body,
                dropsAuthorization: shared.clientKeys != nil,
                neutralOnly: !facts.route.isPersonal && facts.rule != .upstream && facts.passReason == nil)
        }
        Exchange(
            service: self, connection: connection, facts: facts, purpose: purpose, reason: reason, request: request
        )
        .start()
    }

    /// Answers with an error of the proxy's own.
    ///
    /// - Parameters:
    ///   - template: written to the log in place of the target; a target that is malformed or private is not repeated there.
    ///   - forwarded: what `Cache-Status` says when the origin was asked.
    func refuse(
        _ connection: ClientConnection, _ error: AppleError, template: StaticString? = "-",
        forwarded: ForwardedStatus? = nil
    ) {
        let content = error.content
        let outcome = forwarded?.reason.name ?? "refused"
        log?.record(
            AccessLogEntry(
                status: error.status, contentLength: content.count, outcome: outcome, template: template),
            on: connection)
        connection.respond(content: content) { buffer in
            AppleError.writeHead(status: error.status, contentLength: content.count, to: &buffer)
            if let forwarded { ResponseWriter.writeForwarded(forwarded, to: &buffer) }
            writeCrossOrigin(connection, to: &buffer)
        }
    }
}
