/// How a figure moves over time: the median of the slopes between all pairs of points (Theil-Sen),
/// with the interval that holds the true slope in 95 of 100 cases (Sen 1968). Single outliers, such
/// as a purge at the wrong moment, do not move it.
struct Trend: Equatable {
    /// By how much the figure grows in a unit of time.
    let slope: Double
    let interval: ClosedRange<Double>

    /// The relation of the slope to a limit.
    enum Verdict { case within, above, undecided }

    /// Nil where there are too few points to say anything.
    init?(_ points: [(time: Double, value: Double)]) {
        let count = Double(points.count)
        guard points.count >= 6 else { return nil }
        var slopes: [Double] = []
        for (index, later) in points.enumerated() {
            for earlier in points[..<index] where later.time > earlier.time {
                slopes.append((later.value - earlier.value) / (later.time - earlier.time))
            }
        }
        guard !slopes.isEmpty else { return nil }
        slopes.sort()
        let width = 1.96 * (count * (count - 1) * (2 * count + 5) / 18).squareRoot()
        let lower = max(0, Int((Double(slopes.count) - width) / 2))
        let upper = min(slopes.count - 1, Int((Double(slopes.count) + width) / 2))
        slope = slopes[slopes.count / 2]
        interval = slopes[lower]...slopes[upper]
    }

    /// Above is what surely is; within, what surely is not.
    func verdict(limit: Double) -> Verdict {
        interval.lowerBound > limit ? .above : interval.upperBound <= limit ? .within : .undecided
    }
}
