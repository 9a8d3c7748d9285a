import Proxy

/// How long hits and misses took in the last hour. Pure: its owner marks the time.
struct LatencyHour {
    struct Counts: Equatable {
        /// Answers out of the cache.
        var hits = LatencyCounts()
        /// Answers for which a client waited for the origin.
        var misses = LatencyCounts()

        func since(_ earlier: Counts) -> Counts {
            Counts(hits: hits.since(earlier.hits), misses: misses.since(earlier.misses))
        }
    }

    /// Counts at the marks, the oldest first.
    private var marks: [Counts]

    /// Slots of `History` between two marks: five minutes.
    static let slotsBetweenMarks = 30
    private static let mostMarks = History.slotCount / slotsBetweenMarks

    /// - Parameter counts: what had been counted when the hour began.
    init(_ counts: Counts = Counts()) {
        marks = [counts]
    }

    mutating func mark(_ counts: Counts) {
        if marks.count == Self.mostMarks { marks.removeFirst() }
        marks.append(counts)
    }

    func window(_ counts: Counts) -> Counts { counts.since(marks[0]) }
}

extension LatencyHour.Counts {
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
