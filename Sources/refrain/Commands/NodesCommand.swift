import Text

// `nodes`: who shares a tier with a running proxy.

extension Command {
    static let nodes = Command(
        "nodes", "show the nodes that share a tier with a running proxy",
        options: [.config, .admin, .adminTokenFile, .json],
        details: [
            "A node is listed for a day after it was heard of last. It is missing where that is more than ten seconds ago, and its "
                + "state is unknown while the engine is away. Its lag is how many purges it has not applied yet, as far as the asked "
                + "proxy knows."
        ],
        examples: [.init("refrain nodes", "shows each with its state, its lag and when it was heard of last")]
    ) { arguments, context throws(CommandFailure) in
        let body = try AdminClient(arguments, context.files).get("/nodes")
        if arguments.has(.json) { return context.done(json: body) }
        guard let answer = try? JSON.parse(body), let nodes = answer["nodes"]?.arrayValue else {
            throw .failed("the answer to GET /nodes has no nodes")
        }
        context.output.standard(nodeTable(of: nodes, width: context.output.width))
        if answer["standing"]?.stringValue == "engine-away" {
            context.output.problem("\(answer["words"].shown): what is said of others is as old as that")
        }
        if let namesake = answer["namesake"]?.stringValue {
            context.output.problem("\(namesake) is a node of this name too: each needs a name of its own")
        }
        return .done
    }

    private static func nodeTable(of nodes: [JSON], width: Int?) -> String {
        var table = Table(["name", "state", ">lag", ">last seen", "version", "address"])
        for node in nodes {
            let isSelf = node["self"] == .bool(true)
            table.add([
                node["name"].shown + (isSelf ? " (this one)" : ""), node["state"].shown, node["lag"].shown,
                isSelf ? "now" : "\(node["last_seen"].span) ago", node["version"].shown, node["address"].shown,
            ])
        }
        return table.text(width: width)
    }
}
