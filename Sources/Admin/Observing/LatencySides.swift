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
