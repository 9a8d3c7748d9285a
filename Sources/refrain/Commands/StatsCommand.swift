import Text

extension Command {
    static let stats = Command(
        "stats", "show the counters of a running proxy", options: [.config, .admin, .adminTokenFile, .json],
        examples: [
            .init("refrain stats", "shows the counters as a table"),
            .init(
                "refrain stats --admin unix:/run/refrain/admin.sock --json",
                "connects to a Unix socket and writes JSON"),
        ]
    ) { arguments, context throws(CommandFailure) in
        let client = try AdminClient(arguments, context)
        let body = try client.ask("/stats")
        if arguments.has(.json) { return context.done(json: body) }
        let stats = try AdminClient.stats(body)
        let text = StatsTable.text(of: stats)
        guard !text.isEmpty else {
            throw .failed("the answer to GET /stats has no counters; check that \(client.server) is an admin_listen")
        }
        context.output.standard(text)
        return .done
    }
}
