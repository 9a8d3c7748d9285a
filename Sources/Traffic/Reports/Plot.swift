// Plots as HTML: the lines are SVG that stretches with the page, the labels are text next to it, so
// that they keep their size on narrow screens. Must hold: a table on the page says all that a plot
// says.

import Text

/// A line or an area over an axis.
struct PlotSeries {
    /// A stretch of the horizontal axis, and the value there. Where a line goes through points,
    /// from and to are the same.
    struct Step {
        let from: Double
        let to: Double
        let value: Double
        /// Where an area begins; below it another is stacked.
        var floor = 0.0
    }

    /// In the legend.
    let name: String
    /// Class of the style sheet: `s-corrected`, `s-hit`.
    let style: String
    /// Filled down to the floors of its steps; a line otherwise.
    var isArea = false
    /// Left to right; nil is a gap.
    let steps: [Step?]
}

struct Plot {
    /// Text for a reader who does not see it.
    let description: String
    let x: PlotAxis
    let y: PlotAxis
    /// Names of the axes, such as `percentile` and `latency`.
    let xTitle: String
    let yTitle: String
    let series: [PlotSeries]

    private static let width = 1000.0
    private static let height = 300.0

    var html: String {
        """
        <figure class="plot">
        <figcaption><span>\(HTML.escaped(yTitle))</span>\(series.map(legend).joined())</figcaption>
        <div class="frame">
        <div class="y" aria-hidden="true">\(y.ticks.map { label($0, "bottom", y) }.joined())</div>
        <svg role="img" viewBox="0 0 1000 300" preserveAspectRatio="none"><title>\(HTML.escaped(description))</title>
        <path class="grid" d="\(grid)"/>
        \(series.map(path).joined(separator: "\n"))
        </svg>
        <div class="x\(x.ticks.count > 4 ? " many" : "")" aria-hidden="true">\(x.ticks.map { label($0, "left", x) }.joined())</div>
        <div class="xtitle" aria-hidden="true">\(HTML.escaped(xTitle))</div>
        </div>
        </figure>

        """
    }

    private func legend(_ series: PlotSeries) -> String {
        let sample =
            series.isArea
            ? "<rect class=\"area \(series.style)\" width=\"24\" height=\"10\"/>"
            : "<path class=\"line \(series.style)\" d=\"M0 5H24\"/>"
        let key = "<svg aria-hidden=\"true\" width=\"24\" height=\"10\">\(sample)</svg>"
        return "<span class=\"key\">\(key)\(HTML.escaped(series.name))</span>"
    }

    private func label(_ tick: PlotAxis.Tick, _ side: String, _ axis: PlotAxis) -> String {
        "<span style=\"\(side):\(Self.plain(axis.place(tick.value) * 100))%\">\(HTML.escaped(tick.label))</span>"
    }

    private func path(_ series: PlotSeries) -> String {
        let form = series.isArea ? "area" : "line"
        let data = series.isArea ? area(series.steps) : line(series.steps)
        return "<path class=\"\(form) \(series.style)\" d=\"\(data)\"/>"
    }

    // MARK: - Data of SVG paths

    private func across(_ value: Double) -> String { Self.plain(x.place(value) * Self.width) }

    private func down(_ value: Double) -> String { Self.plain((1 - y.place(value)) * Self.height) }

    /// A line for each tick.
    private var grid: String {
        y.ticks.map { "M0 \(down($0.value))H\(Self.plain(Self.width))" }.joined()
            + x.ticks.map { "M\(across($0.value)) 0V\(Self.plain(Self.height))" }.joined()
    }

    private func line(_ steps: [PlotSeries.Step?]) -> String {
        var (path, isDrawing) = ("", false)
        for step in steps {
            guard let step else {
                isDrawing = false
                continue
            }
            path += "\(isDrawing ? "L" : "M")\(across(step.from)) \(down(step.value))"
            if step.to > step.from { path += "H\(across(step.to))" }
            isDrawing = true
        }
        return path
    }

    private func area(_ steps: [PlotSeries.Step?]) -> String {
        steps.compactMap { $0 }.filter { $0.value > $0.floor }.map { step in
            let floor = down(step.floor)
            return "M\(across(step.from)) \(floor)V\(down(step.value))H\(across(step.to))V\(floor)z"
        }.joined()
    }

    /// A number of SVG and CSS, to a hundredth.
    private static func plain(_ value: Double) -> String { Figure.shortest(value, decimals: 2, isGrouped: false) }
}
