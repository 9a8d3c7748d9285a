import Text

// The plots of a replay: which figures are drawn over which axes.

enum ResultPlots {
    /// Latency by percentile; the further right, the fewer are slower.
    static func percentiles(_ curves: [(name: String, style: String, histogram: Histogram)]) -> Plot {
        let count = curves.map(\.histogram.count).max() ?? 0
        let series = curves.map { curve in
            let points = curve.histogram.distribution.map { point in
                // The slowest of n is drawn at one in n.
                let inverse = point.share < 1 ? 1 / (1 - point.share) : Double(curve.histogram.count)
                // Beyond the slowest of fewer than ten the line stays level.
                let end = point.share < 1 ? inverse : max(10, inverse)
                return PlotSeries.Step(from: inverse, to: end, value: Double(point.nanoseconds))
            }
            return PlotSeries(name: curve.name, style: curve.style, steps: points)
        }
        let sentences = curves.map { curve in
            let median = Figure.time(nanoseconds: curve.histogram.quantile(0.5))
            return
                "\(curve.name): half within \(median), the slowest \(Figure.time(nanoseconds: curve.histogram.maximum))"
        }
        return Plot(
            description: "Latency by percentile. " + sentences.joined(separator: "; ") + ".",
            x: .percentiles(ofCount: count), y: .latencies(series.flatMap(\.steps).compactMap { $0?.value }),
            xTitle: "percentile", yTitle: "latency", series: series)
    }

    static func latencies(_ columns: [TimelineColumn]) -> Plot {
        let kinds: [(String, String, (ReplayResult.Slot) -> Int?)] = [
            ("max", "s-max", \.maximum), ("p99", "s-p99", \.p99), ("p50", "s-p50", \.median),
        ]
        let series = kinds.map { name, style, value in line(name, style, columns) { value($0.slot).map(Double.init) } }
        return plot(
            "Corrected latency by when requests were due: median, 99th percentile and slowest.", columns, series,
            isLatency: true, xTitle: "when requests were due", yTitle: "corrected latency")
    }

    static func throughput(_ columns: [TimelineColumn]) -> Plot {
        let kinds: [(String, String, (ReplayResult.Slot) -> Int)] = [
            ("answered", "s-answered", \.answered), ("sent", "s-sent", \.sent),
        ]
        let series = kinds.map { name, style, count in
            line(name, style, columns) { $0.isRest ? nil : $0.rate(count($0.slot)) }
        }
        return plot("Requests sent and answered a second over time.", columns, series, yTitle: "requests a second")
    }

    private static func line(
        _ name: String, _ style: String, _ columns: [TimelineColumn], _ value: (TimelineColumn) -> Double?
    ) -> PlotSeries {
        let steps = columns.map { column in
            value(column).map { PlotSeries.Step(from: column.from, to: column.to, value: $0) }
        }
        return PlotSeries(name: name, style: style, steps: steps)
    }

    /// Over the time of these columns, as high as the largest value.
    private static func plot(
        _ description: String, _ columns: [TimelineColumn], _ series: [PlotSeries], isLatency: Bool = false,
        xTitle: String = "time since the start", yTitle: String
    ) -> Plot {
        let values = series.flatMap(\.steps).compactMap { $0?.value }
        return Plot(
            description: description, x: .time(seconds: columns.map(\.to).max() ?? 0),
            y: isLatency ? .latencies(values) : .amounts(upTo: values.max() ?? 0), xTitle: xTitle, yTitle: yTitle,
            series: series)
    }

    /// Hits, misses, other answers and failures, stacked in that order; kinds that never occur are
    /// left out.
    static func outcomes(_ columns: [TimelineColumn]) -> Plot {
        let kinds: [(String, String, (TimelineColumn) -> Int)] = [
            ("hit", "s-hit", \.slot.hits), ("miss", "s-miss", \.slot.misses), ("other", "s-other", \.others),
            ("failed", "s-failed", \.slot.failed),
        ]
        var floors = [Double](repeating: 0, count: columns.count)
        let occurring = kinds.filter { kind in columns.contains { kind.2($0) > 0 } }
        let series = occurring.map { name, style, count in
            let steps = columns.enumerated().map { index, column -> PlotSeries.Step? in
                guard !column.isRest else { return nil }
                let floor = floors[index]
                floors[index] += column.rate(count(column))
                return PlotSeries.Step(from: column.from, to: column.to, value: floors[index], floor: floor)
            }
            return PlotSeries(name: name, style: style, isArea: true, steps: steps)
        }
        return plot(
            "Answers and failures a second over time, by what the cache did.", columns, series,
            yTitle: "answers and failures a second")
    }
}
