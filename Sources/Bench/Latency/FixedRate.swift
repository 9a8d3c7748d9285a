import Text

/// A rate at which latencies are compared. Both servers get the same one, and it is one that the
/// slower of them has time for: at saturation a latency is the length of a queue, and says no more
/// than the number of requests a second.
struct FixedRate: Equatable {
    /// Share of the rate that the slower server sustains.
    let share: Double
    let perSecond: Int

    static let shares = [0.25, 0.5, 0.75]

    /// `25 %`.
    var percent: String { "\(Int((share * 100).rounded())) %" }

    /// `10,000/s`.
    var perSecondText: String { Figure.count(perSecond) + "/s" }

    /// Requests of a run: at least a thousand, for p99.9.
    func requests(seconds: Int, most: Int) -> Int { min(max(perSecond * seconds, 1000), most) }
}

/// Rates that servers sustain in a closed loop, and the resulting fixed rates.
struct Sustained: Equatable {
    let rates: [Rate]

    struct Rate: Equatable {
        let name: String
        let perSecond: Double
    }

    /// nil where nothing was measured.
    var slower: Rate? { rates.min { $0.perSecond < $1.perSecond } }

    var fixedRates: [FixedRate] {
        guard let slower else { return [] }
        return FixedRate.shares.map { FixedRate(share: $0, perSecond: max(Int(slower.perSecond * $0), 1)) }
    }

    /// The note on one of the fixed rates.
    func note(_ rate: FixedRate) -> String {
        let sustained = rates.map { "\($0.name) \(ResultsTable.number($0.perSecond))" }.joined(separator: ", ")
        return "\(rate.percent): \(ResultsTable.number(Double(rate.perSecond))) requests/s for both, of what "
            + "\(slower?.name ?? "nobody") sustains (closed loop: \(sustained))"
    }
}
