import Text

// Conditions under which a run counts as failed: `p99>50ms`, `hit<0.9`, `diff>0`.
// Must hold: a condition on a figure that the run does not have (a hit ratio without outcomes,
// differences of answers that could not be compared) fails too, and the sentence says why. A
// latency must not be good because slow requests were given up: where more requests failed than lie
// above a percentile, its upper bound is unclear and fails.

/// A condition under which a run counts as failed.
public struct Threshold: Sendable, Equatable {
    /// The text as it was written.
    public let text: String
    let metric: Metric
    let comparison: Comparison
    /// In the unit of the metric: nanoseconds, a share, a count, a rate.
    let bound: Double
    /// Whether the bound is a share (`errors>1%`).
    let isShare: Bool

    enum Comparison: String, CaseIterable, Sendable {
        case atMost = "<="
        case atLeast = ">="
        case below = "<"
        case above = ">"

        func holds(_ value: Double, _ bound: Double) -> Bool {
            switch self {
            case .atMost: value <= bound
            case .atLeast: value >= bound
            case .below: value < bound
            case .above: value > bound
            }
        }
    }

    /// The result of a threshold for a run.
    public struct Verdict: Sendable, Equatable {
        public let threshold: Threshold
        /// Whether the run counts as failed.
        public let isMissed: Bool
        /// Whether the generator's own lag decides the result, which then says nothing about the
        /// target.
        public let isUndecided: Bool
        /// A sentence such as `p99>50ms: p99 was 61.4 ms`.
        public let sentence: String
    }

    /// Why a text is no threshold; says what one looks like.
    public struct Problem: Error, Sendable, Equatable, CustomStringConvertible {
        public let description: String
    }

    /// Reads `METRIC OPERATOR VALUE`, with or without spaces between them.
    public init(_ text: String) throws(Problem) {
        self.text = text
        let trimmed = text.filter { $0 != " " }
        guard let start = trimmed.firstIndex(where: { "<>=".contains($0) }) else {
            throw Problem(description: "\"\(text)\" has no comparison; write it like p99>50ms, with >, >=, < or <=")
        }
        let signs = trimmed[start...].prefix { "<>=!".contains($0) }
        guard let comparison = Comparison(rawValue: String(signs)) else {
            throw Problem(description: "\"\(text)\": there is no operator \(signs); the operators are >, >=, < and <=")
        }
        let name = trimmed[..<start]
        guard let metric = Metric(name) else {
            throw Problem(description: "\"\(text)\": there is no metric \"\(name)\"; there are \(Metric.names)")
        }
        guard let (bound, isShare) = metric.bound(trimmed[signs.endIndex...]) else {
            throw Problem(description: "\"\(text)\": \(metric.expectation)")
        }
        (self.metric, self.comparison, self.bound, self.isShare) = (metric, comparison, bound, isShare)
    }

    /// Whether it needs answers to be compared with the recording.
    public var needsVerification: Bool { metric == .differences }

    public func verdict(on result: ReplayResult) -> Verdict {
        switch metric.value(of: result) {
        case .failure(let absence):
            return Verdict(
                threshold: self, isMissed: true, isUndecided: false, sentence: "\(text): \(absence.reason)")
        case .success(let measured):
            let value = isShare ? measured.share : measured.value
            let shown = isShare ? Figure.percent(value) : metric.text(measured.value)
            let holds = comparison.holds(value, bound) || mayHold(measured)
            if !holds, let reason = measured.openBecause, comparison.holds(.infinity, bound) {
                return Verdict(
                    threshold: self, isMissed: true, isUndecided: false,
                    sentence: "\(text): unclear: \(metric.subject) \(shown) or more, because \(reason)")
            }
            let isUndecided = measured.punctual.map { comparison.holds($0, bound) != holds } ?? false
            return Verdict(
                threshold: self, isMissed: holds && !isUndecided, isUndecided: isUndecided,
                sentence: "\(text): \(metric.subject) \(shown)" + remark(on: result, measured, isUndecided))
        }
    }

    /// Whether it would hold if all uncertain answers counted.
    private func mayHold(_ measured: Metric.Measured) -> Bool {
        let most = measured.withUncertain
        return comparison.holds(isShare ? most.share : most.value, bound)
    }

    private func remark(on result: ReplayResult, _ measured: Metric.Measured, _ isUndecided: Bool) -> String {
        if metric == .differences {
            let left = measured.uncertain > 0 ? ", and \(Figure.count(measured.uncertain)) could not be compared" : ""
            return " of \(Figure.count(measured.whole)) compared" + left
        }
        if isUndecided, let punctual = measured.punctual {
            return ", and \(metric.text(punctual)) without the generator's own lag"
        }
        // The reader must see that the target is not to blame for all of it.
        guard case .latency(.corrected, let statistic) = metric, let late = result.lateness(at: statistic) else {
            return ""
        }
        return "; the generator's own lag is \(Figure.time(nanoseconds: late.lag)) of that"
    }
}
