import Traffic

/// A curve as a drawing: requests a second above, latency below (p50 solid, p99 dashed), a colour
/// for each server.
enum CurvePlot {
    private static let colours = ["#1f6fb4", "#d1662b", "#5a9b3c", "#8a5fb0"]
    private static let (left, width) = (76.0, 560.0)
    private static let (top, height, gap) = (70.0, 230.0, 66.0)

    static func svg(_ curve: Curve) -> String {
        var drawing = Drawing(width: left + width + 30, height: top + 2 * height + gap + 50)
        drawing.text(12, 24, curve.title, size: 15)
        for (index, series) in curve.series.enumerated() {
            let x = left + Double(index) * 130
            drawing.line((x, 44), (x + 22, 44), colour: colour(index))
            drawing.text(x + 28, 48, series.name, colour: colour(index))
        }
        drawing.text(left + width, 48, "latency: p50 solid, p99 dashed", anchor: .end, size: 11, colour: "#666666")
        draw(curve, [(\.requestsPerSecond, false)], "requests/s", isLogarithmic: false, at: top, in: &drawing)
        let below = top + height + gap
        draw(curve, [(\.p50, false), (\.p99, true)], "ms", isLogarithmic: true, at: below, in: &drawing)
        drawing.text(left + width / 2, below + height + 38, curve.xLabel, anchor: .middle)
        return drawing.document
    }

    private static func draw(
        _ curve: Curve, _ figures: [(KeyPath<Sample, Double>, isDashed: Bool)], _ unit: String, isLogarithmic: Bool,
        at y: Double, in drawing: inout Drawing
    ) {
        let lines = curve.series.enumerated().flatMap { index, series in
            figures.map { figure in
                (
                    points: series.points.map { (x: $0.x, y: $0.sample[keyPath: figure.0]) }, colour: colour(index),
                    isDashed: figure.isDashed
                )
            }
        }
        let points = lines.flatMap(\.points)
        drawing.plot(
            lines, x: axis(points.map(\.x), isLogarithmic: curve.isLogarithmic),
            y: axis(points.map(\.y), isLogarithmic: isLogarithmic), at: (left, y), width: width, height: height)
        drawing.text(left, y - 8, unit, anchor: .end, size: 11, colour: "#666666")
    }

    private static func axis(_ values: [Double], isLogarithmic: Bool) -> PlotAxis {
        isLogarithmic ? .decades(values) : .amounts(upTo: values.max() ?? 0)
    }

    private static func colour(_ index: Int) -> String { colours[index % colours.count] }
}
