import Text

/// The help, made from the tables of commands and directives.
enum HelpText {
    static let purpose = "a caching reverse proxy for the Apple Music API"

    static func overview(of commands: [Command]) -> String {
        let rows = commands.map { ($0.name, $0.summary) }
        let ends = ExitStatus.allCases.map { "\($0.rawValue) \($0.meaning)" }.joined(separator: ", ")
        return """
            refrain - \(purpose)

            usage: refrain COMMAND [OPTION ...]

            \(columns(rows))

            "refrain help COMMAND" lists the options of one command, "refrain help proxy.conf" the directives of the configuration.
            Exit status: \(ends).

            """
    }

    static func text(of topic: HelpTopic) -> String {
        switch topic {
        case .command(let command, let directive):
            text(of: command) + (directive.map { "\nin proxy.conf: " + text(of: $0) } ?? "")
        case .configuration: configuration()
        case .directive(let directive): text(of: directive)
        }
    }

    static func text(of command: Command) -> String {
        """
        usage: \(usage(of: command))

        \(([command.summary] + command.details).map(wrapped).joined(separator: "\n\n"))

        \(columns(command.allOptions.map { ($0.spelling, $0.help) }))

        \(command.examples.map { "  \($0.name)\n      \($0.meaning)" }.joined(separator: "\n"))

        """
    }

    private static func configuration() -> String {
        let groups = Directive.groups.map { group in
            "\(group.title)\n\(columns(group.directives.map { ($0.name, $0.why) }))"
        }
        return """
            proxy.conf - one directive a line: name and arguments; "#" begins a comment

            \(groups.joined(separator: "\n\n"))

            "refrain help DIRECTIVE" shows its arguments and default, "refrain check" the settings in effect.

            """
    }

    private static func text(of directive: Directive) -> String {
        var lines = [directive.spelling, "", directive.why]
        if !directive.details.isEmpty { lines += ["", wrapped(directive.details)] }
        let defaults = directive.defaults.map { "  \(directive.name) \($0)" }
        return (lines + ["", defaults.isEmpty ? "unset by default" : "default:"] + defaults).joined(separator: "\n")
            + "\n"
    }

    /// The usage on one line: `refrain check [--config FILE] [--json]`.
    static func usage(of command: Command) -> String {
        let options = command.options.map { "[\($0.spelling)]" + ($0.isRepeatable ? "..." : "") }
        let words = ["refrain", command.name] + options + [command.positional]
        return words.filter { !$0.isEmpty }.joined(separator: " ")
    }

    private static func columns(_ rows: [(String, String)]) -> String {
        TextTable.lines(rows.map { [$0.0, $0.1] }, [.left]).joined(separator: "\n")
    }

    private static let widestLine = 100

    /// `text` in lines that end between words; a word that is longer has a line of its own.
    static func wrapped(_ text: String) -> String {
        var lines = [""]
        for word in text.split(separator: " ") {
            let last = lines[lines.count - 1]
            if last.isEmpty {
                lines[lines.count - 1] = String(word)
            } else if last.count + 1 + word.count <= widestLine {
                lines[lines.count - 1] += " " + word
            } else {
                lines.append(String(word))
            }
        }
        return lines.joined(separator: "\n")
    }

    /// `text` with a capital and a full stop.
    static func sentence(_ text: String) -> String { text.prefix(1).uppercased() + text.dropFirst() + "." }
}
