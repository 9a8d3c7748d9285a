import Text

/// A result as lines for a terminal.
public enum TerminalSummary {
    /// How many differences are shown; the other reports hold more.
    private static let mostDifferences = 10

    /// Lines with their ends, at most some 100 columns wide but for what recordings hold.
    public static func text(of result: ReplayResult, thresholds: [Threshold.Verdict] = []) -> String {
        var lines = head(result)
        if let reason = result.invalidBecause {
            lines += ["", "INVALID RUN: \(reason)", ReportNotes.invalid]
        }
        lines += result.remarks.map { "  " + $0 }
        lines += [""] + requests(result) + [""] + latencies(result)
        for list in result.lists {
            lines += ["", list.line] + TextTable.lines(ReplayResult.shares(list.counts), [.left, .right])
        }
        lines += failedRequests(result) + differences(result)
        if !thresholds.isEmpty {
            lines += ["", "thresholds"]
            lines += thresholds.map {
                "  \($0.isUndecided ? "UNCLEAR" : $0.isMissed ? "FAILED " : "passed ") \($0.sentence)"
            }
        }
        return lines.map { TextTable.printable($0) + "\n" }.joined()
    }

    private static func head(_ result: ReplayResult) -> [String] {
        [
            "replay of \(result.file) against \(result.target)",
            "  \(result.pace), \(result.connections) \(result.connections == 1 ? "connection" : "connections")",
            "  from \(Figure.moment(result.started)) to \(Figure.moment(result.ended)), \(Figure.span(result.elapsed))",
        ]
    }

    private static func requests(_ result: ReplayResult) -> [String] {
        let counts = [
            ("planned", result.planned), ("sent", result.sent), ("not sent", result.notSent),
            ("answered", result.answered), ("failed", result.failed), ("resets", result.resets),
        ].filter { !["not sent", "resets"].contains($0.0) || $0.1 > 0 }
        return [
            "requests  " + counts.map { "\($0.0) \(Figure.count($0.1))" }.joined(separator: ", "),
            "  \(result.rateText) answered, \(Figure.bytes(result.bytesReceived)) of content received",
        ]
    }

    private static func latencies(_ result: ReplayResult) -> [String] {
        let table = result.latencyTable
        let rows = [["latency"] + table.head.dropFirst()] + table.rows
        return TextTable.lines(rows, ReplayResult.latencyAlignments, indent: 0)
            + ReportNotes.sentences(for: result).map { "  " + $0 }
    }

    private static func failedRequests(_ result: ReplayResult) -> [String] {
        guard let sentence = result.failedRequests.sentence else { return [] }
        return ["", sentence]
            + result.failedRequests.listed.flatMap { request in
                ["  #\(request.index) \(request.method) \(request.target)", "    \(request.sentence)"]
            }
    }

    private static func differences(_ result: ReplayResult) -> [String] {
        guard let sentence = result.verificationSentence else { return [] }
        let shown = result.verification.listed.prefix(mostDifferences)
        var lines = ["", sentence]
        for difference in shown {
            lines.append("  #\(difference.index) \(difference.method) \(difference.target)")
            lines.append("    \(difference.what): expected \(difference.expected), found \(difference.found)")
        }
        let more = result.verification.different - shown.count
        if more > 0, !shown.isEmpty { lines.append("  and \(Figure.count(more)) more") }
        return lines
    }
}
