extension ReplayComparison {
    /// One page of HTML: the figures side by side, the curves one over the other.
    public var page: String {
        let head = """
            <header>
            <h1>\(HTML.escaped(a.name)) and \(HTML.escaped(b.name))</h1>
            <p>Two replays side by side: A is \(HTML.escaped(a.name)), B is \(HTML.escaped(b.name)).</p>
            </header>

            """
        let alarms = HTMLReport.invalid([a, b].map { (" " + $0.letter, $0.result) })
        let circumstances =
            HTML.table(
                "What was run", ["", "A", "B"], circumstances.map { [$0.name, $0.a, $0.b] }, [.left], classes: "wrap")

        let figures = HTML.table(
            "Figures of both runs", ["", "A", "B", "B / A"], rows.map { [$0.name, $0.a, $0.b, $0.ratio] },
            [.left, .right])
        return HTML.page(
            title: "\(a.name) and \(b.name)",
            body: head + alarms + "<main>\n"
                + HTML.section("What was run", (unlikeness.map(HTML.note) ?? "") + circumstances)
                + HTML.section("Corrected latency by percentile", span: "most", percentiles)
                + HTML.section("Figures", span: "side", figures) + overTime + "</main>\n"
                + HTMLReport.foot(explanations))
    }

    private var percentiles: String {
        ResultPlots.percentiles([
            .init(name: "A", style: "s-a", histogram: a.result.corrected),
            .init(name: "B", style: "s-b", histogram: b.result.corrected),
        ]).html
    }

    private var overTime: String {
        let runs = [(a, "s-a"), (b, "s-b")].map { run, style in
            (
                name: run.letter, style: style,
                columns: TimelineColumn.columns(of: run.result, atMost: TimelineColumn.mostDrawn)
            )
        }
        let latency = ResultPlots.overlay("99th percentile of corrected latency", runs, isLatency: true) { column in
            column.slot.p99.map(Double.init)
        }
        let throughput = ResultPlots.overlay("answers a second", runs, isLatency: false) { column in
            column.isRest ? nil : column.rate(column.slot.answered)
        }
        return HTML.section("Latency over time", span: "half", latency.html)
            + HTML.section("Throughput", span: "half", throughput.html)
    }
}
