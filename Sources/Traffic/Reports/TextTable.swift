/// Columns of text for a terminal.
enum TextTable {
    enum Alignment: Sendable {
        case left
        case right
    }

    /// A line for each row, columns two spaces apart; the last alignment goes for all columns
    /// behind it too.
    static func lines(_ rows: [[String]], _ alignments: [Alignment], indent: Int = 2) -> [String] {
        let columns = rows.map(\.count).max() ?? 0
        let widths = (0..<columns).map { column in
            rows.map { $0.indices.contains(column) ? $0[column].count : 0 }.max() ?? 0
        }
        return rows.map { row in
            let cells = row.enumerated().map { column, cell in
                let padding = String(repeating: " ", count: widths[column] - cell.count)
                return alignments[min(column, alignments.count - 1)] == .left ? cell + padding : padding + cell
            }
            let line = String(repeating: " ", count: indent) + cells.joined(separator: "  ")
            return String(line.reversed().drop { $0 == " " }.reversed())
        }
    }

    /// Without what would move a terminal's cursor or turn its writing round: recordings and
    /// results may come from anywhere.
    static func printable(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "") { result, scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned:
                result += "\\u{" + String(scalar.value, radix: 16) + "}"
            default: result.unicodeScalars.append(scalar)
            }
        }
    }
}
