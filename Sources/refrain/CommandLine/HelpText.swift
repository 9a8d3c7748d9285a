/// The help, made from the table of commands.
enum HelpText {
    static func overview() -> String {
        let rows = Command.table.map { ($0.name, $0.summary) }
        return """
            refrain - a caching reverse proxy for the Apple Music API

            usage: refrain COMMAND [OPTION ...]

            \(columns(rows))

            "refrain help COMMAND" lists the options of one command.
            Exit status: 0 done, 1 failed, 2 wrong usage, 78 wrong configuration.

            """
    }

    static func text(of command: Command) -> String {
        let options = command.options + [.help]
        let repeats: (CommandOption) -> String = { $0.isRepeatable ? "; may be repeated" : "" }
        return """
            usage: \(usage(of: command))

            \(command.summary)

            \(columns(options.map { ($0.spelling, $0.summary + repeats($0)) }))

            """
    }

    /// One line: `refrain check [--config FILE] [--json]`.
    static func usage(of command: Command) -> String {
        let options = command.options.map { "[\($0.spelling)]" + ($0.isRepeatable ? "..." : "") }
        let words = ["refrain", command.name] + options + [command.positional]
        return words.filter { !$0.isEmpty }.joined(separator: " ")
    }

    private static func columns(_ rows: [(String, String)]) -> String {
        let width = (rows.map(\.0.count).max() ?? 0) + 2
        return rows.map { "  " + padded($0.0, to: width) + $0.1 }.joined(separator: "\n")
    }

    /// `text` with blanks after it up to `width` characters.
    static func padded(_ text: String, to width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }
}
