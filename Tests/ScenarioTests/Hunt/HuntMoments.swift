/// The moments, of those that an answer may be of, at which the origin showed a state.
struct HuntMoments: Equatable, Sendable {
    /// In order, not adjacent.
    private(set) var ranges: [ClosedRange<Int>] = []

    init() {}

    init(in window: ClosedRange<Int>, where holds: (Int) -> Bool) {
        for moment in window where holds(moment) {
            if let last = ranges.last, last.upperBound == moment - 1 {
                ranges[ranges.count - 1] = last.lowerBound...moment
            } else {
                ranges.append(moment...moment)
            }
        }
    }

    var isEmpty: Bool { ranges.isEmpty }
    var earliest: Int? { ranges.first?.lowerBound }
    var latest: Int? { ranges.last?.upperBound }

    func intersection(_ other: HuntMoments) -> HuntMoments {
        var both = HuntMoments()
        for one in ranges {
            both.ranges += other.ranges.filter { $0.overlaps(one) }.map { $0.clamped(to: one) }
        }
        return both
    }
}
