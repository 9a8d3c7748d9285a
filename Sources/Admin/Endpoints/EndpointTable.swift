import HTTP

/// The paths of the operator's surface, and the method that answers each.
///
/// A new endpoint is a row here and a file beside this one.
enum EndpointTable {
    /// A method that replies, or throws the mistake in the request.
    typealias Answer = @Sendable (AdminExchange) -> () throws(AdminRequestError) -> Void
    typealias Row = (endpoint: AdminEndpoint, answer: Answer)

    static let rows = [
        row("/", "the dashboard; window=5m, 1h or 24h, explain=URL, still=1", AdminExchange.dashboard),
        row(
            "/events",
            "server-sent events: stats each second, requests as they are answered; lines=json or combined: these "
                + "alone, as in the access log, by the conditions of refrain tail (status=, not-status=)",
            AdminExchange.events),
        row("/healthz", "200 while the process lives", AdminExchange.health, for: .anyone),
        row(
            "/readyz",
            "200: ready, and what is amiss (engine away or refusing commands, failed reload or upgrade, lost answers); "
                + "503: draining, starting without "
                + "its engine, or catching up with purges", AdminExchange.readiness, for: .anyone),
        row("/stats", "all counters and figures of the dashboard, as JSON", AdminExchange.statistics),
        row("/metrics", "metrics in the Prometheus text format", AdminExchange.metrics),
        row(
            "/entries", "stored answers: " + EntriesQuery.parameters.map { $0 + "=" }.joined(separator: ", "),
            AdminExchange.entries),
        row("/entry", "metadata of one stored answer: url=; with body=1 its content", AdminExchange.entry),
        row("/explain", "how a request would be answered and why: url=, method=, user=1", AdminExchange.explain),
        row(
            "/purge", "makes stored answers stale or removes them: " + PurgeRequest.members, AdminExchange.purge,
            [.post], writes: true),
        row("/nodes", "the nodes that share a tier with this one, and what the engine refuses", AdminExchange.nodes),
        row(
            "/recording",
            "status of the recording; POST {\"on\":true} or {\"on\":false} switches it",
            AdminExchange.recording, [.get, .post], writes: true),
        row(
            "/reload",
            "reads the configuration again; answers the changes and how many connections end, or 409 with the errors",
            AdminExchange.reload, [.post], writes: true),
        row(
            "/login", "starts a browser session, if a token is configured", AdminExchange.login, [.get, .post],
            for: .anyone, taking: form),
        row("/logout", "ends it", AdminExchange.logout, [.post], taking: form),
        row("/help", "this list", AdminExchange.help),
    ]

    private static let form = "application/x-www-form-urlencoded"

    private static func row(
        _ path: String, _ summary: String, _ answer: @escaping Answer, _ methods: [HTTP.Method] = [.get],
        for audience: AdminEndpoint.Audience = .operators, writes: Bool = false,
        taking contentType: String = "application/json"
    ) -> Row {
        let endpoint = AdminEndpoint(
            path: path, methods: methods, audience: audience, writes: writes, contentType: contentType, summary: summary
        )
        return (endpoint, answer)
    }

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
        reply(.text(lines.joined()))
    }
}
