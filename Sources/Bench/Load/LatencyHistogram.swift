/// Durations by size: 64 buckets to each power of two, so that a percentile is at most 1/64 too large. Recording is a shift
/// and an addition; nothing is kept of single values.
struct LatencyHistogram: Equatable {
    private static let bits = 6
    private static let half = 1 << bits
    private var counts: [Int] = Array(repeating: 0, count: (64 - bits) * half)
    private(set) var count = 0

    /// - Parameter nanoseconds: negative ones count as 0.
    mutating func record(_ nanoseconds: Int64) {
        counts[Self.index(Int(max(nanoseconds, 0)))] += 1
        count += 1
    }

    /// The nanoseconds that a share of all (0.99) did not exceed: the upper end of their bucket. 0 where there are none.
    func nanoseconds(atShare share: Double) -> Int {
        let rank = max(1, Int((Double(count) * share).rounded(.up)))
        var seen = 0
        for (index, number) in counts.enumerated() {
            seen += number
            if seen >= rank { return Self.upperEnd(index) }
        }
        return 0
    }

    func milliseconds(atShare share: Double) -> Double { Double(nanoseconds(atShare: share)) / 1e6 }

    /// Values below 128 have a bucket each; above, the seven leading bits choose it.
    static func index(_ value: Int) -> Int {
        let shift = max(0, Int.bitWidth - value.leadingZeroBitCount - bits - 1)
        return shift * half + (value >> shift)
    }

    static func upperEnd(_ index: Int) -> Int {
        guard index >= 2 * half else { return index }
        let shift = index / half - 1
        return ((index - shift * half) << shift) + ((1 << shift) - 1)
    }
}
