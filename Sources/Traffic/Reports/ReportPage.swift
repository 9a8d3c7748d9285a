import Text

/// A report as one page of HTML: a file by itself that loads nothing. Its content is JSON in the
/// page, which `report.js` shows.
///
/// Must hold: texts of recordings and results arrive as text, never as markup.
struct ReportPage {
    struct Table {
        let title: String
        var note = ""
        let head: [String]
        let rows: [[String]]
        /// Whether all columns but the first are numbers; else texts, which may be long.
        var hasNumbers = false
        /// Whether it takes the whole width of the page.
        var isWide = true
    }

    let title: String
    /// Lines below the title.
    var facts: [String] = []
    var alarms: [String] = []
    /// Shown in large type.
    var figures: [(name: String, value: String, note: String)] = []
    var verdicts: [Threshold.Verdict] = []
    var tables: [Table] = []
    /// The run whose throughput and latencies are drawn over time.
    var drawn: ReplayResult?
    /// Sentences that explain the figures.
    var notes: [String] = []

    /// One object, as `report.js` reads it. Texts have no characters that would hide them or turn
    /// them round.
    var json: JSON {
        .object(members: [
            "title": Self.text(title), "facts": Self.texts(facts), "alarms": Self.texts(alarms),
            "figures": .array(figures.map { Self.texts([$0.name, $0.value, $0.note]) }),
            "verdicts": .array(
                verdicts.map { verdict in
                    let state = verdict.isUndecided ? "unclear" : verdict.isMissed ? "failed" : "passed"
                    return .object(members: ["state": .string(state), "sentence": Self.text(verdict.sentence)])
                }),
            "tables": .array(tables.map(\.json)),
            "timeline": drawn.flatMap { $0.slots.isEmpty ? nil : $0.timelineJSON } ?? .null,
            "notes": Self.texts(notes),
        ])
    }

    var html: String {
        let (style, script) = (PackageResources.report_css, PackageResources.report_js)
        // A browser would take `</script>` within a text for the end of the element. By bytes: a
        // character of several scalars may hold a bracket.
        let data = json.bytes.flatMap { $0 == UInt8(ascii: "<") ? Array("\\u003c".utf8) : [$0] }
        return """
            <!doctype html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta http-equiv="Content-Security-Policy" content="\
            default-src 'none'; style-src \(Self.source(style)); script-src \(Self.source(script))">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <title>Report</title>
            <style>\(String(decoding: style, as: UTF8.self))</style>
            </head>
            <body>
            <noscript>This report needs JavaScript, which its own file contains.</noscript>
            <script type="application/json" id="report">\(String(decoding: data, as: UTF8.self))</script>
            <script>\(String(decoding: script, as: UTF8.self))</script>
            </body>
            </html>

            """
    }

    /// The one style or script that the page may have, by its digest; none where libcrypto gives
    /// no digest.
    private static func source(_ bytes: [UInt8]) -> String {
        guard let digest = bytes.withUnsafeBytes(Digest.sha256) else { return "'none'" }
        return "'sha256-\(String(decoding: Base64.standard.encode(digest), as: UTF8.self))'"
    }

    fileprivate static func text(_ text: String) -> JSON { .string(TextTable.printable(text)) }

    fileprivate static func texts(_ texts: [String]) -> JSON { .array(texts.map(text)) }
}

extension ReportPage.Table {
    fileprivate var json: JSON {
        .object(members: [
            "title": ReportPage.text(title), "note": ReportPage.text(note), "head": ReportPage.texts(head),
            "rows": .array(rows.map(ReportPage.texts)), "numbers": .bool(hasNumbers), "wide": .bool(isWide),
        ])
    }
}
