// A command. The help, the usage errors, the man pages and the completions are all made from the
// commands that `Command.table` lists.

/// Environment of a command.
struct CommandContext: Sendable {
    let output: Output
    let files: FileAccess
    /// The program's commands, for the help.
    var commands: [Command] = []
    /// To be called once the start has succeeded.
    var noteStarted: @Sendable () -> Void = {}

    /// Ends a command whose answer is JSON as a proxy sent it.
    func done(json body: [UInt8]) -> ExitStatus {
        output.json(body)
        return .done
    }
}

struct Command: Sendable {
    let name: String
    /// The command's purpose, on one line.
    let summary: String
    /// The name of the positional argument, `[COMMAND]` where it may be left out; empty: there is
    /// none.
    let positional: String
    /// How many of them may be given.
    let mostPositional: Int
    let options: [CommandOption]
    /// Paragraphs of help beyond the summary and the options.
    let details: [String]
    /// Command lines that work as they are, and their purposes; at least one.
    let examples: [TaggedParagraph]
    let signals: [TaggedParagraph]
    let run: @Sendable (CommandArguments, CommandContext) throws(CommandFailure) -> ExitStatus

    init(
        _ name: String, _ summary: String, positional: String = "", upTo mostPositional: Int = 1,
        options: [CommandOption] = [],
        details: [String] = [], examples: [TaggedParagraph] = [], signals: [TaggedParagraph] = [],
        run: @escaping @Sendable (CommandArguments, CommandContext) throws(CommandFailure) -> ExitStatus
    ) {
        (self.name, self.summary, self.positional, self.options) = (name, summary, positional, options)
        (self.details, self.examples, self.signals, self.run) = (details, examples, signals, run)
        self.mostPositional = positional.isEmpty ? 0 : mostPositional
    }

    /// The command's options, `--help` among them.
    var allOptions: [CommandOption] { options + [.help] }

    static func unknown(_ name: String, among names: [String], kind: String = "command") -> CommandFailure {
        let hint = Suggestion.text(for: name, in: names)
        return .usage("unknown \(kind) \(quoted(name))\(hint.isEmpty ? " (see \"refrain help\")" : hint)")
    }
}
