import Foundation

/// How values become places along a line, and which of them are written beside it.
struct Axis: Equatable {
    let lowest: Double
    let highest: Double
    let isLogarithmic: Bool

    /// For values of at least 0; a logarithmic axis takes none below a millionth.
    init(_ values: [Double], isLogarithmic: Bool) {
        self.isLogarithmic = isLogarithmic
        let positive = values.filter { $0.isFinite && $0 >= 0 }
        if isLogarithmic {
            let floor = max(positive.min() ?? 1, 1e-6)
            lowest = pow(10, log10(floor).rounded(.down))
            highest = max(pow(10, log10(max(positive.max() ?? 10, floor)).rounded(.up)), lowest * 10)
        } else {
            lowest = 0
            highest = max(Self.step(for: positive.max() ?? 1) * 5, 1e-9)
        }
    }

    /// From 0 (lowest) to 1 (highest).
    func fraction(_ value: Double) -> Double {
        guard isLogarithmic else { return (value - lowest) / (highest - lowest) }
        return log10(max(value, lowest) / lowest) / log10(highest / lowest)
    }

    var ticks: [Double] {
        guard isLogarithmic else { return (0...5).map { highest / 5 * Double($0) } }
        let decades = Int(log10(highest / lowest).rounded())
        return (0...decades).map { lowest * pow(10, Double($0)) }
    }

    /// 12000 as "12k".
    static func label(_ value: Double) -> String {
        for (unit, suffix) in [(1e6, "M"), (1e3, "k")] where value >= unit {
            let scaled = value / unit
            return (scaled == scaled.rounded() ? "\(Int(scaled))" : ResultsTable.fixed(scaled, 1)) + suffix
        }
        return value == value.rounded() ? "\(Int(value))" : ResultsTable.fixed(value, value < 0.1 ? 3 : 2)
    }

    /// A round number of which five reach the highest value.
    private static func step(for highest: Double) -> Double {
        guard highest > 0 else { return 1 }
        let exact = highest / 5
        let magnitude = pow(10, log10(exact).rounded(.down))
        return ([1, 2, 2.5, 5, 10].first { $0 * magnitude >= exact * (1 - 1e-9) } ?? 10) * magnitude
    }
}
