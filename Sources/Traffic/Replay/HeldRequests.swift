/// Times at which a run noticed that requests found all connections busy. Requests are noticed, and
/// leave, in the order of their positions.
///
/// Holds one element for those that were noticed one directly after the other: of a target that
/// stalls they may be millions.
struct HeldRequests {
    /// The position after the last one, and when they were noticed.
    private var bursts: [(end: Int, at: Int64)] = []
    private var gone = 0

    /// Requests that were noticed within this many nanoseconds count as noticed together.
    static let together: Int64 = 1_000_000

    /// Notes that the next request was noticed.
    mutating func note(_ position: Int, at now: Int64) {
        if let last = bursts.last, last.end == position, now - last.at < Self.together {
            bursts[bursts.count - 1].end = position + 1
        } else {
            bursts.append((position + 1, now))
        }
    }

    /// When a request was noticed; nil: it was not. All before it are forgotten.
    mutating func take(_ position: Int) -> Int64? {
        while gone < bursts.count, bursts[gone].end <= position { gone += 1 }
        if gone > 1024, gone > bursts.count / 2 {
            bursts.removeFirst(gone)
            gone = 0
        }
        return gone < bursts.count ? bursts[gone].at : nil
    }
}
