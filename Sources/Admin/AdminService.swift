import AppleMusic
import Cache
import EventLoop
import HTTP
import Proxy

/// The operator's surface over HTTP: health, readiness, counters and purges.
///
/// With a token, requests must present it. Without one, only requests are answered that address it by a loopback name or
/// literal address, so that a web page cannot reach it through DNS rebinding; and none ever that a browser sends from
/// another origin (HARDENING 5, admin endpoint).
public final class AdminService: Service {
    private let statistics: StatisticsSource
    private let cache: ResponseCache
    private let readiness: @Sendable () -> Bool
    private let access: AdminAccess
    private let reloads: ReloadStatus
    /// The connections whose purges are under way.
    private var purging: [Int: ClientConnection] = [:]
    private var purges = 0

    /// The most content that a request may bring, in bytes; a purge names a target at most.
    private static let maxContentBytes = 64 << 10

    /// - Parameters:
    ///   - reloads: how they went.
    ///   - readiness: false while the proxy is draining.
    public init(
        statistics: StatisticsSource, cache: ResponseCache, access: AdminAccess, reloads: ReloadStatus = ReloadStatus(),
        readiness: @escaping @Sendable () -> Bool
    ) {
        self.statistics = statistics
        self.cache = cache
        self.access = access
        self.reloads = reloads
        self.readiness = readiness
    }

    /// - Parameter token: as `AdminAccess` has it, for good.
    public convenience init(
        statistics: StatisticsSource, cache: ResponseCache, token: SecretBytes?,
        readiness: @escaping @Sendable () -> Bool
    ) {
        self.init(statistics: statistics, cache: cache, access: AdminAccess(token: token), readiness: readiness)
    }

    private var token: SecretBytes? { access.token }

    public func handle(_ connection: ClientConnection) {
        let (path, hasToken, isLocal) = connection.withHeadBytes { bytes -> (String, Bool, Bool) in
            let head = connection.head
            return (Self.path(of: head, bytes), isAuthorised(head, bytes), head.addressesLoopback(bytes))
        }
        let endpoint = Endpoint(rawValue: path)
        guard hasToken || endpoint?.isForProbes == true else {
            refuse(connection, AppleError(status: 401, detail: "This needs the token of admin_token_file."))
            return
        }
        guard token != nil || isLocal else {
            refuse(connection, AppleError(status: 421, detail: "Address this listener by a loopback name or address."))
            return
        }
        guard !connection.head.fields.contains(.origin) else {
            refuse(connection, AppleError(status: 403, detail: "Cross-origin requests are not answered here."))
            return
        }
        guard let endpoint else {
            refuse(connection, AppleError(status: 404, detail: "Known here: /healthz, /readyz, /stats, /purge."))
            return
        }
        guard endpoint.takes(connection.head.method) else {
            let detail = endpoint == .purge ? "This takes POST." : "This takes GET."
            refuse(
                connection, AppleError(status: 405, detail: detail), allow: endpoint == .purge ? "POST" : "GET, HEAD")
            return
        }
        guard connection.body.count <= Self.maxContentBytes else {
            refuse(connection, AppleError(status: 413, detail: "The content is too large: 65536 bytes at most."))
            return
        }
        answer(endpoint, connection)
    }

    private enum Endpoint: String {
        case health = "/healthz"
        case readiness = "/readyz"
        case statistics = "/stats"
        case purge = "/purge"

        /// Probes of an orchestrator bring no token, and these tell nothing but yes or no.
        var isForProbes: Bool { self == .health || self == .readiness }

        func takes(_ method: HTTP.Method) -> Bool {
            self == .purge ? method == .post : method == .get || method == .head
        }
    }

    private func answer(_ endpoint: Endpoint, _ connection: ClientConnection) {
        switch endpoint {
        case .health: respond(connection, 200, "text/plain", Array("ok\n".utf8))
        case .readiness:
            let isReady = readiness()
            respond(connection, isReady ? 200 : 503, "text/plain", Array((isReady ? readyText : "draining\n").utf8))
        case .statistics:
            respond(connection, 200, "application/json", JSON.object(StatisticsReport(statistics).object).bytes)
        case .purge: purge(connection)
        }
    }

    /// Probes bring no token, so they are not told what was wrong.
    private var readyText: String {
        reloads.snapshot.lastFailure == nil ? "ready\n" : "ready; the last reload failed: see the log\n"
    }

    private func purge(_ connection: ClientConnection) {
        do throws(PurgeRequestError) {
            let request = try PurgeRequest(connection.body)
            purges += 1
            purging[purges] = connection
            let loop = connection.context.loop
            let (number, service) = (purges, Confined(self, to: loop))
            cache.purge(request.selection, request.mode, at: connection.context.unixSeconds) { @Sendable count in
                loop.execute { service.value.finish(number, count, request.mode) }
            }
        } catch {
            refuse(connection, AppleError(status: 400, detail: error.detail))
        }
    }

    /// Answers the purge of that number. No count means that the cache file refused.
    private func finish(_ number: Int, _ count: Int?, _ mode: PurgeMode) {
        guard let connection = purging.removeValue(forKey: number) else { return }
        guard let count else {
            let memory = mode == .dryRun ? "" : " Memory alone was purged."
            let detail = "The cache file cannot be used now, see the log.\(memory)"
            refuse(connection, AppleError(status: 503, detail: detail))
            return
        }
        respond(connection, 200, "application/json", Array("{\"purged\":\(count)}\n".utf8))
    }

    private func respond(_ connection: ClientConnection, _ status: Int, _ type: StaticString, _ content: [UInt8]) {
        connection.respond(content: content) { buffer in
            buffer.appendStatusLine(status)
            buffer.append("Content-Type: ")
            buffer.append(type)
            buffer.append("\r\nCache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nContent-Length: ")
            buffer.append(decimal: content.count)
            buffer.append("\r\n")
        }
    }

    private func refuse(_ connection: ClientConnection, _ error: AppleError, allow: StaticString? = nil) {
        let content = error.content
        connection.respond(content: content) { buffer in
            buffer.appendStatusLine(error.status)
            if let allow {
                buffer.append("Allow: ")
                buffer.append(allow)
                buffer.append("\r\n")
            }
            buffer.append("Content-Type: application/json\r\nContent-Length: ")
            buffer.append(decimal: content.count)
            buffer.append("\r\n")
        }
    }

    private func isAuthorised(_ head: RequestHead, _ bytes: Span<UInt8>) -> Bool {
        guard let token else { return true }
        guard let presented = head.bearerToken(bytes) else { return false }
        return bytes.extracting(presented).withUnsafeBytes { token.isEqual(to: $0) }
    }

    private static func path(of head: RequestHead, _ bytes: Span<UInt8>) -> String {
        text(bytes.extracting(head.target.range), until: UInt8(ascii: "?"))
    }

    private static func text(_ bytes: Span<UInt8>, until end: UInt8?) -> String {
        var text = ""
        for index in bytes.indices {
            if bytes[index] == end { break }
            text.unicodeScalars.append(Unicode.Scalar(bytes[index]))
        }
        return text
    }
}
