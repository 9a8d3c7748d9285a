/// Columns of text for a terminal.
public enum TextTable {
    public enum Alignment: Sendable {
        case left
        case right
    }

    /// A line for each row, columns two spaces apart and nothing trailing; the last alignment goes
    /// for all columns after it too.
    ///
    /// - Parameter width: where a line would be wider, the last column is cut.
    public static func lines(
        _ rows: [[String]], _ alignments: [Alignment], indent: Int = 2, width: Int? = nil
    ) -> [String] {
        let columns = rows.map(\.count).max() ?? 0
        let widths = (0..<columns).map { column in
            rows.map { $0.indices.contains(column) ? $0[column].count : 0 }.max() ?? 0
        }
        return rows.map { row in
            var line = ""
            // Blanks that are due before the next text, so that none trail.
            var (blanks, used) = (indent, indent)
            for (column, cell) in row.enumerated() {
                let isLast = column == columns - 1
                let text = isLast ? width.map { cut(cell, to: max($0 - used, 8)) } ?? cell : cell
                let padding = max(0, widths[column] - text.count)
                let isRight = alignments[min(column, alignments.count - 1)] == .right
                if isRight { blanks += padding }
                if !text.isEmpty {
                    line += String(repeating: " ", count: blanks) + text
                    blanks = 0
                }
                blanks += gap + (isRight ? 0 : padding)
                used += widths[column] + gap
            }
            return line
        }
    }

    private static let gap = 2

    /// The beginning of a text that is too long, with an ellipsis.
    public static func cut(_ text: String, to width: Int) -> String {
        text.count <= width ? text : text.prefix(width - 1) + "…"
    }

    /// Without characters that move a terminal's cursor or turn its writing round: recordings and
    /// results may come from anywhere.
    public static func printable(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "") { result, scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned:
                result += "\\u{" + String(scalar.value, radix: 16) + "}"
            default: result.unicodeScalars.append(scalar)
            }
        }
    }
}
