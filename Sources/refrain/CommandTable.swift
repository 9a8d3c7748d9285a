extension Command {
    /// In the order in which the help lists them.
    static let table: [Command] = [
        serve, check, demo, simulate, record, replay, stats, top, tail, list, inspect, explain, purge, reload, nodes,
        token, version, help,
    ]

    static func named(_ name: String) throws(CommandFailure) -> Command {
        if let command = table.first(where: { $0.name == name }) { return command }
        throw unknown(name, among: table.map(\.name))
    }
}
