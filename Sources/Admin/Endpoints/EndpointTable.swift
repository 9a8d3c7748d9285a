import HTTP

/// The paths of the operator's surface, and what answers each.
///
/// A new endpoint is a row here and a file beside this one.
enum EndpointTable {
    typealias Row = (endpoint: AdminEndpoint, answer: @Sendable (AdminExchange) -> Void)

    static let rows: [Row] = [
        (
            AdminEndpoint(
                path: "/", methods: [.get], summary: "the dashboard; window=5m, 1h or 24h, explain=URL, still=1"),
            { $0.dashboard() }
        ),
        (
            AdminEndpoint(
                path: "/events", methods: [.get],
                summary: "server-sent events: stats each second, requests as they are answered"),
            { $0.events() }
        ),
        (
            AdminEndpoint(
                path: "/healthz", methods: [.get], audience: .anyone, summary: "200 while the process lives"),
            { $0.health() }
        ),
        (
            AdminEndpoint(
                path: "/readyz", methods: [.get], audience: .anyone,
                summary: "200, or 503 and why: it drains, or catches up with purges"),
            { $0.readiness() }
        ),
        (
            AdminEndpoint(
                path: "/stats", methods: [.get], summary: "the counters and all that the dashboard shows, as JSON"),
            { $0.statistics() }
        ),
        (
            AdminEndpoint(
                path: "/metrics", methods: [.get], summary: "the same and more, in the Prometheus text format"),
            { $0.metrics() }
        ),
        (
            AdminEndpoint(
                path: "/entries", methods: [.get],
                summary: "what is stored: " + EntriesQuery.parameters.map { $0 + "=" }.joined(separator: ", ")),
            { $0.entries() }
        ),
        (
            AdminEndpoint(
                path: "/entry", methods: [.get],
                summary: "all that is known of one answer: url=, and with body=1 its content"),
            { $0.entry() }
        ),
        (
            AdminEndpoint(
                path: "/explain", methods: [.get],
                summary: "what would become of a request and why: url=, method=, user=1"),
            { $0.explain() }
        ),
        (
            AdminEndpoint(
                path: "/purge", methods: [.post], writes: true,
                summary: "makes stored answers stale or removes them: " + PurgeRequest.members),
            { $0.purge() }
        ),
        (
            AdminEndpoint(
                path: "/nodes", methods: [.get], summary: "the nodes that share a tier with this one"),
            { $0.nodes() }
        ),
        (
            AdminEndpoint(
                path: "/recording", methods: [.get, .post], writes: true,
                summary: "how the recording of traffic fares; POST {\"on\":true} or false switches the configured one"),
            { $0.recording() }
        ),
        (
            AdminEndpoint(
                path: "/reload", methods: [.post], writes: true,
                summary: "reads the configuration again; answers what changed, or 409 and why nothing did"),
            { $0.reload() }
        ),
        (
            AdminEndpoint(
                path: "/login", methods: [.get, .post], audience: .anyone,
                contentType: "application/x-www-form-urlencoded",
                summary: "begins a browser's session where there is a token"),
            { $0.login() }
        ),
        (
            AdminEndpoint(
                path: "/logout", methods: [.post], contentType: "application/x-www-form-urlencoded",
                summary: "ends it"),
            { $0.logout() }
        ),
        (
            AdminEndpoint(
                path: "/help", methods: [.get], summary: "this list"),
            { $0.help() }
        ),
    ]

    static func row(of path: String) -> Row? { rows.first { $0.endpoint.path == path } }

    static var notFound: AdminReply {
        let paths = rows.map(\.endpoint.path).joined(separator: ", ")
        return .error(404, "Known here: \(paths).")
    }
}

extension AdminEndpoint {
    static let table = EndpointTable.rows.map(\.endpoint)
}

extension AdminExchange {
    /// The table, a line each.
    func help() {
        let lines = AdminEndpoint.table.map { "\($0.allow) \($0.path)  \($0.summary)\n" }
        reply(AdminReply(type: "text/plain", content: Array(lines.joined().utf8)))
    }
}
