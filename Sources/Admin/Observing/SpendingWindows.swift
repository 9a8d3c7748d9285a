import EventLoop
import Proxy

extension SpendingCounts: Cumulative {}

/// Requests sent to the origin within the times that the page shows. Pure: its owner tells it the
/// time and the counts.
///
/// Must hold: a window is as long as it is called, and longer by a tenth at most once the process
/// has run for that long; `seconds` says how long. It holds 70 counts, of 1.9 kB each and 2.6 kB
/// more for each loop, and 40 bytes for each key there.
struct SpendingWindows {
    private var recent = CountMarks<SpendingCounts>.recent
    private var windows = Dictionary(
        uniqueKeysWithValues: HistoryWindow.allCases.map { ($0, CountMarks<SpendingCounts>.of($0)) })

    mutating func note(_ counts: SpendingCounts, at now: Instant) {
        recent.note(counts, at: now)
        for window in HistoryWindow.allCases { windows[window]?.note(counts, at: now) }
    }

    /// The report on all that was sent by now.
    func report(
        _ counts: SpendingCounts, at now: Instant, _ name: @escaping (SpendingKey) -> SpendingReport.Name
    ) -> SpendingReport {
        SpendingReport(
            counts, now: recent.window(counts, at: now), windows.mapValues { $0.window(counts, at: now) }, name)
    }
}
