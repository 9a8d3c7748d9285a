import EventLoop

/// Counts of the last seconds, which the page calls now. Pure.
struct RecentTotals {
    /// Counts of that time.
    struct Window {
        var totals = History.Totals()
        var seconds = 0.0

        func perSecond(_ number: Int) -> Double { seconds > 0 ? Double(number) / seconds : 0 }
    }

    private var samples: [(at: Instant, totals: History.Totals)] = []

    /// A shorter time says too little about a rate.
    static let least = Duration.seconds(5)
    private static let most = 16

    /// Remembers the totals of this moment: each second while there are watchers, each ten seconds
    /// otherwise.
    mutating func note(_ totals: History.Totals, at now: Instant) {
        if samples.count == Self.most { samples.removeFirst() }
        samples.append((now, totals))
    }

    /// Since the latest sample that is old enough, or the oldest.
    func window(_ totals: History.Totals, at now: Instant) -> Window {
        guard let base = samples.last(where: { now - $0.at >= Self.least }) ?? samples.first else { return Window() }
        return Window(totals: totals.since(base.totals), seconds: (now - base.at) / .seconds(1))
    }
}
