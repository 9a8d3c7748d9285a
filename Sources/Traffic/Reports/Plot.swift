// Plots as HTML: the lines are SVG that stretches with the page, the labels are text beside it, so
// that they keep their size on narrow screens. What must hold: no plot says what no table beside it
// says too.

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

    enum Form {
        case line
        case area
    }

    /// In the legend.
    let name: String
    /// Of the style sheet: `s-corrected`, `s-hit`.
    let style: String
    var form = Form.line
    /// Left to right; nil is a gap.
    let steps: [Step?]
}

/// Series over two axes.
struct Plot {
    /// What a reader who does not see it is told.
    let description: String
    let x: PlotAxis
    let y: PlotAxis
    /// What the axes show, such as `percentile` and `latency`.
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
            series.form == .area
            ? "<rect class=\"area \(series.style)\" width=\"24\" height=\"10\"/>"
            : "<path class=\"line \(series.style)\" d=\"M0 5H24\"/>"
        let key = "<svg aria-hidden=\"true\" width=\"24\" height=\"10\">\(sample)</svg>"
        return "<span class=\"key\">\(key)\(HTML.escaped(series.name))</span>"
    }

    private func label(_ tick: PlotAxis.Tick, _ side: String, _ axis: PlotAxis) -> String {
        "<span style=\"\(side):\(Self.plain(axis.place(tick.value) * 100))%\">\(HTML.escaped(tick.label))</span>"
    }

    private var grid: String {
        y.ticks.map { "M0 \(vertical($0.value))H1000" }.joined()
            + x.ticks.map { "M\(horizontal($0.value)) 0V300" }.joined()
    }

    private func path(_ series: PlotSeries) -> String {
        let form = series.form == .area ? "area" : "line"
        let data = series.form == .area ? area(series.steps) : line(series.steps)
        return "<path class=\"\(form) \(series.style)\" d=\"\(data)\"/>"
    }

    private func line(_ steps: [PlotSeries.Step?]) -> String {
        var (path, isDrawing) = ("", false)
        for step in steps {
            guard let step else {
                isDrawing = false
                continue
            }
            path += "\(isDrawing ? "L" : "M")\(horizontal(step.from)) \(vertical(step.value))"
            if step.to > step.from { path += "H\(horizontal(step.to))" }
            isDrawing = true
        }
        return path
    }

    private func area(_ steps: [PlotSeries.Step?]) -> String {
        steps.compactMap { $0 }.filter { $0.value > $0.floor }.map { step in
            "M\(horizontal(step.from)) \(vertical(step.floor))V\(vertical(step.value))H\(horizontal(step.to))V\(vertical(step.floor))z"
        }.joined()
    }

    private func horizontal(_ value: Double) -> String { Self.plain(x.place(value) * Self.width) }

    private func vertical(_ value: Double) -> String { Self.plain((1 - y.place(value)) * Self.height) }

    /// A number of SVG and CSS, to a hundredth.
    private static func plain(_ value: Double) -> String {
        let hundredths = Int((value * 100).rounded())
        let rest = hundredths % 100
        return rest == 0 ? "\(hundredths / 100)" : "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest)"
    }
}
