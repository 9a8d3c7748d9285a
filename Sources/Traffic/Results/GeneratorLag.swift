import Text

/// Whether the generator kept its schedule: the one place that says which figures are its own
/// lateness.
///
/// The lag of a request is the time from when it was due until the generator had sent it or found
/// all connections busy. What the target makes a request wait for a free connection is no lag; it
/// is in the corrected latency, where it belongs. At each percentile a figure may be the
/// generator's where the lag there is more than a millisecond and more than a tenth of the
/// corrected latency. At the 99th that makes the run invalid; further out, where one standstill of
/// the generator is enough, only the figure is marked. A closed loop has no schedule that it could
/// miss.
enum GeneratorLag {
    /// In nanoseconds: less is nothing that a network would not do.
    static let tolerated = 1_000_000
    /// Of the corrected latency at the same percentile.
    static let toleratedShare = 10
    /// The percentile, from 0 to 1, that decides about the run.
    static let deciding = 0.99

    /// A lag that is too long, in nanoseconds.
    struct Lateness: Equatable {
        let lag: Int
        let allowed: Int
    }

    /// At a percentile from 0 to 1; nil: what was measured there is the target's.
    static func lateness(at share: Double, lag: Histogram, corrected: Histogram) -> Lateness? {
        guard let late = lag.quantile(share) else { return nil }
        let allowed = max(tolerated, (corrected.quantile(share) ?? 0) / toleratedShare)
        return late > allowed ? Lateness(lag: late, allowed: allowed) : nil
    }

    /// Why the run is invalid; nil: it is valid.
    static func objection(lag: Histogram, corrected: Histogram) -> String? {
        lateness(at: deciding, lag: lag, corrected: corrected).map { late in
            "the generator was late: 1 % of the requests lagged by \(Figure.time(nanoseconds: late.lag)) or more, and "
                + "\(Figure.time(nanoseconds: late.allowed)) are allowed"
        }
    }
}

extension ReplayResult {
    /// Where a corrected latency may be the generator's own lateness; nil where it is the target's.
    func lateness(at statistic: Metric.Statistic) -> GeneratorLag.Lateness? {
        switch statistic {
        case .percentile(let percentile):
            GeneratorLag.lateness(at: percentile.share, lag: lag, corrected: corrected)
        case .maximum: GeneratorLag.lateness(at: 1, lag: lag, corrected: corrected)
        case .mean: nil
        }
    }
}
