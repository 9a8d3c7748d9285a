import EventLoop

/// Counts since the start, which never go back.
protocol Cumulative {
    /// Counts of the time from `earlier` on.
    func since(_ earlier: Self) -> Self
}

/// Counts of a time that ends now.
struct CountWindow<Counts> {
    var counts: Counts
    var seconds = 0.0

    func perSecond(_ number: Int) -> Double { seconds > 0 ? Double(number) / seconds : 0 }
}

/// Counts at marks, the oldest first: the counts of a window are those of now, less those at its
/// beginning. Pure: its owner tells it the time.
struct CountMarks<Counts: Cumulative> {
    /// The least that a window is long, once there are marks of that age.
    let span: Duration
    /// Marks that come sooner are left out.
    let interval: Duration
    let most: Int
    private var marks: [(at: Instant, counts: Counts)] = []

    init(span: Duration, interval: Duration = .zero, most: Int) {
        (self.span, self.interval, self.most) = (span, interval, most)
    }

    /// For the last seconds, which the page calls now: a shorter time says too little about a rate.
    static var recent: CountMarks { CountMarks(span: .seconds(5), most: 16) }

    /// For a time that the page shows. A mark is noted at the end of a slot, which may be late.
    static func of(_ window: HistoryWindow) -> CountMarks {
        switch window {
        case .minutes: CountMarks(span: .seconds(300), interval: .seconds(25), most: 14)
        case .hour: CountMarks(span: .seconds(3600), interval: .seconds(295), most: 14)
        case .day: CountMarks(span: .seconds(86_400), interval: .seconds(3595), most: 26)
        }
    }

    mutating func note(_ counts: @autoclosure () -> Counts, at now: Instant) {
        if let last = marks.last, now - last.at < interval { return }
        if marks.count == most { marks.removeFirst() }
        marks.append((now, counts()))
    }

    /// The window begins at the latest mark that is old enough, or at the oldest.
    func window(_ counts: Counts, at now: Instant) -> CountWindow<Counts> {
        guard let mark = marks.last(where: { now - $0.at >= span }) ?? marks.first else {
            return CountWindow(counts: counts.since(counts))
        }
        return CountWindow(counts: counts.since(mark.counts), seconds: (now - mark.at) / .seconds(1))
    }
}
