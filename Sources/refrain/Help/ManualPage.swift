// A man page before it is written down: what stands in it and in which order, not how it looks.
// `Roff` writes it.

struct ManualPage: Equatable, Sendable {
    /// A piece of a line in one typeface.
    enum Span: Equatable, Sendable {
        case plain(String)
        /// To be typed as it is.
        case literal(String)
        /// To be replaced by something.
        case variable(String)
    }

    enum Block: Equatable, Sendable {
        case paragraph(String)
        case line([Span])
        /// A term and what it means.
        case item([Span], String)
        /// Lines to be typed.
        case code([String])
        case subheading(String)
    }

    struct Section: Equatable, Sendable {
        let title: String
        let blocks: [Block]
    }

    let name: String
    /// 1: commands; 5: files.
    let section: Int
    let summary: String
    let sections: [Section]

    /// `refrain-serve.1`.
    var fileName: String { "\(name).\(section)" }
}

extension ManualPage.Span {
    /// `words` of a grammar such as `ADDRESS:PORT [tls]`: names in capitals are variables, the rest
    /// is literal.
    static func grammar(_ text: String) -> [ManualPage.Span] {
        var spans: [ManualPage.Span] = []
        var rest = text[...]
        while let first = rest.first {
            let isWord = { (character: Character) in character.isLetter || character.isNumber || character == "-" }
            let kind = isWord(first)
            let piece = String(rest.prefix { isWord($0) == kind })
            rest = rest.dropFirst(piece.count)
            guard kind else {
                spans.append(.plain(piece))
                continue
            }
            spans.append(piece.contains { $0.isLowercase } ? .literal(piece) : .variable(piece))
        }
        return spans
    }
}

// The pages, made from the tables of commands and directives.

extension ManualPage {
    static let program = "refrain"
    static let configurationName = "proxy.conf"

    /// Every page there is.
    static func all(of commands: [Command]) -> [ManualPage] {
        [overview(of: commands)] + commands.map(ManualPage.init) + [.configuration]
    }

    static func overview(of commands: [Command]) -> ManualPage {
        let description = [
            Block.paragraph(
                "Refrain answers Apple Music API requests from a cache that knows what the requests mean. It adds the developer "
                    + "token and the user's, keeps what is not personal, and asks Apple only for what it does not hold."
            ),
            .paragraph(
                "Every command has a page of its own, such as refrain-serve(1), and refrain help shows the same in short."
            ),
        ]
        let items = commands.map { command in
            Block.item([.literal(program), .plain(" "), .literal(command.name)], command.summary)
        }
        return ManualPage(
            name: program, section: 1, summary: HelpText.purpose,
            sections: [
                Section(
                    title: "SYNOPSIS",
                    blocks: [
                        .line([
                            .literal(program), .plain(" "), .variable("COMMAND"), .plain(" ["), .variable("OPTION"),
                            .plain(" ...]"),
                        ])
                    ]
                ),
                Section(title: "DESCRIPTION", blocks: description), Section(title: "COMMANDS", blocks: items),
                .exitStatus,
                Section("ENVIRONMENT", TaggedParagraph.environment), Section("FILES", TaggedParagraph.files),
                .seeAlso(commands.map { pageName(of: $0) + "(1)" } + [configurationName + "(5)"]),
            ])
    }

    init(of command: Command) {
        var sections = [
            Section(title: "SYNOPSIS", blocks: [.line(Self.synopsis(of: command))]),
            Section(title: "DESCRIPTION", blocks: Self.description(of: command)),
            Section(title: "OPTIONS", blocks: command.allOptions.map(Self.item)),
            .exitStatus,
        ]
        if !command.signals.isEmpty { sections.append(Section("SIGNALS", command.signals)) }
        let examples = command.examples.flatMap { [Block.paragraph($0.why + ":"), .code([$0.line])] }
        sections += [
            Section(title: "EXAMPLES", blocks: examples),
            .seeAlso([Self.program + "(1)", Self.configurationName + "(5)"]),
        ]
        self.init(name: Self.pageName(of: command), section: 1, summary: command.summary, sections: sections)
    }

    static var configuration: ManualPage {
        let grammar = [
            Block.paragraph(
                "One directive a line: its name and arguments, in quotes where they hold blanks. # begins a comment. Below, [...] may be "
                    + "left out, ... repeats the word before it, | separates choices. Whatever stands in no line has its default."
            ),
            .paragraph(
                "Sizes: 10k, 64MiB, 2GiB; units are powers of 1024. Durations: 500ms, 30s, 15m, 12h, 7d. Relative file names start where "
                    + "Refrain was started, those of include beside the file that includes. Files with secrets must be readable by "
                    + "their owner alone."),
            .paragraph(
                "refrain check shows what is in effect and lists all errors at once; a proxy that runs reads the file again on SIGHUP."
            ),
        ]
        let directives = Directive.groups.flatMap { group in
            [Block.subheading(group.title)] + group.directives.map(Self.item)
        }
        let examples = ConfigurationExample.table.flatMap { [Block.paragraph($0.purpose + ":"), .code($0.lines)] }
        return ManualPage(
            name: configurationName, section: 5, summary: "the configuration of refrain",
            sections: [
                Section(title: "DESCRIPTION", blocks: grammar), Section(title: "DIRECTIVES", blocks: directives),
                Section("FILES", TaggedParagraph.files),
                Section(title: "EXAMPLES", blocks: examples),
                .seeAlso([program + "(1)", "refrain-check(1)", "refrain-serve(1)"]),
            ])
    }
}

extension ManualPage {
    private static func pageName(of command: Command) -> String { program + "-" + command.name }

    private static func synopsis(of command: Command) -> [Span] {
        var spans: [Span] = [.literal(program + " " + command.name)]
        for option in command.options {
            spans += [.plain(" [")] + spelling(option) + [.plain(option.isRepeatable ? "]..." : "]")]
        }
        return command.positional.isEmpty ? spans : spans + [.plain(" ")] + Span.grammar(command.positional)
    }

    private static func description(of command: Command) -> [Block] {
        ([HelpText.sentence(command.summary)] + command.details).map { .paragraph($0) }
    }

    private static func spelling(_ option: CommandOption) -> [Span] {
        [.literal("--" + option.name)] + (option.value.map { [.plain(" ")] + Span.grammar($0) } ?? [])
    }

    private static func item(_ option: CommandOption) -> Block {
        .item(spelling(option), option.summary + (option.isRepeatable ? "; may be repeated" : ""))
    }

    private static func item(_ directive: Directive) -> Block {
        var text = HelpText.sentence(directive.why)
        if !directive.details.isEmpty { text += " " + directive.details }
        let defaults = directive.defaults.joined(separator: "; ")
        text += directive.defaults.isEmpty ? " Unset by default." : " Default: \(defaults)."
        return .item([.literal(directive.name), .plain(" ")] + Span.grammar(directive.arguments), text)
    }
}

extension ManualPage.Section {
    fileprivate init(_ title: String, _ terms: [TaggedParagraph]) {
        self.init(title: title, blocks: terms.map { .item([.literal($0.name)], $0.meaning) })
    }

    static var exitStatus: Self {
        Self(title: "EXIT STATUS", blocks: ExitStatus.allCases.map { .item([.literal("\($0.rawValue)")], $0.meaning) })
    }

    fileprivate static func seeAlso(_ names: [String]) -> Self {
        Self(title: "SEE ALSO", blocks: [.paragraph(names.joined(separator: ", "))])
    }
}
