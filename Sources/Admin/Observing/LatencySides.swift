import Proxy

/// How long hits and misses took.
struct LatencySides: Cumulative, Equatable {
    /// Answers out of the cache.
    var hits = LatencyCounts()
    /// Answers for which a client waited for the origin.
    var misses = LatencyCounts()

    func since(_ earlier: LatencySides) -> LatencySides {
        LatencySides(hits: hits.since(earlier.hits), misses: misses.since(earlier.misses))
    }
}

extension LatencySides {
    init(_ source: StatisticsSource) {
        for outcome in Outcome.allCases {
            switch outcome.side {
            case .hit: hits += source.latency(outcome)
            case .miss: misses += source.latency(outcome)
            case .neither: break
            }
        }
    }
}

extension CountMarks<LatencySides> {
    /// For the last hour: the oldest of twelve marks, five minutes apart, is 55 to 60 minutes old.
    /// A mark is noted at the end of a slot, which may come a little late.
    static var hour: CountMarks { CountMarks(span: .seconds(3600), interval: .seconds(295), most: 12) }
}
