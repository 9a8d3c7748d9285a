import Text

/// A run that filled a cache, as `refrain replay --warm` reports it.
public struct WarmResult: Sendable {
    private let run: ReplayResult
    private let kept: KeptAnswers
    private let rate: RequestRate
    /// A sentence; nil: it asked for everything.
    public let stoppedBecause: String?

    /// - Parameter rate: that was asked for.
    public init(_ ending: Replay.Ending, rate: RequestRate) {
        (run, kept, self.rate) = (ending.result, ending.kept, rate)
        stoppedBecause =
            ending.wasStopped ? "interrupted; the requests sent so far stay in the cache" : ending.gaveUp?.sentence
    }

    /// Answers that were no refusals.
    public var asked: Int { kept.asked }

    private var counts: [(name: String, value: Int, meaning: String)] {
        [
            ("stored", kept.stored, "fetched and stored by the cache"),
            ("hits", kept.present, "already in the cache"),
            ("not stored", kept.notStored, "answered but not stored"),
            ("unknown", kept.unknown, "the answer has no Cache-Status"),
            ("refusals", kept.refusals, "429 or 503: repeated later at a lower rate"),
            ("resets", run.resets, "sent twice, because the connection was closed or reset"),
            ("failed", run.failed, "without a complete answer"),
        ]
    }

    private static let version = 1

    public var json: JSON {
        var object = JSONObject([
            "refrain_warm": .integer(Self.version), "file": .string(run.file), "target": .string(run.target),
            "rate": .number(Figure.shortest(rate.perSecond, decimals: 6, isGrouped: false)),
            "connections": .integer(run.connections), "elapsed_seconds": .number(run.elapsed.decimalSeconds),
            "distinct": .integer(run.planned), "asked": .integer(asked),
        ])
        for count in counts {
            object.append(count.name.split(separator: " ").joined(separator: "_"), .integer(count.value))
        }
        object.append("failures", ReplayResult.object(run.failures))
        object.append("statuses", run.statusesJSON)
        object.append("skipped", ReplayResult.object(run.skipped))
        object.append("stopped", stoppedBecause.map { .string($0) } ?? .null)
        return .object(object)
    }

    /// Lines with their ends, for a terminal.
    public var text: String {
        let rows = counts.filter { $0.value > 0 }.map { [$0.name, Figure.count($0.value), $0.meaning] }
        var lines = [
            "warmed \(run.target) from \(run.file)",
            "  at most \(rate.text), \(run.connections) at once, in \(Figure.span(run.elapsed))",
            "", "sent \(Figure.count(asked)) of \(Figure.count(run.planned)) distinct requests",
        ]
        lines += TextTable.lines(rows, [.left, .right, .left])
        // Instead of the outcomes there is `counts`.
        for list in run.lists.dropFirst(run.outcomes.isEmpty ? 0 : 1) {
            let rows = list.counts.map { [$0.name, Figure.count($0.count)] }
            lines += ["", list.line] + TextTable.lines(rows, [.left, .right])
        }
        if let stoppedBecause { lines += ["", "STOPPED: \(stoppedBecause)"] }
        return lines.map { TextTable.printable($0) + "\n" }.joined()
    }
}
