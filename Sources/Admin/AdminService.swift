import AppleMusic
import HTTP
import Proxy

/// The operator's surface over HTTP: health, readiness and counters.
///
/// With a token, requests must present it. Without one, only requests are answered that address it by a loopback name or
/// literal address, so that a web page cannot reach it through DNS rebinding; and none ever that a browser sends from
/// another origin (HARDENING 5, admin endpoint).
public final class AdminService: Service {
    private let statistics: StatisticsSource
    private let readiness: @Sendable () -> Bool
    private let token: SecretBytes?

    /// - Parameters:
    ///   - token: what `Authorization: Bearer` must present; nil on a loopback listener that needs none.
    ///   - readiness: false while the proxy is draining.
    public init(statistics: StatisticsSource, token: SecretBytes?, readiness: @escaping @Sendable () -> Bool) {
        self.statistics = statistics
        self.token = token
        self.readiness = readiness
    }

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
            refuse(connection, AppleError(status: 404, detail: "Known here: /healthz, /readyz, /stats."))
            return
        }
        guard connection.head.method == .get || connection.head.method == .head else {
            refuse(connection, AppleError(status: 405, detail: "This takes GET."), allow: "GET, HEAD")
            return
        }
        answer(endpoint, connection)
    }

    private enum Endpoint: String {
        case health = "/healthz"
        case readiness = "/readyz"
        case statistics = "/stats"

        /// Probes of an orchestrator bring no token, and these tell nothing but yes or no.
        var isForProbes: Bool { self != .statistics }
    }

    private func answer(_ endpoint: Endpoint, _ connection: ClientConnection) {
        switch endpoint {
        case .health: respond(connection, 200, "text/plain", Array("ok\n".utf8))
        case .readiness:
            let isReady = readiness()
            respond(connection, isReady ? 200 : 503, "text/plain", Array((isReady ? "ready\n" : "draining\n").utf8))
        case .statistics:
            respond(connection, 200, "application/json", StatisticsReport(statistics).json)
        }
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

    private func isAuthorised(_ head: borrowing RequestHead, _ bytes: Span<UInt8>) -> Bool {
        guard let token else { return true }
        guard let presented = head.bearerToken(bytes) else { return false }
        return bytes.extracting(presented).withUnsafeBytes { token.isEqual(to: $0) }
    }

    private static func path(of head: borrowing RequestHead, _ bytes: Span<UInt8>) -> String {
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
