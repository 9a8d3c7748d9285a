/// Writes pages in the man(7) macros, which groff and mandoc both read.
enum Roff {
    static func text(of page: ManualPage) -> String {
        let title = [
            escaped(page.name.uppercased()), "\(page.section)", ProgramVersion.date, "Refrain \(ProgramVersion.text)",
            "Refrain",
        ]
        // Words are not hyphenated and lines not filled up with blanks: much of a page is to be
        // typed as it stands.
        var lines = [".TH " + title.map { "\"\($0)\"" }.joined(separator: " "), ".nh", ".ad l", ".SH NAME"]
        lines.append("\(escaped(page.name)) \\- \(escaped(page.summary))")
        for section in page.sections {
            lines.append(".SH " + escaped(section.title))
            var isFirst = true
            for block in section.blocks {
                lines += written(block, isFirst: isFirst)
                isFirst = false
                if case .subheading = block { isFirst = true }
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// A paragraph macro right behind a heading would be skipped with a warning.
    private static func written(_ block: ManualPage.Block, isFirst: Bool) -> [String] {
        let paragraph = isFirst ? [] : [".PP"]
        switch block {
        case .paragraph(let text): return paragraph + [guarded(escaped(text))]
        case .line(let spans): return paragraph + [guarded(styled(spans))]
        case .item(let term, let text): return [".TP", guarded(styled(term)), guarded(escaped(text))]
        case .code(let lines):
            return paragraph + [".RS 4", ".nf"] + lines.map { guarded(escaped($0)) } + [".fi", ".RE"]
        case .subheading(let text): return [".SS " + escaped(text)]
        }
    }

    private static func styled(_ spans: [ManualPage.Span]) -> String {
        spans.map { span in
            switch span {
            case .plain(let text): escaped(text)
            case .literal(let text): "\\fB\(escaped(text))\\fR"
            case .variable(let text): "\\fI\(escaped(text))\\fR"
            }
        }.joined()
    }

    /// Characters that roff would take for a request, or print as typographic ones that a shell
    /// does not know.
    private static func escaped(_ text: String) -> String {
        text.map { character in
            switch character {
            case "\\": "\\e"
            case "-": "\\-"
            case "'": "\\(aq"
            case "`": "\\(ga"
            case "^": "\\(ha"
            case "~": "\\(ti"
            case "\"": "\\(dq"
            default: String(character)
            }
        }.joined()
    }

    /// A line of text that begins with a dot is text.
    private static func guarded(_ line: String) -> String { line.hasPrefix(".") ? "\\&" + line : line }
}
