import Text

// Words that the reports share about a result.

/// Meaning of the latencies, in a sentence each of at most a line.
enum ReportNotes {
    static let corrected =
        "Corrected latency counts from the due time of a request and includes waiting for a stalled target."
    static let uncorrected =
        "Uncorrected latency counts from the time of sending, and hides requests held back by a stall."
    static let lag = "Lag is the generator's own delay: how long after it was due a request was sent."
    static let closedLoop =
        "Closed loop without a schedule: both are the same and leave out requests that a stall held back."

    static let timeouts = "Requests that timed out count with the time after which each was given up."
    static let failures =
        "Requests that failed otherwise have no latency: tables rank them as the slowest."
    static let resets =
        "Resets: requests sent twice, because their connection ended before the first byte of an answer."
    static let generators =
        "\"\(generatorsMark)\" marks latencies of which more than 10 % is lag of the generator."

    /// The mark at such a latency.
    static let generatorsMark = "the generator's"

    /// Advice on a run that says nothing about its target.
    static let invalid = "Repeat it on an idle machine or at a lower rate before you judge the target."

    static func ofFailures(_ result: ReplayResult) -> [String] {
        (result.timedOut > 0 ? [timeouts] : []) + (result.failed > result.timedOut ? [failures] : [])
    }

    static func sentences(for result: ReplayResult) -> [String] {
        [corrected, uncorrected] + [result.isClosedLoop ? closedLoop : lag]
            + (result.hasLatenessOfItsOwn ? [generators] : []) + ofFailures(result)
            + (result.resets > 0 ? [resets] : [])
    }
}

extension ReplayResult {
    /// Sentences that explain the figures.
    public var notes: [String] { ReportNotes.sentences(for: self) }

    /// Percentiles, the largest value and the mean of each kind of latency; a last column marks
    /// those that are the generator's, if any.
    var latencyTable: (head: [String], rows: [[String]]) {
        let isMarked = hasLatenessOfItsOwn
        let rows = Metric.Statistic.reported.map { statistic in
            let values = Metric.Series.allCases.map { series in
                latency(statistic, of: series).map { Figure.time(nanoseconds: $0) } ?? Figure.none
            }
            let mark = lateness(at: statistic) == nil ? "" : ReportNotes.generatorsMark
            return [statistic.title] + values + (isMarked ? [mark] : [])
        }
        return ([""] + Metric.Series.allCases.map(\.rawValue) + (isMarked ? ["remark"] : []), rows)
    }

    static var latencyAlignments: [TextTable.Alignment] { [.left, .right, .right, .right, .left] }

    /// Whether any corrected latency that is reported may be the generator's own lateness.
    var hasLatenessOfItsOwn: Bool { Metric.Statistic.reported.contains { lateness(at: $0) != nil } }

    /// How many answers differ, and which were not compared; nil where none was to be compared.
    var verificationSentence: String? {
        let (compared, left) = (verification.compared, Self.ranked(verification.notCompared))
        let reasons = left.map { "\(Figure.count($0.count)) \($0.name)" }.joined(separator: ", ")
        guard compared > 0 else {
            return left.isEmpty ? nil : "no answer was compared with the recording: \(reasons)"
        }
        return
            "\(Figure.count(verification.different)) of \(Figure.count(compared)) answers differ from the recording"
            + (left.isEmpty ? "" : "; not compared: \(reasons)")
    }

    /// nil where no answer was compared.
    var differences: Int? { verification.compared > 0 ? verification.different : nil }

    /// Counts by kind, without empty tables: the title on a page, the one in a terminal, and the
    /// counts from many to few, statuses by number.
    var lists: [(title: String, line: String, counts: [(name: String, count: Int)])] {
        [
            ("Outcomes by Cache-Status", "outcomes (Cache-Status), hit ratio \(hitRatioText)", Self.ranked(outcomes)),
            ("Statuses", "statuses", statuses.sorted { $0.key < $1.key }.map { (String($0.key), $0.value) }),
            ("Failures", "failures", Self.ranked(failures)),
            ("Left out of the recording", "left out of the recording", Self.ranked(skipped)),
        ].filter { !$0.2.isEmpty }
    }

    /// From many to few; those with the same count by name.
    static func ranked(_ counts: [String: Int]) -> [(name: String, count: Int)] {
        counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { ($0.key, $0.value) }
    }

    /// A row for each: its name, the count, and the share of all of them.
    static func shares(_ counts: [(name: String, count: Int)]) -> [[String]] {
        let sum = counts.reduce(0) { $0 + $1.count }
        return counts.map { [$0.name, Figure.count($0.count), share($0.count, of: sum)] }
    }

    var rateText: String { rate.map { Figure.rate($0) } ?? Figure.none }
    var hitRatioText: String { hitRatio.map { Figure.percent($0) } ?? Figure.none }

    /// A share of a whole, or a dash where there is no whole.
    static func share(_ part: Int, of whole: Int) -> String {
        whole > 0 ? Figure.percent(Double(part) / Double(whole)) : Figure.none
    }
}
