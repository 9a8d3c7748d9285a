import Text

// `nodes`: the nodes that share a tier with a running proxy.

extension Command {
    static let nodes = Command(
        "nodes", "show the nodes that share a tier with a running proxy",
        options: [.config, .admin, .adminTokenFile, .json],
        details: [
            "A node is listed for a day after its last heartbeat. It is missing if that is more than ten seconds ago; "
                + "its state is unknown while the engine is unavailable. Its lag is the number of purges that it has "
                + "not applied yet, as far as the queried proxy knows."
        ],
        examples: [.init("refrain nodes", "shows each node with its state, its lag and its last heartbeat")]
    ) { arguments, context throws(CommandFailure) in
        let body = try AdminClient(arguments, context).ask("/nodes")
        if arguments.has(.json) { return context.done(json: body) }
        guard let answer = try? JSON.parse(body), let nodes = answer["nodes"]?.arrayValue else {
            throw .failed("the answer to GET /nodes has no nodes")
        }
        context.output.standard(nodeTable(of: nodes, width: context.output.width))
        if answer["standing"]?.stringValue == "engine-away" {
            context.output.problem("\(answer["words"].shown): the rows of other nodes are as old as that")
        }
        for refusal in answer["refusing"]?.arrayValue ?? [] {
            let commands = refusal["commands"]?.arrayValue?.compactMap(\.stringValue).joined(separator: ", ") ?? ""
            context.output.problem(
                "the engine refuses this node \(commands): \(refusal["words"].shown) (\(refusal["count"].shown) times "
                    + "since \(LogTime.rfc3339(Int64(refusal["since"]?.countValue ?? 0))))")
        }
        if let namesake = answer["namesake"]?.stringValue {
            context.output.problem("\(namesake) uses this node name too: give each node its own name (node_name)")
        }
        return .done
    }

    private static func nodeTable(of nodes: [JSON], width: Int?) -> String {
        let rows = nodes.map { node in
            let isSelf = node["self"] == .bool(true)
            return [
                node["name"].shown + (isSelf ? " (this one)" : ""), node["state"].shown, node["lag"].shown,
                isSelf ? "now" : "\(node["last_seen"].span) ago", node["version"].shown, node["address"].shown,
                node["upstream"].shown,
            ]
        }
        return Table.text(
            ["name", "state", ">lag", ">last seen", "version", "address", "upstream"], rows, width: width)
    }
}
