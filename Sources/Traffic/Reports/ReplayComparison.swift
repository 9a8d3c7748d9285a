import Text

// Two runs side by side. Nothing is judged: of some figures more is better, of others less.

/// Two results, figure by figure.
public struct ReplayComparison: Sendable {
    /// A result and its name, such as the file that it was read from.
    struct Run: Sendable {
        let letter: String
        let name: String
        let result: ReplayResult
    }

    /// A figure of both, and B divided by A; a dash where A is 0 or missing.
    typealias Row = (name: String, a: String, b: String, ratio: String)

    let a: Run
    let b: Run

    public init(_ a: (name: String, result: ReplayResult), _ b: (name: String, result: ReplayResult)) {
        self.a = Run(letter: "A", name: a.name, result: a.result)
        self.b = Run(letter: "B", name: b.name, result: b.result)
    }

    private var circumstances: [[String]] {
        let facts: [(String, (Run) -> String)] = [
            ("result", \.name), ("recording", \.result.file), ("target", \.result.target), ("pace", \.result.pace),
            ("connections", { Figure.count($0.result.connections) }),
            ("from", { Figure.moment($0.result.started) }), ("to", { Figure.moment($0.result.ended) }),
            ("took", { Figure.span($0.result.elapsed) }),
        ]
        return facts.map { [$0.0, $0.1(a), $0.1(b)] }
    }

    var rows: [Row] {
        let counts: [(String, (ReplayResult) -> Int?)] = [
            ("sent", \.sent), ("answered", \.answered), ("failed", \.failed), ("resets", \.resets),
            ("compared", \.verification.compared), ("differences", \.differences),
        ]
        return counts.map { row($0.0, Self.number($0.1), Self.count) }
            + [
                row("answers a second", \.rate, Figure.rate), row("hit ratio", \.hitRatio, Figure.percent),
                row("bytes received", Self.number(\.bytesReceived)) { Figure.bytes(Int(clamping: $0)) },
            ]
            + Metric.Statistic.reported.map(latency)
            + [
                row("uncorrected 99 %", { $0.latency(Self.p99, of: .uncorrected) }, Figure.time(nanoseconds:)),
                row("lag 99 %", { $0.latency(Self.p99, of: .lag) }, Figure.time(nanoseconds:)),
            ]
    }

    private static func number(_ count: @escaping (ReplayResult) -> Int?) -> (ReplayResult) -> Double? {
        { count($0).map(Double.init) }
    }

    private static func count(_ value: Double) -> String { Figure.count(Int(clamping: value)) }

    private static let p99 = Metric.Statistic.percentile(Percentile.p99)

    private func latency(_ statistic: Metric.Statistic) -> Row {
        let row = row(
            "latency " + statistic.title, { $0.latency(statistic, of: .corrected) }, Figure.time(nanoseconds:))
        func marked(_ text: String, _ run: Run) -> String {
            run.result.lateness(at: statistic) == nil ? text : "\(text), \(ReportNotes.generatorsMark)"
        }
        return (row.name, marked(row.a, a), marked(row.b, b), row.ratio)
    }

    private func row(_ name: String, _ value: (ReplayResult) -> Double?, _ text: (Double) -> String) -> Row {
        let (left, right) = (value(a.result), value(b.result))
        var ratio = Figure.none
        if let left, let right, left > 0 { ratio = Figure.ratio(right / left) }
        return (name, left.map(text) ?? Figure.none, right.map(text) ?? Figure.none, ratio)
    }

    /// Those of both, each once.
    var explanations: [String] {
        let left = ReportNotes.sentences(for: a.result)
        return left + ReportNotes.sentences(for: b.result).filter { !left.contains($0) }
    }

    /// Differences that make the runs hard to compare; nil where there are none.
    var unlikeness: String? {
        let (left, right) = (a.result, b.result)
        let unlike = [
            ("recording", left.file != right.file), ("pace", left.pace != right.pace),
            ("connections", left.connections != right.connections),
        ].filter(\.1).map(\.0)
        return unlike.isEmpty
            ? nil : "The runs differ in \(unlike.joined(separator: " and ")), not only in what they measured."
    }

    /// Lines with their ends, for a terminal.
    public var text: String {
        let invalid = [a, b].compactMap { run in
            run.result.invalidBecause.map { "INVALID RUN \(run.letter): \($0)" }
        }
        let notes = invalid + (unlikeness.map { [$0] } ?? [])
        let facts = [["", "A", "B"]] + circumstances.map { $0.map(TextTable.printable) }
        let figures = [["", "A", "B", "B / A"]] + rows.map { [$0.name, $0.a, $0.b, $0.ratio] }
        let lines =
            notes.map(TextTable.printable) + (notes.isEmpty ? [] : [""])
            + TextTable.lines(facts, [.left], indent: 0) + [""]
            + TextTable.lines(figures, [.left, .right], indent: 0)
            + ["", "Latencies are corrected unless stated otherwise. " + ReportNotes.corrected]
            + explanations.filter {
                [
                    ReportNotes.generators, ReportNotes.timeouts, ReportNotes.failures, ReportNotes.resets,
                ].contains($0)
            }
        return lines.map { $0 + "\n" }.joined()
    }

    /// One page of HTML: the figures side by side.
    public var page: String { report.html }

    var report: ReportPage {
        ReportPage(
            title: "\(a.name) and \(b.name)",
            facts: ["Two replays side by side: A is \(a.name), B is \(b.name)."],
            alarms: HTMLReport.alarms([a, b].map { (" " + $0.letter, $0.result) }),
            tables: [
                ReportPage.Table(title: "Runs", note: unlikeness ?? "", head: ["", "A", "B"], rows: circumstances),
                ReportPage.Table(
                    title: "Figures", head: ["", "A", "B", "B / A"],
                    rows: rows.map { [$0.name, $0.a, $0.b, $0.ratio] }, hasNumbers: true),
            ], notes: explanations)
    }
}
