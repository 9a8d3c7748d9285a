// Durations counted by size, in a fixed table, with three significant digits.
//
// Must hold: recording allocates nothing and costs a few instructions. With the usual precision a
// quantile differs from a recorded value by at most 0.1 %: values below 2048 ns have a bucket each,
// and each doubling above has 1024 buckets. The range is 0 ns to 2^42 - 1 ns (73 minutes); larger
// values count as its end.
// After HdrHistogram (hdrhistogram.org).

import Text

/// A high dynamic range histogram of nanoseconds. Sums of several are exact.
public struct Histogram: Sendable, Equatable {
    private static let rangeBits = 42
    /// The largest value in nanoseconds; larger ones count as it.
    static let highest = (1 << rangeBits) - 1

    /// Eleven leading bits choose the bucket.
    private static let precisionBits = 10

    /// Bits after the first one that choose the bucket.
    private let precision: Int
    private var counts: [Int]
    private(set) var count = 0
    private var lowestSeen = Int.max
    private var highestSeen = 0

    init() { self.init(precision: Self.precisionBits) }

    /// - Parameter precision: 6 for an error of at most 1.6 %, in a fourteenth of the memory.
    init(precision: Int) {
        self.precision = precision
        counts = [Int](repeating: 0, count: (Self.rangeBits - precision + 1) << precision)
    }

    /// Counts a duration. A negative one counts as zero.
    mutating func record(nanoseconds: Int64, times: Int = 1) {
        let value = min(max(Int(nanoseconds), 0), Self.highest)
        counts[index(of: value)] &+= times
        count &+= times
        lowestSeen = min(lowestSeen, value)
        highestSeen = max(highestSeen, value)
    }

    /// Restores the exact smallest and largest value; false if they are not in the first and last
    /// occupied bucket.
    private mutating func setExtremes(_ lowest: Int, _ highest: Int) -> Bool {
        guard lowest <= highest, highest <= Self.highest, index(of: lowest) == range.lowerBound,
            index(of: highest) == range.upperBound
        else { return false }
        (lowestSeen, highestSeen) = (lowest, highest)
        return true
    }

    static func index(of value: Int, precision: Int = precisionBits) -> Int {
        let shift = max(0, Int.bitWidth - 1 - precision - value.leadingZeroBitCount)
        return (shift << precision) + (value >> shift)
    }

    static func bucket(at index: Int, count: Int, precision: Int = precisionBits) -> Bucket {
        guard index >= 2 << precision else { return Bucket(lowest: index, highest: index, count: count) }
        let shift = (index >> precision) - 1
        let lowest = (index - (shift << precision)) << shift
        return Bucket(lowest: lowest, highest: lowest + (1 << shift) - 1, count: count)
    }

    private func index(of value: Int) -> Int { Self.index(of: value, precision: precision) }

    /// The buckets between the smallest and the largest value.
    private var range: ClosedRange<Int> { index(of: lowestSeen)...index(of: highestSeen) }
}

// MARK: - Figures

extension Histogram {
    /// A range of nanoseconds and how many values were in it.
    struct Bucket: Sendable, Equatable {
        let lowest: Int
        let highest: Int
        let count: Int

        var middle: Double { Double(lowest + highest) / 2 }
    }

    /// Exact, in nanoseconds; nil where nothing was recorded.
    var minimum: Int? { count > 0 ? lowestSeen : nil }

    /// Exact, in nanoseconds; nil where nothing was recorded.
    var maximum: Int? { count > 0 ? highestSeen : nil }

    /// The buckets with values, in ascending order.
    var occupied: [Bucket] {
        guard count > 0 else { return [] }
        return range.lazy.filter { counts[$0] > 0 }
            .map { Self.bucket(at: $0, count: counts[$0], precision: precision) }
    }

    /// In nanoseconds, from the middles of the buckets; nil where nothing was recorded.
    var mean: Double? {
        guard count > 0 else { return nil }
        return occupied.reduce(0) { $0 + $1.middle * Double($1.count) } / Double(count)
    }

    /// In nanoseconds, of all values and not of a sample; nil where nothing was recorded.
    var standardDeviation: Double? {
        guard let mean else { return nil }
        let squares = occupied.reduce(0) { $0 + ($1.middle - mean) * ($1.middle - mean) * Double($1.count) }
        return (squares / Double(count)).squareRoot()
    }

    /// Nanoseconds that a share of all values (0.99) did not exceed: the upper end of a bucket, at
    /// most the largest value. nil where nothing was recorded.
    /// - Parameter total: more than were recorded where there are others, larger than all of them;
    ///   the largest recorded value stands for those.
    public func quantile(_ share: Double, of total: Int = 0) -> Int? {
        guard count > 0 else { return nil }
        return counts[range].bucket(ofShare: share, of: max(count, total)).map { index in
            min(Self.bucket(at: index, count: 0, precision: precision).highest, highestSeen)
        }
    }
}

// Buckets are written by their smallest value. Derived figures are for people and other programs
// and are not read back.

extension Histogram {
    var json: JSON { json(of: count) }

    /// - Parameter total: as of `quantile`.
    func json(of total: Int) -> JSON {
        var object = JSONObject(["unit": "ns", "count": .integer(count)])
        if let minimum, let maximum, let mean, let standardDeviation {
            object.append("min", .integer(minimum))
            object.append("max", .integer(maximum))
            object.append("mean", .number(String(mean)))
            object.append("standard_deviation", .number(String(standardDeviation)))
            let percentiles = Percentile.reported.map { percentile in
                JSONObject.Member(key: percentile.name, value: .integer(quantile(percentile.share, of: total) ?? 0))
            }
            object.append("percentiles", .object(JSONObject(members: percentiles)))
        }
        object.append("buckets", .array(occupied.map { [.integer($0.lowest), .integer($0.count)] }))
        return .object(object)
    }

    init(_ members: ResultMembers) throws(ReplayResultError) {
        self.init()
        for (name, pair) in try members.elements("buckets") {
            guard pair.arrayValue?.count == 2, let lowest = pair[0]?.intValue, (0...Self.highest).contains(lowest),
                let times = pair[1]?.countValue, times > 0, count + times <= JSON.mostCounted
            else {
                throw ReplayResultError(
                    "\(name) is not [smallest value in nanoseconds, how many], the former up to \(Self.highest)")
            }
            record(nanoseconds: Int64(lowest), times: times)
        }
        guard count > 0 else { return }
        let (minimum, maximum) = (try members.count("min"), try members.count("max"))
        guard setExtremes(minimum, maximum) else {
            throw members.problem("max", "in the last of the buckets, with min in the first")
        }
    }
}
