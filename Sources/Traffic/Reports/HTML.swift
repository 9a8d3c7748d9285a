import Text

// Parts that all pages of reports share. Must hold: a page is one file that loads nothing and runs
// nothing, whatever its recording says; its content security policy holds the browser to that.

enum HTML {
    /// As text or as the value of an attribute, without characters that would hide the text or turn
    /// it round.
    static func escaped(_ text: String) -> String {
        Markup.escaped(TextTable.printable(text))
    }

    static func page(title: String, body: String) -> String {
        """
        <!doctype html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <title>\(escaped(title))</title>
        <style>
        \(String(decoding: PackageResources.report_css, as: UTF8.self))</style>
        </head>
        <body>
        \(body)</body>
        </html>

        """
    }

    /// - Parameter span: of the grid: `most`, `side`, `half`, or empty for the whole width.
    static func section(_ title: String, span: String = "", _ content: String) -> String {
        "<section class=\"\(span)\">\n<h2>\(escaped(title))</h2>\n\(content)</section>\n"
    }

    static func note(_ text: String) -> String { "<p class=\"note\">\(escaped(text))</p>\n" }

    /// Figures in large type, each with its name and a note.
    static func figures(_ figures: [(name: String, value: String, note: String)]) -> String {
        let items = figures.map { figure in
            "<div><dt>\(escaped(figure.name))</dt><dd><b>\(escaped(figure.value))</b><span>\(escaped(figure.note))</span></dd></div>\n"
        }
        return "<dl class=\"figures\">\n\(items.joined())</dl>\n"
    }

    /// Cells are text. The first column names its row; the last alignment goes for all further
    /// columns too.
    static func table(
        _ caption: String, _ head: [String], _ rows: [[String]], _ alignments: [TextTable.Alignment],
        classes: String = ""
    ) -> String {
        func cells(_ row: [String], scope: String) -> String {
            row.enumerated().map { index, text in
                let (name, attribute) = scope == "col" || index == 0 ? ("th", " scope=\"\(scope)\"") : ("td", "")
                let isRight = alignments[min(index, alignments.count - 1)] == .right
                return "<\(name)\(attribute)\(isRight ? " class=\"n\"" : "")>\(escaped(text))</\(name)>"
            }.joined()
        }
        let lines = rows.map { "<tr>\(cells($0, scope: "row"))</tr>\n" }
        // A table that scrolls must be reachable by the keyboard, and has a name then.
        return """
            <div class="scroll \(classes)" role="region" aria-label="\(escaped(caption))" tabindex="0">
            <table>
            <caption class="unseen">\(escaped(caption))</caption>
            <thead><tr>\(cells(head, scope: "col"))</tr></thead>
            <tbody>
            \(lines.joined())</tbody>
            </table>
            </div>

            """
    }

    static func details(_ summary: String, _ content: String) -> String {
        "<details>\n<summary>\(escaped(summary))</summary>\n\(content)</details>\n"
    }
}
