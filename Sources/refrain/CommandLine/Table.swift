/// Rows of cells in columns: aligned, and where a terminal is too narrow, the last column is cut.
struct Table {
    struct Column {
        let title: String
        /// Numbers stand at the right.
        var isNumeric = false
    }

    struct Cell: ExpressibleByStringInterpolation {
        let text: String
        var style = Terminal.Style.plain

        /// Control characters would be obeyed by the terminal.
        init(_ text: String, _ style: Terminal.Style = .plain) {
            self.text = String(
                String.UnicodeScalarView(
                    text.unicodeScalars.map { $0.value < 0x20 || 0x7F...0x9F ~= $0.value ? "?" : $0 }))
            self.style = style
        }

        init(stringLiteral text: String) { self.init(text) }
    }

    let columns: [Column]
    /// Without them the titles are not shown.
    var hasTitles = true
    private(set) var rows: [[Cell]] = []

    init(_ columns: [Column], hasTitles: Bool = true) {
        self.columns = columns
        self.hasTitles = hasTitles
    }

    /// Two columns without titles: what something is called, and what it is.
    static func named() -> Table { Table([Column(title: ""), Column(title: "")], hasTitles: false) }

    /// One cell for each column.
    mutating func add(_ cells: [Cell]) {
        precondition(cells.count == columns.count, "a cell for each column")
        rows.append(cells)
    }

    /// One line a row.
    func text(for terminal: Terminal) -> String {
        let titles = hasTitles ? [columns.map { Cell($0.title, .bold) }] : []
        let all = titles + rows
        let widths = columns.indices.map { column in all.map { $0[column].text.count }.max() ?? 0 }
        return all.map { line($0, widths, terminal) + "\n" }.joined()
    }

    private static let gap = "  "

    private func line(_ cells: [Cell], _ widths: [Int], _ terminal: Terminal) -> String {
        var line = ""
        var used = 0
        for (index, cell) in cells.enumerated() {
            let isLast = index == cells.count - 1
            var text = cell.text
            if isLast, let width = terminal.width { text = Self.cut(text, to: max(width - used, 8)) }
            let padding = String(repeating: " ", count: max(0, widths[index] - text.count))
            let styled = terminal.styled(text, cell.style)
            if columns[index].isNumeric {
                line += padding + styled
            } else {
                line += styled + (isLast ? "" : padding)
            }
            if !isLast { line += Self.gap }
            used += widths[index] + Self.gap.count
        }
        return line
    }

    /// The beginning of a text that is too long, with an ellipsis.
    static func cut(_ text: String, to width: Int) -> String {
        text.count <= width ? text : text.prefix(width - 1) + "…"
    }
}
