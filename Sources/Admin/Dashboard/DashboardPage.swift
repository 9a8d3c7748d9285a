import Cache
import Text

/// The page with its content written into it: `page.html`, `style.css` and `script.js` in one
/// answer that loads nothing.
///
/// Must hold: targets, names of keys and errors of files arrive as text, never as markup.
struct DashboardPage: Sendable {
    private enum Piece {
        case markup(String)
        /// `{{name}}`, for a value of the view or the request.
        case place(String)
    }

    private let pieces: [Piece]
    /// Names the style and the script by their digests, so that no other can run.
    let contentPolicy: String

    /// nil where libcrypto gives no digests.
    static let standard = DashboardPage(
        page: PackageResources.page_html, style: PackageResources.style_css, script: PackageResources.script_js)

    init?(page: [UInt8], style: [UInt8], script: [UInt8]) {
        guard let styleDigest = style.withUnsafeBytes(Digest.sha256),
            let scriptDigest = script.withUnsafeBytes(Digest.sha256)
        else { return nil }
        contentPolicy =
            "default-src 'none'; style-src 'sha256-\(Self.base64(styleDigest))'; "
            + "script-src 'sha256-\(Self.base64(scriptDigest))'; connect-src 'self'; form-action 'self'; "
            + "base-uri 'none'; frame-ancestors 'none'"
        let fixed = [
            "style": String(decoding: style, as: UTF8.self), "script": String(decoding: script, as: UTF8.self),
            "selectors": EntrySelector.fields,
        ]
        // Each part but the first begins with the name of a place.
        let parts = String(decoding: page, as: UTF8.self).split(separator: "{{", omittingEmptySubsequences: false)
        pieces = parts.enumerated().flatMap { index, part -> [Piece] in
            guard index > 0, let end = part.firstRange(of: "}}") else { return [.markup(String(part))] }
            let name = String(part[..<end.lowerBound])
            return [fixed[name].map(Piece.markup) ?? .place(name), .markup(String(part[end.upperBound...]))]
        }
    }

    /// Values of `{{name}}`, by name; the page says where.
    var places: [String] {
        pieces.compactMap { piece -> String? in if case .place(let name) = piece { name } else { nil } }
    }

    /// - Parameter markup: by name, in the place of the view's content.
    func html(_ view: DashboardView, markup: [String: String]) -> [UInt8] {
        var html = ""
        for piece in pieces {
            switch piece {
            case .markup(let text): html += text
            case .place(let name): html += markup[name] ?? view.markup(name)
            }
        }
        return Array(html.utf8)
    }

    private static func base64(_ digest: [UInt8]) -> String {
        String(decoding: Base64.standard.encode(digest), as: UTF8.self)
    }
}

extension DashboardView {
    /// The markup for that name: a text, a path, rows, or a state (`NAME-state`). Empty where there
    /// is none.
    fileprivate func markup(_ name: String) -> String {
        if let text = texts[name] { return Markup.escaped(text) }
        if let path = paths[name] { return path }
        if let rows = tables[name] { return Self.markup(rows, columns: Self.columns[name] ?? []) }
        return name.hasSuffix("-state") ? states[String(name.dropLast(6))] ?? "" : ""
    }

    /// Classes of the columns that have one, as in the heads of the page's tables: `n` numbers, `w`
    /// texts that may be cut.
    static let columns: [String: [String]] = [
        "outcomes": ["", "n", "n", "n", "n", "n", "w"], "latency": ["", "n", "n", "n", "n"],
        "spending": ["", "w", "n", "n", "n", "n"], "misses": ["w", "n", "n"], "asked": ["w", "n"],
        "storage": ["", "", "", "n", "n"],
        "errors": ["", "w", "n"],
        "clients": ["", "n", "n", "n", "n", "n", "n", "n"], "statuses": ["", "n", "n", "n", "n"],
        "savings": ["", "n", "n", "n", "n"], "nodes": ["", "w", "", "", "n", "n"],
    ]

    static func markup(_ rows: [[Cell]], columns: [String] = []) -> String {
        rows.map { cells in
            let row = cells.enumerated().map { index, cell in
                let style = columns.indices.contains(index) && !columns[index].isEmpty ? " class=\(columns[index])" : ""
                return index == 0
                    ? "<th scope=row\(style)>\(cell.markup)</th>" : "<td\(style)>\(cell.markup)</td>"
            }
            return "<tr>" + row.joined() + "</tr>\n"
        }.joined()
    }
}

extension DashboardView.Cell {
    fileprivate var markup: String {
        switch self {
        case .text(let text): return Markup.escaped(text)
        case .outcome(let outcome):
            return
                "<svg class=swatch aria-hidden=true><rect width=12 height=12 fill=\"url(#p-\(outcome.name))\" /></svg>"
                + "<span title=\"\(Markup.escaped(outcome.meaning))\">\(outcome.name)</span>"
        case .explain(let target):
            let text = Markup.escaped(target)
            let address = PercentEncoding.encoded(target)
            return "<a href=\"/?explain=\(address)#explain\" title=\"\(text)\">\(text)</a>"
        }
    }
}
