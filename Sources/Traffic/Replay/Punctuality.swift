/// Whether the generator kept its schedule: the one place that says when a run is invalid.
///
/// The lag of a request is the time from when it was due until the generator had sent it or found all connections busy. What
/// the target makes a request wait for a free connection is no lag; it is in the corrected latency, where it belongs. A run is
/// invalid when one request in a hundred lagged by more than a millisecond and by more than a tenth of the corrected p99: then
/// what it measured may be its own lateness. A closed loop has no schedule that it could miss.
enum Punctuality {
    /// In nanoseconds: less is nothing that a network would not do.
    static let tolerated = 1_000_000
    /// Of the corrected p99.
    static let toleratedShare = 10

    /// nil: the run is valid.
    static func objection(lag: Histogram, corrected: Histogram) -> String? {
        guard let late = lag.quantile(0.99) else { return nil }
        let allowed = max(tolerated, (corrected.quantile(0.99) ?? 0) / toleratedShare)
        guard late > allowed else { return nil }
        return "the generator was late: 1 % of the requests lagged by \(milliseconds(late)) ms or more, and "
            + "\(milliseconds(allowed)) ms are allowed"
    }

    private static func milliseconds(_ nanoseconds: Int) -> String {
        let tenths = nanoseconds / 100_000
        return "\(tenths / 10).\(tenths % 10)"
    }
}
