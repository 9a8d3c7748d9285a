import Synchronization
import Text

// Durations counted in buckets: fifteen to each decade from a microsecond to 100 s, so that a
// percentile read off them is at most a quarter above the true one, whatever its size, and that 1,
// 2 and 5 of each decade are ends of buckets.
// Must hold: one writer, the loop that owns it; anyone may read meanwhile and sees every count a
// little later at most.

/// Counts durations. Recording costs two stores and no lock.
public final class LatencyHistogram: Sendable {
    /// Number of buckets: below a microsecond, eight decades of fifteen, above.
    static let bucketCount = 122

    private let counts: InlineArray<122, Atomic<Int>>
    private let total = Atomic<Int>(0)

    init() {
        counts = InlineArray { _ in Atomic<Int>(0) }
    }

    /// Counts a duration. Called on the loop that owns the histogram, no other.
    func record(nanoseconds: Int64) {
        let index = LatencyCounts.bucket(nanoseconds: nanoseconds)
        counts[index].store(counts[index].load(ordering: .relaxed) &+ 1, ordering: .relaxed)
        total.store(total.load(ordering: .relaxed) &+ Int(max(0, nanoseconds)), ordering: .relaxed)
    }

    /// Counts so far. From any thread.
    var snapshot: LatencyCounts {
        var result = LatencyCounts()
        for index in 0..<Self.bucketCount { result.counts[index] = counts[index].load(ordering: .relaxed) }
        result.nanoseconds = total.load(ordering: .relaxed)
        return result
    }
}

/// A histogram's counts at a moment; sums of several are meaningful.
public struct LatencyCounts: Sendable, Equatable {
    /// By bucket; not cumulative.
    public fileprivate(set) var counts = [Int](repeating: 0, count: LatencyHistogram.bucketCount)
    /// The sum of all durations.
    public fileprivate(set) var nanoseconds = 0

    public init() {}

    /// How many durations were counted.
    public var count: Int { counts.reduce(0, +) }

    public static func += (left: inout LatencyCounts, right: LatencyCounts) {
        for index in left.counts.indices { left.counts[index] += right.counts[index] }
        left.nanoseconds += right.nanoseconds
    }

    /// Counts since `earlier`, which is of the same histograms.
    public func since(_ earlier: LatencyCounts) -> LatencyCounts {
        var result = self
        for index in counts.indices { result.counts[index] = max(0, counts[index] - earlier.counts[index]) }
        result.nanoseconds = max(0, nanoseconds - earlier.nanoseconds)
        return result
    }

    /// Nanoseconds that this share of the durations did not exceed, by the upper end of its bucket;
    /// nil where none was counted.
    public func quantile(_ share: Double) -> Int? {
        counts[...].bucket(ofShare: share, of: count).map(Self.upperNanoseconds(ofBucket:))
    }

    /// The buckets with something in them: where each ends, in nanoseconds, and how many are in it.
    public var occupied: [(end: Int, count: Int)] {
        counts.indices.filter { counts[$0] > 0 }.map { (Self.upperNanoseconds(ofBucket: $0), counts[$0]) }
    }

    /// Counts the durations below `bound`, which is the end of a bucket.
    public func count(belowNanoseconds bound: Int64) -> Int {
        counts[..<Self.bucket(nanoseconds: bound)].reduce(0, +)
    }

    static func bucket(nanoseconds: Int64) -> Int {
        guard nanoseconds >= 1000 else { return 0 }
        var (value, first) = (UInt64(nanoseconds), 1)
        while value >= 10_000 { (value, first) = (value / 10, first &+ 15) }
        // Steps of 250, then of 500 and of 1000, counted from 1000 on.
        let step = value < 2000 ? value / 250 &- 4 : value < 5000 ? value / 500 : value / 1000 &+ 5
        return min(first &+ Int(step), LatencyHistogram.bucketCount - 1)
    }

    /// The bucket's end in nanoseconds; of the last, which has none, its beginning.
    static func upperNanoseconds(ofBucket index: Int) -> Int {
        let (decade, step) = min(index, LatencyHistogram.bucketCount - 2).quotientAndRemainder(dividingBy: 15)
        let value =
            switch step {
            case ..<4: 1000 + 250 * step
            case ..<10: 2000 + 500 * (step - 4)
            default: 5000 + 1000 * (step - 10)
            }
        return (0..<decade).reduce(value) { value, _ in value * 10 }
    }
}
