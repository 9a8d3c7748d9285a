import Text

/// Rows of texts in columns: aligned, and where a terminal is too narrow, the last column is cut.
struct Table {
    private let titles: [String]
    private let alignments: [TextTable.Alignment]
    private(set) var rows: [[String]] = []

    /// - Parameter columns: their titles; none is shown where all are empty. Numbers, which are
    ///   aligned to the right, have a title that begins with `>`.
    init(_ columns: [String]) {
        titles = columns.map { String($0.trimmingPrefix(">")) }
        alignments = columns.map { $0.hasPrefix(">") ? .right : .left }
    }

    /// Two columns without titles: what something is called, and what it is.
    static func named() -> Table { Table(["", ""]) }

    /// One cell for each column. Control characters would be obeyed by the terminal.
    mutating func add(_ cells: [String]) {
        precondition(cells.count == titles.count, "a cell for each column")
        rows.append(cells.map(TextTable.printable))
    }

    /// One line a row.
    func text(width: Int?) -> String {
        let all = (titles.allSatisfy(\.isEmpty) ? [] : [titles]) + rows
        return TextTable.lines(all, alignments, indent: 0, width: width).map { $0 + "\n" }.joined()
    }
}

extension JSON? {
    /// A value of an answer; `-` for none.
    var shown: String {
        switch self {
        case .string(let text): TextTable.printable(text)
        case .number(let lexeme): lexeme
        case .bool(let isTrue): isTrue ? "yes" : "no"
        case .array, .object, .null, nil: "-"
        }
    }

    /// A number of seconds.
    var span: String { self?.intValue.map(SpanOfTime.text) ?? "-" }
}
