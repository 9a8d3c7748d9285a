import EventLoop

/// Counts of the last seconds, which the page calls now. Pure.
struct RecentTotals {
    /// Counts of that time.
    struct Window {
        var totals = History.Totals()
        var seconds = 0.0

        func perSecond(_ number: Int) -> Double { seconds > 0 ? Double(number) / seconds : 0 }
    }

    /// A shorter time says too little about a rate.
    static let least = Duration.seconds(5)
    static let most = 16

    private var marks = CountMarks<History.Totals>(span: least, most: most)

    /// Remembers the totals of this moment: each second while there are watchers, each ten seconds
    /// otherwise.
    mutating func note(_ totals: History.Totals, at now: Instant) {
        marks.note(totals, at: now)
    }

    func window(_ totals: History.Totals, at now: Instant) -> Window {
        guard let base = marks.beginning(at: now) else { return Window() }
        return Window(totals: totals.since(base.counts), seconds: base.seconds)
    }
}
