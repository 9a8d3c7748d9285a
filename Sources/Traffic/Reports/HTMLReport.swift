import Text

/// A result as one page of HTML: a file by itself, for light and dark, that loads nothing and runs
/// nothing.
public enum HTMLReport {
    public static func page(of result: ReplayResult, thresholds: [Threshold.Verdict] = []) -> String {
        let main = [
            figures(result), verdicts(thresholds), percentiles(result), overTime(result), counts(result),
            failedRequests(result), differences(result),
        ]
        return HTML.page(
            title: "Replay of \(result.file)",
            body: head(result) + invalid([("", result)]) + "<main>\n" + main.joined() + "</main>\n"
                + foot(ReportNotes.sentences(for: result)))
    }

    private static func head(_ result: ReplayResult) -> String {
        """
        <header>
        <h1>Replay of \(HTML.escaped(result.file))</h1>
        <p>against \(HTML.escaped(result.target)), \(HTML.escaped(result.pace)), \(HTML.escaped(connections(result)))</p>
        <p>from \(time(result.started)) to \(time(result.ended)), \(Figure.span(result.elapsed))</p>
        \(result.remarks.map { "<p>" + HTML.escaped($0) + "</p>" }.joined(separator: "\n"))
        </header>

        """
    }

    static func time(_ time: Timestamp) -> String {
        "<time datetime=\"\(time.text)\">\(Figure.moment(time))</time>"
    }

    static func connections(_ result: ReplayResult) -> String {
        result.connections == 1 ? "1 connection" : "\(Figure.count(result.connections)) connections"
    }

    /// An alarm for each result that says nothing about its target.
    static func invalid(_ results: [(name: String, result: ReplayResult)]) -> String {
        results.map { name, result in
            guard let reason = result.invalidBecause else { return "" }
            return """
                <p class="alarm" role="alert"><b>INVALID RUN\(HTML.escaped(name)):</b> \(HTML.escaped(reason)). \(ReportNotes.invalid)</p>

                """
        }.joined()
    }

    static func foot(_ sentences: [String]) -> String {
        let precision =
            "Values come from histograms with an error of at most 0.1 %, over time 1.6 %; the slowest and the fastest "
            + "are exact."
        return foot(of: sentences + [precision])
    }

    static func foot(of sentences: [String]) -> String {
        let lines = sentences.map { "<p>\(HTML.escaped($0))</p>\n" }
        return "<footer>\n\(lines.joined())</footer>\n"
    }

    private static func figures(_ result: ReplayResult) -> String {
        let latency = { (percentile: Double) in
            Figure.time(nanoseconds: result.corrected.quantile(percentile, of: result.completed))
        }
        let notSent = result.notSent > 0 ? ", \(Figure.count(result.notSent)) not sent" : ""
        let sent = Figure.count(result.sent)
        let figures: [(name: String, value: String, note: String)] = [
            ("Median", latency(0.5), "corrected latency"), ("99th percentile", latency(0.99), "corrected latency"),
            ("Slowest", Figure.time(nanoseconds: result.corrected.maximum), "corrected latency"),
            ("Answered", result.rateText, "\(Figure.count(result.answered)) of \(sent) sent\(notSent)"),
            (
                "Hit ratio", result.hitRatioText,
                result.hitRatio == nil ? "not reported by the target" : "of hits and misses"
            ),
            (
                "Failed", Figure.count(result.failed),
                // Some fail without being sent, for want of a connection.
                "\(ReplayResult.share(result.failed, of: result.answered + result.failed)) of completed requests"
            ),
            (
                "Different", result.differences.map(Figure.count) ?? Figure.none,
                result.differences == nil
                    ? "no answer was compared" : "of \(Figure.count(result.verification.compared)) compared"
            ),
        ]
        let resets = ("Resets", Figure.count(result.resets), "requests sent twice")
        return HTML.figures(figures + (result.resets > 0 ? [resets] : []))
    }

    private static func verdicts(_ verdicts: [Threshold.Verdict]) -> String {
        guard !verdicts.isEmpty else { return "" }
        let items = verdicts.map { verdict in
            let (style, word) =
                verdict.isUndecided
                ? ("missed", "? unclear") : verdict.isMissed ? ("missed", "✗ failed") : ("held", "✓ passed")
            return "<li class=\"\(style)\"><b>\(word)</b> \(HTML.escaped(verdict.sentence))</li>\n"
        }
        return HTML.section("Thresholds", "<ul class=\"verdicts\">\n\(items.joined())</ul>\n")
    }

