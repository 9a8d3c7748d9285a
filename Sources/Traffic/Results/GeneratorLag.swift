import Text

// Whether the generator kept its schedule: the one place that says which figures are its own
// lateness.
//
// The lag of a request is the time from when it was due until the generator had sent it or found
// all connections busy. A wait for a free connection is the target's and no lag; it is in the
// corrected latency, where it belongs. A corrected latency contains the lag of its request, so the
// figures of a punctual generator are between the corrected ones and those without the lag. A
// closed loop has no schedule that it could miss.

extension ReplayResult {
    /// A corrected latency of which the generator's own lag is too much, in nanoseconds.
    struct Lateness: Equatable {
        /// The figure would be this much less without it.
        let lag: Int
        let allowed: Int
    }

    private static let tolerated = 1_000_000.0
    private static let toleratedShare = 0.1
    private static let p99 = Metric.Statistic.percentile(Percentile.p99)

    /// The generator's part in a corrected latency; nil where it is the target's. Allowed are a
    /// millisecond, as a network adds too, and a tenth, which changes no figure.
    func lateness(at statistic: Metric.Statistic) -> Lateness? {
        guard let late = latency(statistic, of: .corrected), let least = latencyWithoutLag(statistic)
        else { return nil }
        let allowed = max(Self.tolerated, late * Self.toleratedShare)
        return late - least > allowed
            ? Lateness(lag: Int(clamping: late - least), allowed: Int(clamping: allowed)) : nil
    }

    /// Lateness of the generator at the 99th percentile, in a sentence.
    public var latenessAtP99: String? {
        lateness(at: Self.p99).map { late in
            "the generator was late: \(Figure.time(nanoseconds: late.lag)) of the 99th percentile is its own lag, "
                + "and \(Figure.time(nanoseconds: late.allowed)) are allowed"
        }
    }

    /// Half of the 99th percentile, and these nanoseconds, may be lag where no figure is asserted.
    private static let toleratedUnasserted = 10_000_000.0

    /// Finds out whether the run says anything about its target. Figures that are asserted decide
    /// that: the run is invalid where the generator's lag alone decides about one of them. Where
    /// none is asserted it is invalid once most of its 99th percentile is lag.
    public mutating func judge(_ verdicts: [Threshold.Verdict]) {
        invalidBecause = nil
        if let undecided = verdicts.first(where: \.isUndecided) {
            invalidBecause = "the generator was too late to decide \(undecided.sentence)"
        } else if verdicts.isEmpty, let late = lateness(at: Self.p99), let sentence = latenessAtP99,
            Double(late.lag) > max(Self.toleratedUnasserted, (latency(Self.p99, of: .corrected) ?? 0) / 2)
        {
            invalidBecause = sentence
        }
    }
}
