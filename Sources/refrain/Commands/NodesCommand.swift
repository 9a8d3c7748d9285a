import Text

// `nodes`: who shares a tier with a running proxy.

extension Command {
    static let nodes = Command(
        "nodes", "show the nodes that share a tier with a running proxy",
        options: [.config, .admin, .adminTokenFile, .json],
        details: [
            "A node is listed for a day after it was heard of last. It is missing where that is more than ten seconds ago. Its lag "
                + "is how many purges it has not applied yet, as far as the asked proxy knows."
        ],
        examples: [.init("refrain nodes", "shows each with its state, its lag and when it was heard of last")]
    ) { arguments, context throws(CommandFailure) in
        let body = try AdminClient(arguments, context.files).get("/nodes")
        if arguments.has(.json) { return context.done(json: body) }
        guard let nodes = (try? JSON.parse(body))?["nodes"]?.arrayValue else {
            throw .failed("the answer to GET /nodes has no nodes")
        }
        context.output.standard(NodeTable.text(of: nodes, for: context.output.terminal))
        return .done
    }
}

private enum NodeTable {
    static func text(of nodes: [JSON], for terminal: Terminal) -> String {
        var table = Table([
            .init(title: "name"), .init(title: "state"), .init(title: "lag", isNumeric: true),
            .init(title: "last seen", isNumeric: true), .init(title: "version"), .init(title: "address"),
        ])
        for node in nodes {
            let isSelf = node["self"] == .bool(true)
            table.add([
                Table.Cell(Table.Cell.shown(node["name"]).text + (isSelf ? " (this one)" : "")), state(of: node),
                .shown(node["lag"]), isSelf ? "now" : Table.Cell("\(Table.Cell.span(node["last_seen"]).text) ago"),
                .shown(node["version"]), .shown(node["address"]),
            ])
        }
        return table.text(for: terminal)
    }

    private static func state(of node: JSON) -> Table.Cell {
        guard node["alive"] == .bool(true) else { return Table.Cell("missing", .red) }
        return node["ready"] == .bool(true) ? Table.Cell("ready", .green) : Table.Cell("catching up", .yellow)
    }
}