    private static func percentiles(_ result: ReplayResult) -> String {
        let (head, rows) = result.latencyTable
        let table = HTML.table("Latency by percentile", head, rows, ReplayResult.latencyAlignments)
        guard result.corrected.count > 0 else {
            return HTML.section("Latency by percentile", HTML.note("Nothing was answered."))
        }
        let plot = ResultPlots.percentiles([
            // The dashed one on top: where both are the same, both are seen.
            ("corrected", "s-corrected", result.corrected), ("uncorrected", "s-uncorrected", result.uncorrected),
        ])
        return HTML.section("Latency by percentile", span: "most", plot.html)
            + HTML.section("Percentiles", span: "side", table)
    }

    private static func overTime(_ result: ReplayResult) -> String {
        guard !result.slots.isEmpty else { return "" }
        let drawn = TimelineColumn.columns(of: result, atMost: TimelineColumn.mostDrawn)
        let answered = drawn.contains { $0.slot.maximum != nil }
        let latencies = answered ? ResultPlots.latencies(drawn).html : HTML.note("Nothing was answered.")
        let says =
            answered && result.hitRatio == nil
            ? HTML.note("No answer of the target has a Cache-Status with a hit or a miss.") : ""
        let outcomes = ResultPlots.outcomes(drawn)
        return HTML.section("Latency over time", grain(result, drawn) + latencies)
            + HTML.section("Throughput", span: "half", ResultPlots.throughput(drawn).html)
            + HTML.section(
                "Outcomes", span: "half",
                says + (outcomes.series.isEmpty ? HTML.note("Nothing was answered.") : outcomes.html))
            + HTML.section("Over time", HTML.details("The figures of the plots as a table", timeline(result)))
    }

    /// Length of a step of the plots, where it is more than a slot.
    private static func grain(_ result: ReplayResult, _ columns: [TimelineColumn]) -> String {
        guard columns.count < result.slots.count, let first = columns.first else { return "" }
        let (step, slot) = (Figure.shortest(first.to - first.from), Figure.shortest(result.slotLength / .seconds(1)))
        return HTML.note("Each step is \(step) s; for latencies it shows the highest value of each \(slot) s.")
    }

    private static func timeline(_ result: ReplayResult) -> String {
        let columns = TimelineColumn.columns(of: result, atMost: TimelineColumn.mostWritten)
        let rows = columns.map { column in
            let slot = column.slot
            return [PlotAxis.clock(column.from)]
                + [slot.sent, slot.answered, slot.failed, slot.hits, slot.misses].map(Figure.count)
                + [slot.median, slot.p99, slot.maximum].map { Figure.time(nanoseconds: $0) }
        }
        let head = ["from", "sent", "answered", "failed", "hit", "miss", "p50", "p99", "max"]
        return grain(result, columns) + HTML.table("Figures over time", head, rows, [.left, .right], classes: "tall")
    }

    private static func counts(_ result: ReplayResult) -> String {
        result.lists.map { title, _, counts in
            let table = HTML.table(
                title, ["", "count", "share"], ReplayResult.shares(counts), [.left, .right], classes: "wrap")
            return HTML.section(title, span: "half", table)
        }.joined()
    }

    private static func failedRequests(_ result: ReplayResult) -> String {
        guard let sentence = result.failedRequests.sentence else { return "" }
        let rows = result.failedRequests.listed.map { request in
            [
                "#\(request.index) \(request.method) \(request.target)", request.sentence,
                Figure.span(request.due),
            ]
        }
        return HTML.section(
            "Failed requests",
            HTML.note(sentence + ".")
                + HTML.table(
                    "Failed requests", ["request", "what happened", "due after"], rows, [.left], classes: "wrap"))
    }

    private static func differences(_ result: ReplayResult) -> String {
        guard let sentence = result.verificationSentence else { return "" }
        let listed = result.verification.listed
        guard !listed.isEmpty else { return HTML.section("Differences", HTML.note(sentence + ".")) }
        let rows = listed.map { ["#\($0.index) \($0.method) \($0.target)", $0.what, $0.expected, $0.found] }
        let more = result.verification.different - listed.count
        let rest = more > 0 ? " The first \(Figure.count(listed.count)) are listed." : ""
        return HTML.section(
            "Differences",
            HTML.note(sentence + "." + rest)
                + HTML.table(
                    "Differences", ["request", "where", "recorded", "found"], rows, [.left], classes: "tall wrap"))
    }
}
