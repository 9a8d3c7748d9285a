import Proxy

// The drawings of the page as SVG path data. Pure: numbers in, text out; coordinates are whole
// numbers where they can be.

/// The outcomes of the last hour: a column for each slot, the newest at the right, shares stacked
/// from the bottom up. 360 wide, 100 high.
struct Ribbon {
    private let slots: ArraySlice<History.Totals>

    init(_ history: History) {
        slots = history.slots.suffix(History.slotCount)
    }

    private func column(_ index: Int) -> Int { History.slotCount - slots.count + index }

    /// The area of one outcome; empty where it did not occur.
    func path(_ outcome: Outcome) -> String {
        slots.enumerated().reduce(into: "") { path, slot in
            let counts = slot.element.outcomes
            let (sum, own) = (slot.element.sum, counts[outcome.rawValue])
            guard own > 0 else { return }
            let below = counts[..<outcome.rawValue].reduce(0, +)
            // Both edges are rounded alike, so that neighbours neither overlap nor leave a gap.
            let (bottom, top) = (below * 1000 / sum, (below + own) * 1000 / sum)
            path += "M\(column(slot.offset)) \(Self.tenths(1000 - bottom))v-\(Self.tenths(top - bottom))h1v"
            path += "\(Self.tenths(top - bottom))z"
        }
    }

    /// How much came at all, each slot in proportion to the fullest.
    var volume: String {
        let peak = peak
        return slots.enumerated().reduce(into: "") { path, slot in
            guard slot.element.sum > 0 else { return }
            let height = max(2, slot.element.sum * 100 / peak)
            path += "M\(column(slot.offset)) 100v-\(height)h1v\(height)z"
        }
    }

    /// Requests of the fullest slot.
    var peak: Int { slots.map(\.sum).max() ?? 0 }

    private static func tenths(_ number: Int) -> String { "\(number / 10).\(number % 10)" }
}

/// How durations spread: a step for each bucket of `LatencyCounts`, in proportion to the fullest.
/// 106 wide, 100 high.
enum LatencyPlot {
    static func path(_ counts: LatencyCounts) -> String {
        guard let peak = counts.counts.max(), peak > 0 else { return "" }
        let occupied = counts.counts.indices.filter { counts.counts[$0] > 0 }
        guard let first = occupied.first, let last = occupied.last else { return "" }
        let steps = (first...last).map { index in
            "V\(100 - max(counts.counts[index] > 0 ? 2 : 0, counts.counts[index] * 96 / peak))H\(index + 1)"
        }
        return "M\(first) 100" + steps.joined() + "V100z"
    }
}
