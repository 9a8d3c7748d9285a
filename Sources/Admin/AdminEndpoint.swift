import HTTP
import Text

/// One path of the operator's surface: who may ask, with what, and what answers it.
///
/// A new endpoint is a row of the table and a file in `Endpoints`.
struct AdminEndpoint: Sendable {
    enum Audience: Sendable {
        /// Anyone who can connect: probes of an orchestrator, and who has yet to log in. Tells
        /// nothing of the traffic.
        case anyone
        case operators
    }

    let path: String
    /// GET includes HEAD.
    let methods: [HTTP.Method]
    var audience = Audience.operators
    /// Whether a POST changes something: only the owner of the process or who has the token may.
    var writes = false
    /// What a browser's POST must bring.
    var contentType = "application/json"
    /// One line, for `GET /help` and the documentation.
    let summary: String
    let answer: @Sendable (AdminExchange) -> Void

    static let table: [AdminEndpoint] = [
        AdminEndpoint(
            path: "/", methods: [.get], summary: "the dashboard; explain=URL, still=1", answer: { $0.dashboard() }),
        AdminEndpoint(
            path: "/events", methods: [.get],
            summary: "server-sent events: stats each second, requests as they are answered", answer: { $0.events() }),
        AdminEndpoint(
            path: "/healthz", methods: [.get], audience: .anyone, summary: "200 while the process lives",
            answer: { $0.health() }),
        AdminEndpoint(
            path: "/readyz", methods: [.get], audience: .anyone, summary: "200, or 503 while it drains",
            answer: { $0.readiness() }),
        AdminEndpoint(
            path: "/stats", methods: [.get], summary: "the counters and all that the dashboard shows, as JSON",
            answer: { $0.statistics() }),
        AdminEndpoint(
            path: "/metrics", methods: [.get], summary: "the same and more, in the Prometheus text format",
            answer: { $0.metrics() }),
        AdminEndpoint(
            path: "/entries", methods: [.get],
            summary: "what is stored: " + EntriesQuery.parameters.map { $0 + "=" }.joined(separator: ", "),
            answer: { $0.entries() }),
        AdminEndpoint(
            path: "/entry", methods: [.get],
            summary: "all that is known of one answer: url=, and with body=1 its content",
            answer: { $0.entry() }),
        AdminEndpoint(
            path: "/explain", methods: [.get],
            summary: "what would become of a request and why: url=, method=, user=1", answer: { $0.explain() }),
        AdminEndpoint(
            path: "/purge", methods: [.post], writes: true,
            summary: "makes stored answers stale or removes them: " + PurgeRequest.members,
            answer: { $0.purge() }),
        AdminEndpoint(
            path: "/recording", methods: [.get, .post], writes: true,
            summary: "how the recording of traffic fares; POST {\"on\":true} or false switches the configured one",
            answer: { $0.recording() }),
        AdminEndpoint(
            path: "/login", methods: [.get, .post], audience: .anyone,
            contentType: "application/x-www-form-urlencoded",
            summary: "begins a browser's session where there is a token", answer: { $0.login() }),
        AdminEndpoint(
            path: "/logout", methods: [.post], contentType: "application/x-www-form-urlencoded",
            summary: "ends it", answer: { $0.logout() }),
        AdminEndpoint(
            path: "/help", methods: [.get], summary: "this list", answer: { $0.help() }),
    ]

    static func named(_ path: String) -> AdminEndpoint? { table.first { $0.path == path } }

    func takes(_ method: HTTP.Method) -> Bool {
        methods.contains(method == .head ? .get : method)
    }

    /// What `Allow` says.
    var allow: String {
        methods.map { $0 == .get ? "GET, HEAD" : "\($0.text)" }.joined(separator: ", ")
    }
}

extension AdminExchange {
    /// The table, a line each.
    func help() {
        let lines = AdminEndpoint.table.map { "\($0.allow) \($0.path)  \($0.summary)\n" }
        reply(AdminReply(type: "text/plain", content: Array(lines.joined().utf8)))
    }
}
