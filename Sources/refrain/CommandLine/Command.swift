// What a command is. The help, the usage errors and the documentation are all made from `Command.table`.

/// What a command can reach.
struct CommandContext: Sendable {
    let output: Output
    let files: FileAccess
}

struct Command: Sendable {
    let name: String
    /// One line.
    let summary: String
    /// What the positional argument is called, `[COMMAND]` where it may be left out; empty: there is none.
    let positional: String
    let options: [CommandOption]
    let run: @Sendable (CommandArguments, CommandContext) throws(CommandFailure) -> ExitStatus

    init(
        _ name: String, _ summary: String, positional: String = "", options: [CommandOption] = [],
        run: @escaping @Sendable (CommandArguments, CommandContext) throws(CommandFailure) -> ExitStatus
    ) {
        self.name = name
        self.summary = summary
        self.positional = positional
        self.options = options
        self.run = run
    }

    /// In the order in which the help lists them.
    static let table: [Command] = [
        serve, check, demo, simulate, stats, top, list, inspect, explain, purge, token, version, help,
    ]

    static func named(_ name: String) throws(CommandFailure) -> Command {
        if let command = table.first(where: { $0.name == name }) { return command }
        let hint = Suggestion.text(for: name, in: table.map(\.name))
        throw .usage("unknown command \(quoted(name))\(hint.isEmpty ? " (see \"refrain help\")" : hint)")
    }
}
