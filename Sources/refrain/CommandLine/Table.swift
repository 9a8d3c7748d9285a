import Text

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
        return TextTable.lines(
            all.map { $0.map(\.text) }, columns.map { $0.isNumeric ? .right : .left }, indent: 0, width: terminal.width
        ) { text, row, column in terminal.styled(text, all[row][column].style) }.map { $0 + "\n" }.joined()
    }
}
