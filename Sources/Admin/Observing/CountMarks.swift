import EventLoop

/// Counts at marks, the oldest first: what was counted in a window is what there is now, less the
/// counts at its beginning. Pure.
struct CountMarks<Counts> {
    /// The least that a window is long, once there are marks of that age.
    let span: Duration
    /// Marks that come sooner are left out.
    let interval: Duration
    let most: Int
    private var marks: [(at: Instant, counts: Counts)] = []

    init(span: Duration, interval: Duration = .zero, most: Int) {
        (self.span, self.interval, self.most) = (span, interval, most)
    }

    mutating func note(_ counts: Counts, at now: Instant) {
        if let last = marks.last, now - last.at < interval { return }
        if marks.count == most { marks.removeFirst() }
        marks.append((now, counts))
    }

    /// The beginning of the window that ends now: the latest mark that is old enough, or the
    /// oldest.
    func beginning(at now: Instant) -> (counts: Counts, seconds: Double)? {
        guard let mark = marks.last(where: { now - $0.at >= span }) ?? marks.first else { return nil }
        return (mark.counts, (now - mark.at) / .seconds(1))
    }
}
