import Proxy
import Text

/// The outcomes over time as SVG path data: a column for each part of the time, the newest at the
/// right, shares stacked from the bottom up. 360 wide, however many columns there are, and 100
/// high. Pure; coordinates are whole numbers where they can be.
struct Ribbon {
    private let columns: [History.Column]

    static let width = 360

    init(_ columns: [History.Column]) {
        self.columns = columns
    }

    /// The area of one outcome; empty where it did not occur.
    func path(_ outcome: Outcome) -> String {
        columns.enumerated().reduce(into: "") { path, column in
            let counts = column.element.totals.outcomes
            let (sum, own) = (column.element.totals.sum, counts[outcome.rawValue])
            guard own > 0 else { return }
            let below = counts[..<outcome.rawValue].reduce(0, +)
            // Edges are rounded alike, so that neighbours neither overlap nor leave a gap.
            let (bottom, top) = (below * 1000 / sum, (below + own) * 1000 / sum)
            let height = Self.text(top - bottom, of: 10)
            path += "M\(left(column.offset)) \(Self.text(1000 - bottom, of: 10))v-\(height)"
            path += "h\(width(column.offset))v\(height)z"
        }
    }

    /// How much came at all, each column in proportion to the fullest.
    var volume: String {
        let peak = peak
        return columns.enumerated().reduce(into: "") { path, column in
            guard column.element.totals.sum > 0 else { return }
            let height = max(2, Int(clamping: column.element.perSecond * 100 / peak))
            path += "M\(left(column.offset)) 100v-\(height)h\(width(column.offset))v\(height)z"
        }
    }

    /// Requests a second of the fullest column.
    var peak: Double { columns.map(\.perSecond).max() ?? 0 }

    /// Seconds of all columns together.
    var seconds: Int { columns.reduce(0) { $0 + $1.seconds } }

    /// In hundredths, from 0 to `columns.count`.
    private func edge(_ index: Int) -> Int { index * Self.width * 100 / columns.count }
    private func left(_ index: Int) -> String { Self.text(edge(index), of: 100) }
    private func width(_ index: Int) -> String { Self.text(edge(index + 1) - edge(index), of: 100) }

    private static func text(_ number: Int, of parts: Int) -> String {
        Figure.shortest(Double(number) / Double(parts), decimals: 2, isGrouped: false)
    }
}

extension History.Column {
    fileprivate var perSecond: Double { Double(totals.sum) / Double(max(1, seconds)) }
}
