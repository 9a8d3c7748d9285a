extension WhatIfReport {
    /// One page of HTML: the figures side by side, hit ratio and requests to the origin over the
    /// time of the recording.
    public var page: String {
        let head = """
            <header>
            <h1>What if \(HTML.escaped(file))</h1>
            <p>Recorded from \(HTMLReport.time(started)) to \(HTMLReport.time(ended)), \(HTML.escaped(Figure.span(duration)))</p>
            </header>

            """
        let table = HTML.table(
            "Figures of all configurations", [""] + figures.map(\.name), rows.map { [$0.name] + $0.values },
            [.left, .right])
        let main = [
            HTML.section("Hit ratio", span: "half", ratios.html),
            HTML.section("Requests to the origin", span: "half", rates.html),
            HTML.section("Figures", table + remarks.map(HTML.note).joined()),
        ]
        return HTML.page(
            title: "What if \(file)",
            body: head + "<main>\n" + main.joined() + "</main>\n" + HTMLReport.foot(of: Self.explanations))
    }

    private var ratios: Plot {
        plot("hits of hits and misses", .linear(upTo: 1) { Figure.percent($0) }) { $0.hitRatio }
    }

    private var rates: Plot {
        let most = figures.flatMap(\.intervals).map(\.upstreamRate).max() ?? 0
        return plot("requests a second", .amounts(upTo: most)) { $0.upstreamRate }
    }

    private func plot(_ title: String, _ axis: PlotAxis, _ value: (WhatIfFigures.Interval) -> Double?) -> Plot {
        let series = figures.enumerated().map { index, figures in
            PlotSeries(
                name: figures.name, style: "s-\(index % Self.styles + 1)",
                steps: figures.intervals.map { interval in
                    value(interval).map { value in
                        let middle = (interval.start + interval.length / 2) / .seconds(1)
                        return PlotSeries.Step(from: middle, to: middle, value: value)
                    }
                })
        }
        return Plot(
            description: "\(title) over the time of the recording, a line for each configuration",
            x: .time(seconds: duration / .seconds(1)), y: axis, xTitle: "since the first request", yTitle: title,
            series: series)
    }

    /// Of the style sheet: `s-1` and so on.
    private static let styles = 6
}
