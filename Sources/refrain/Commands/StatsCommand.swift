import Text

extension Command {
    static let stats = Command(
        "stats", "show the counters of a running proxy", options: [.admin, .adminTokenFile, .json],
        examples: [
            .init("refrain stats", "shows the counters as a table"),
            .init(
                "refrain stats --admin unix:/run/refrain/admin.sock --json", "asks on a Unix socket, and writes JSON"),
        ]
    ) { arguments, context throws(CommandFailure) in
        let body = try AdminClient(arguments, context.files).get("/stats")
        guard !arguments.has(.json) else {
            context.output.json(body)
            return .done
        }
        do throws(JSONError) {
            context.output.standard(try StatsTable.text(of: JSON.parse(body), for: context.output.terminal))
        } catch {
            throw .failed("the answer to GET /stats is \(error)")
        }
        return .done
    }
}
