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
        let body = try AdminClient(arguments, context).ask("/stats")
        if arguments.has(.json) { return context.done(json: body) }
        let stats = try AdminClient.stats(body)
        context.output.standard(StatsTable.text(of: stats))
        return .done
    }
}
