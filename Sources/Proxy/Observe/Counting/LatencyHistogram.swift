import Synchronization
import Text

// Durations counted in buckets: four to each doubling from a microsecond to a minute, so that a
// percentile read off them is at most a quarter above the true one, whatever its size.
// Must hold: one writer, the loop that owns it; anyone may read meanwhile and sees every count a
// little later at most.

/// Counts durations. Recording costs two stores and no lock.
public final class LatencyHistogram: Sendable {
    /// One below a microsecond, 26 doublings of four, one above.
    static let bucketCount = 106

    private let counts: InlineArray<106, Atomic<Int>>
    private let total = Atomic<Int>(0)

    init() {
        counts = InlineArray { _ in Atomic<Int>(0) }
    }

    /// Only on the loop that owns it.
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

    /// How many durations were below 2 to the power of `exponent` microseconds, which is the end of
    /// a bucket. The exponent is from 0 to 26: a microsecond to 67 s.
    public func count(belowMicroseconds exponent: Int) -> Int {
        counts[...min(exponent * 4, LatencyHistogram.bucketCount - 1)].reduce(0, +)
    }

    static func bucket(nanoseconds: Int64) -> Int {
        guard nanoseconds >= 1024 else { return 0 }
        let exponent = 63 - nanoseconds.leadingZeroBitCount
        let quarter = Int(truncatingIfNeeded: nanoseconds >> Int64(exponent - 2)) & 3
        return min((exponent - 10) * 4 + quarter + 1, LatencyHistogram.bucketCount - 1)
    }

    /// Where the bucket ends, in nanoseconds; of the last, which has no end, where it begins. A
    /// microsecond counts as 1024 nanoseconds here, so that bounds are found by shifting.
    static func upperNanoseconds(ofBucket index: Int) -> Int {
        guard index > 0 else { return 1024 }
        let (exponent, quarter) = ((index - 1) / 4 + 10, (index - 1) % 4)
        guard index < LatencyHistogram.bucketCount - 1 else { return 1 << exponent }
        return (1 << exponent) + (quarter + 1) << (exponent - 2)
    }
}
