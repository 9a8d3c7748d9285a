import Text

// The percentile output of HdrHistogram (`.hgrm`), which its plotter and others read: four columns,
// then figures after `#`. Readers skip lines that begin with `#`, and the plotter skips the last
// row, which has no fourth column.

/// A histogram in HdrHistogram's percentile format, in milliseconds.
public enum HGRM {
    /// - Parameter histogram: one of the result's, such as its corrected latencies.
    public static func text(of histogram: Histogram, in result: ReplayResult) -> String {
        var lines = [row("Value", "Percentile", "TotalCount", "1/(1-Percentile)"), ""]
        for point in histogram.distribution {
            let (value, share, count) = (milliseconds(Double(point.nanoseconds)), point.share, String(point.count))
            let inverse = share < 1 ? plain(1 / (1 - share), 2) : ""
            lines.append(row(value, plain(share, 12), count, inverse))
        }
        let (mean, deviation) = (histogram.mean ?? 0, histogram.standardDeviation ?? 0)
        let maximum = milliseconds(Double(histogram.maximum ?? 0))
        lines += [
            "#[Mean    = \(padded(milliseconds(mean), 12)), StdDeviation   = \(padded(milliseconds(deviation), 12))]",
            "#[Max     = \(padded(maximum, 12)), Total count    = \(padded(String(histogram.count), 12))]",
            "#[Buckets = \(padded(String(Histogram.doublings), 12)), SubBuckets     = \(padded(String(Histogram.perDoubling * 2), 12))]",
            "#[Unit    = ms, Start = \(result.started.text), End = \(result.ended.text)]",
        ]
        if result.failed > 0 {
            lines.append(
                "#[Failed  = \(padded(String(result.failed), 12)), Timed out      = \(padded(String(result.timedOut), 12))]"
            )
            lines += ReportNotes.ofFailures(result).map { "#[\($0)]" }
        }
        if let reason = result.invalidBecause { lines.append("#[INVALID RUN: \(TextTable.printable(reason))]") }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func row(_ value: String, _ share: String, _ count: String, _ inverse: String) -> String {
        let start = padded(value, 12) + " " + padded(share, 14) + " " + padded(count, 10)
        return inverse.isEmpty ? start : start + " " + padded(inverse, 14)
    }

    /// To the nanosecond.
    private static func milliseconds(_ nanoseconds: Double) -> String { plain(nanoseconds / 1e6, 6) }

    /// Without commas, which programs do not read.
    private static func plain(_ value: Double, _ decimals: Int) -> String {
        Figure.fixed(value, decimals).filter { $0 != "," }
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count)) + text
    }
}
