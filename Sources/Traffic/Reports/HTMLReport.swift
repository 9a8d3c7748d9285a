import Text

/// A result as one page of HTML.
public enum HTMLReport {
    public static func page(of result: ReplayResult, thresholds: [Threshold.Verdict] = []) -> String {
        report(of: result, thresholds: thresholds).html
    }

    static func report(of result: ReplayResult, thresholds: [Threshold.Verdict] = []) -> ReportPage {
        let precision =
            "Values come from histograms with an error of at most 0.1 %, over time 1.6 %; the slowest and the fastest "
            + "are exact."
        return ReportPage(
            title: "Replay of \(result.file)", facts: facts(result), alarms: alarms([("", result)]),
            figures: figures(result), verdicts: thresholds, tables: tables(result), drawn: result,
            notes: ReportNotes.sentences(for: result) + [precision])
    }

    private static func facts(_ result: ReplayResult) -> [String] {
        let connections = result.connections == 1 ? "1 connection" : "\(Figure.count(result.connections)) connections"
        let (from, to) = (Figure.moment(result.started), Figure.moment(result.ended))
        return [
            "against \(result.target), \(result.pace), \(connections)",
            "from \(from) to \(to), \(Figure.span(result.elapsed))",
        ] + result.remarks
    }

    /// A sentence for each result that says nothing about its target.
    static func alarms(_ results: [(name: String, result: ReplayResult)]) -> [String] {
        results.compactMap { name, result in
            result.invalidBecause.map { "INVALID RUN\(name): \($0). \(ReportNotes.invalid)" }
        }
    }

    private static func figures(_ result: ReplayResult) -> [(name: String, value: String, note: String)] {
        func latency(_ share: Double) -> String {
            Figure.time(nanoseconds: result.corrected.quantile(share, of: result.completed))
        }
        let notSent = result.notSent > 0 ? ", \(Figure.count(result.notSent)) not sent" : ""
        let figures = [
            ("Median", latency(0.5), "corrected latency"), ("99th percentile", latency(0.99), "corrected latency"),
            ("Slowest", Figure.time(nanoseconds: result.corrected.maximum), "corrected latency"),
            (
                "Answered", result.rateText,
                "\(Figure.count(result.answered)) of \(Figure.count(result.sent)) sent\(notSent)"
            ),
            (
                "Hit ratio", result.hitRatioText,
                result.hitRatio == nil ? "not reported by the target" : "of hits and misses"
            ),
            (
                "Failed", Figure.count(result.failed),
                // Some fail without being sent, for want of a connection.
                "\(ReplayResult.share(result.failed, of: result.completed)) of completed requests"
            ),
            (
                "Different", result.differences.map(Figure.count) ?? Figure.none,
                result.differences == nil
                    ? "no answer was compared" : "of \(Figure.count(result.verification.compared)) compared"
            ),
        ]
        let resets = ("Resets", Figure.count(result.resets), "requests sent twice")
        return figures + (result.resets > 0 ? [resets] : [])
    }

    private static func tables(_ result: ReplayResult) -> [ReportPage.Table] {
        let latencies = result.latencyTable
        let counts = result.lists.map { title, _, counts in
            ReportPage.Table(
                title: title, head: ["", "count", "share"], rows: ReplayResult.shares(counts), hasNumbers: true,
                isWide: false)
        }
        return [
            ReportPage.Table(
                title: "Latency by percentile", head: latencies.head, rows: latencies.rows, hasNumbers: true,
                isWide: false)
        ] + counts + [failedRequests(result), differences(result)].compactMap { $0 }
    }

    private static func failedRequests(_ result: ReplayResult) -> ReportPage.Table? {
        result.failedRequests.sentence.map { sentence in
            let rows = result.failedRequests.listed.map { request in
                ["#\(request.index) \(request.method) \(request.target)", request.sentence, Figure.span(request.due)]
            }
            return ReportPage.Table(
                title: "Failed requests", note: sentence + ".", head: ["request", "what happened", "due after"],
                rows: rows)
        }
    }

    private static func differences(_ result: ReplayResult) -> ReportPage.Table? {
        result.verificationSentence.map { sentence in
            let listed = result.verification.listed
            let isPart = !listed.isEmpty && result.verification.different > listed.count
            return ReportPage.Table(
                title: "Differences",
                note: sentence + "." + (isPart ? " The first \(Figure.count(listed.count)) are listed." : ""),
                head: ["request", "where", "recorded", "found"],
                rows: listed.map { ["#\($0.index) \($0.method) \($0.target)", $0.what, $0.expected, $0.found] })
        }
    }
}
