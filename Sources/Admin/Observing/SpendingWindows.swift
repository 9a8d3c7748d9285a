import EventLoop
import Proxy

/// Requests sent to the origin within the times that the page shows. Pure: its owner tells it the
/// time and the counts.
///
/// Must hold: a window is as long as it is called, and longer by a tenth at most once the process
/// has run for that long; `seconds` says how long. It holds 70 counts, of 1.9 kB each and 2.6 kB
/// more for each loop, and 40 bytes for each key there.
struct SpendingWindows {
    /// Counts at marks, the oldest first.
    private struct Marks {
        let span: Duration
        /// Marks that come sooner are left out.
        let interval: Duration
        let most: Int
        var marks: [(at: Instant, counts: SpendingCounts)] = []

        mutating func note(_ counts: SpendingCounts, at now: Instant) {
            if let last = marks.last, now - last.at < interval { return }
            if marks.count == most { marks.removeFirst() }
            marks.append((now, counts))
        }

        func window(_ counts: SpendingCounts, at now: Instant) -> SpendingReport.Window {
            guard let mark = marks.last(where: { now - $0.at >= span }) ?? marks.first else { return .init() }
            return .init(counts: counts.since(mark.counts), seconds: (now - mark.at) / .seconds(1))
        }
    }

    // A mark is noted at the end of a slot, which may come a little late.
    private var recent = Marks(span: RecentTotals.least, interval: .zero, most: 16)
    private var minutes = Marks(span: .seconds(300), interval: .seconds(25), most: 14)
    private var hour = Marks(span: .seconds(3600), interval: .seconds(295), most: 14)
    private var day = Marks(span: .seconds(86_400), interval: .seconds(3595), most: 26)

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
            .minutes: minutes.window(counts, at: now), .hour: hour.window(counts, at: now),
            .day: day.window(counts, at: now),
        ]
        return SpendingReport(counts, now: recent.window(counts, at: now), windows, name)
    }
}
