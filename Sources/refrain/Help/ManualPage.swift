/// A man page as it is written, line after line.
struct ManualPage: Sendable {
    let name: String
    /// 1: commands; 5: files.
    let section: Int
    private var lines: [String] = []
    /// A paragraph macro right after a heading would be skipped with a warning.
    private var isBelowHeading = true

    init(_ name: String, section: Int, summary: String) {
        (self.name, self.section) = (name, section)
        let title = [
            Roff.escaped(name.uppercased()), "\(section)", ProgramVersion.date, "Refrain \(ProgramVersion.text)",
            "Refrain",
        ]
        // Words are not hyphenated and lines not filled up with blanks: much of a page is to be
        // typed as it is.
        lines = [".TH " + title.map { "\"\($0)\"" }.joined(separator: " "), ".nh", ".ad l", ".SH NAME"]
        lines.append("\(Roff.escaped(name)) \\- \(Roff.escaped(summary))")
    }

    /// `refrain-serve.1`.
    var fileName: String { "\(name).\(section)" }

    var text: String { lines.joined(separator: "\n") + "\n" }

    mutating func heading(_ title: String, macro: String = ".SH ") {
        lines.append(macro + Roff.escaped(title))
        isBelowHeading = true
    }

    mutating func paragraph(_ text: String) { line(Roff.escaped(text)) }

    /// - Parameter markup: text that `Roff` has marked up.
    mutating func line(_ markup: String) {
        beginParagraph()
        append(markup)
    }

    /// A term, marked up, and its meaning.
    mutating func item(_ term: String, _ text: String) {
        lines.append(".TP")
        append(term)
        append(Roff.escaped(text))
        isBelowHeading = false
    }

    /// A line to be typed.
    mutating func code(_ typed: String) {
        beginParagraph()
        lines += [".RS 4", ".nf"]
        append(Roff.escaped(typed))
        lines += [".fi", ".RE"]
    }

    private mutating func beginParagraph() {
        if !isBelowHeading { lines.append(".PP") }
        isBelowHeading = false
    }

    /// A line of text that begins with a dot is text.
    private mutating func append(_ line: String) { lines.append(line.hasPrefix(".") ? "\\&" + line : line) }
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
        var page = ManualPage(program, section: 1, summary: HelpText.purpose)
        page.heading("SYNOPSIS")
        page.line(Roff.grammar(program + " COMMAND [OPTION ...]"))
        page.heading("DESCRIPTION")
        page.paragraph(
            "Refrain answers Apple Music API requests from a cache that understands their parameters. It adds "
                + "developer and user tokens, stores shared answers, and sends Apple only the requests that it cannot "
                + "answer itself.")
        page.paragraph(
            "Every command has its own page, such as refrain-serve(1); refrain help COMMAND shows a shorter text.")
        page.heading("COMMANDS")
        for command in commands {
            page.item(Roff.literal(program) + " " + Roff.literal(command.name), command.summary)
        }
        page.exitStatus()
        page.items("ENVIRONMENT", TaggedParagraph.environment)
        page.items("FILES", TaggedParagraph.files)
        page.seeAlso(commands.map { pageName(of: $0) + "(1)" } + [configurationName + "(5)"])
        return page
    }

    init(of command: Command) {
        self.init(Self.pageName(of: command), section: 1, summary: command.summary)
        heading("SYNOPSIS")
        line(Roff.grammar(HelpText.usage(of: command)))
        heading("DESCRIPTION")
        for text in [HelpText.sentence(command.summary)] + command.details { paragraph(text) }
        heading("OPTIONS")
        for option in command.allOptions {
            item(Roff.grammar(option.spelling), option.help)
        }
        exitStatus()
        if !command.signals.isEmpty { items("SIGNALS", command.signals) }
        heading("EXAMPLES")
        for example in command.examples {
            paragraph(example.meaning + ":")
            code(example.name)
        }
        seeAlso([Self.program + "(1)", Self.configurationName + "(5)"])
    }

    static var configuration: ManualPage {
        var page = ManualPage(configurationName, section: 5, summary: "the configuration of refrain")
        page.heading("DESCRIPTION")
        page.paragraph(
            "One directive per line: its name and arguments. Quote arguments that contain blanks. # begins a comment. "
                + "Below, [...] is optional, ... repeats the preceding word, | separates choices. Directives without a "
                + "line have their defaults."
        )
        page.paragraph(
            "Sizes: 10k, 64MiB, 2GiB; units are powers of 1024. Durations: 500ms, 30s, 15m, 12h, 7d. Relative file "
                + "names start at the working directory, those of include at the file that includes. Files with "
                + "secrets belong to root or the proxy's user, and others have no right to them (mode 0600). A group may "
                + "read them (0440, 0640) if the proxy's user is in it.")
        page.paragraph(
            "refrain check shows the settings in effect and lists all errors at once; a running proxy reads the file "
                + "again on SIGHUP."
        )
        page.heading("DIRECTIVES")
        for group in Directive.groups {
            page.heading(group.title, macro: ".SS ")
            for directive in group.directives { page.item(directive) }
        }
        page.items("FILES", TaggedParagraph.files)
        page.seeAlso([program + "(1)", "refrain-check(1)", "refrain-serve(1)"])
        return page
    }

    private static func pageName(of command: Command) -> String { program + "-" + command.name }

    private mutating func item(_ directive: Directive) {
        var text = HelpText.sentence(directive.why)
        if !directive.details.isEmpty { text += " " + directive.details }
        let defaults = directive.defaults.joined(separator: "; ")
        text += directive.defaults.isEmpty ? " Unset by default." : " Default: \(defaults)."
        item(Roff.literal(directive.name) + " " + Roff.grammar(directive.arguments), text)
    }

    private mutating func items(_ title: String, _ terms: [TaggedParagraph]) {
        heading(title)
        for term in terms { item(Roff.literal(term.name), term.meaning) }
    }

    private mutating func exitStatus() {
        items("EXIT STATUS", ExitStatus.allCases.map { TaggedParagraph("\($0.rawValue)", $0.meaning) })
    }

    private mutating func seeAlso(_ names: [String]) {
        heading("SEE ALSO")
        paragraph(names.joined(separator: ", "))
    }
}
