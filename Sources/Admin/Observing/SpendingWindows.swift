import EventLoop
import Proxy

/// Requests sent to the origin within the times that the page shows. Pure: its owner tells it the
/// time and the counts.
///
/// Must hold: a window is as long as it is called, and longer by a tenth at most once the process
/// has run for that long; `seconds` says how long. It holds 70 counts, of 1.9 kB each and 2.6 kB
/// more for each loop, and 40 bytes for each key there.
struct SpendingWindows {
    // A mark is noted at the end of a slot, which may come a little late.
    private var recent = CountMarks<SpendingCounts>(span: RecentTotals.least, most: RecentTotals.most)
    private var minutes = CountMarks<SpendingCounts>(span: .seconds(300), interval: .seconds(25), most: 14)
    private var hour = CountMarks<SpendingCounts>(span: .seconds(3600), interval: .seconds(295), most: 14)
    private var day = CountMarks<SpendingCounts>(span: .seconds(86_400), interval: .seconds(3595), most: 26)

    mutating func note(_ counts: SpendingCounts, at now: Instant) {
        recent.note(counts, at: now)
        minutes.note(counts, at: now)
        hour.note(counts, at: now)
        day.note(counts, at: now)
    }

    /// The report on all that was sent by now.
    func report(
        _ counts: SpendingCounts, at now: Instant, _ name: (SpendingKey) -> SpendingReport.Name
    ) -> SpendingReport {
        let windows: [HistoryWindow: SpendingReport.Window] = [
            .minutes: Self.window(minutes, counts, now), .hour: Self.window(hour, counts, now),
            .day: Self.window(day, counts, now),
        ]
        return SpendingReport(counts, now: Self.window(recent, counts, now), windows, name)
    }

    private static func window(
        _ marks: CountMarks<SpendingCounts>, _ counts: SpendingCounts, _ now: Instant
    ) -> SpendingReport.Window {
        guard let base = marks.beginning(at: now) else { return .init() }
        return .init(counts: counts.since(base.counts), seconds: base.seconds)
    }
}
