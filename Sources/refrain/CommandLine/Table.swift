import Text

/// Rows of texts in columns: aligned, and where a terminal is too narrow, the last column is cut.
enum Table {
    /// Text of a table, a line a row.
    /// - Parameters:
    ///   - columns: their titles; none is shown where all are empty. Numbers, which are aligned to
    ///     the right, have a title that begins with `>`.
    ///   - rows: one cell for each column. Control characters, which a terminal would obey, are
    ///     escaped.
    static func text(_ columns: [String], _ rows: [[String]], width: Int?) -> String {
        precondition(rows.allSatisfy { $0.count == columns.count }, "a cell for each column")
        let titles = columns.map { String($0.trimmingPrefix(">")) }
        let all = (titles.allSatisfy(\.isEmpty) ? [] : [titles]) + rows.map { $0.map(TextTable.printable) }
        let alignments = columns.map { $0.hasPrefix(">") ? TextTable.Alignment.right : .left }
        return TextTable.lines(all, alignments, indent: 0, width: width).map { $0 + "\n" }.joined()
    }

    /// Two columns without titles: names and values.
    static func text(_ named: [(String, String)], width: Int?) -> String {
        text(["", ""], named.map { [$0.0, $0.1] }, width: width)
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
