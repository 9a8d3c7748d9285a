import Traffic

/// A curve as a drawing: requests a second above, latency below (p50 solid, p99 dashed), a colour
/// for each server.
enum CurvePlot {
    private static let colours = ["#1f6fb4", "#d1662b", "#5a9b3c", "#8a5fb0"]
    private static let (left, width) = (76.0, 560.0)
    private static let (top, height, gap) = (70.0, 230.0, 66.0)

    static func svg(_ curve: Curve) -> String {
        var drawing = SVG(width: left + width + 30, height: top + 2 * height + gap + 50)
        drawing.text(12, 24, curve.title, size: 15)
        drawLegend(curve, in: &drawing)
        let x = Self.axis(curve.series.flatMap(\.points).map(\.x), isLogarithmic: curve.isLogarithmic)
        draw(curve, x, [(\.requestsPerSecond, false)], "requests/s", isLogarithmic: false, at: top, in: &drawing)
        let below = top + height + gap
        draw(curve, x, [(\.p50, false), (\.p99, true)], "ms", isLogarithmic: true, at: below, in: &drawing)
        drawing.text(left + width / 2, below + height + 38, curve.xLabel, anchor: .middle)
        return drawing.document
    }

    private static func drawLegend(_ curve: Curve, in drawing: inout SVG) {
        for (index, series) in curve.series.enumerated() {
            let x = left + Double(index) * 130
            drawing.line((x, 44), (x + 22, 44), colour: colour(index))
            drawing.text(x + 28, 48, series.name, colour: colour(index))
        }
        drawing.text(left + width, 48, "latency: p50 solid, p99 dashed", anchor: .end, size: 11, colour: "#666666")
    }

    private static func draw(
        _ curve: Curve, _ x: PlotAxis, _ figures: [(KeyPath<Sample, Double>, isDashed: Bool)], _ unit: String,
        isLogarithmic: Bool, at y: Double, in drawing: inout SVG
    ) {
        let samples = curve.series.flatMap(\.points).map(\.sample)
        let axis = Self.axis(
            figures.flatMap { figure in samples.map { $0[keyPath: figure.0] } }, isLogarithmic: isLogarithmic)
        func place(_ horizontal: Double, _ vertical: Double) -> (x: Double, y: Double) {
            (left + x.place(horizontal) * width, y + (1 - axis.place(vertical)) * height)
        }
        for tick in axis.ticks {
            let at = place(x.lowest, tick.value)
            drawing.line(at, (left + width, at.y), colour: "#e4e4e4")
            drawing.text(left - 6, at.y + 4, tick.label, anchor: .end, size: 11)
        }
        for tick in x.ticks {
            drawing.text(place(tick.value, axis.lowest).x, y + height + 16, tick.label, anchor: .middle, size: 11)
        }
        drawing.text(left, y - 8, unit, anchor: .end, size: 11, colour: "#666666")
        for (index, series) in curve.series.enumerated() {
            for figure in figures {
                let points = series.points.map { place($0.x, $0.sample[keyPath: figure.0]) }
                drawing.polyline(points, colour: colour(index), dashed: figure.isDashed)
                for point in points { drawing.dot(point.x, point.y, colour: colour(index)) }
            }
        }
    }

    private static func axis(_ values: [Double], isLogarithmic: Bool) -> PlotAxis {
        isLogarithmic ? .decades(values) : .amounts(upTo: values.max() ?? 0)
    }

    private static func colour(_ index: Int) -> String { colours[index % colours.count] }
}
