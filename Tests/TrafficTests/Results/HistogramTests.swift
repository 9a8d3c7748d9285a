import TestSupport
import Testing

@testable import Traffic

@Suite struct HistogramTests {
    /// Values of all sizes: the exponent is drawn first.
    private func values(_ count: Int, _ generator: inout SeededGenerator) -> [Int] {
        (0..<count).map { _ in Int.random(in: 0..<(1 << Int.random(in: 0...42, using: &generator)), using: &generator) }
    }

    private func histogram(_ values: [Int]) -> Histogram {
        values.reduce(into: Histogram()) { $0.record(nanoseconds: Int64($1)) }
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func quantilesAreWithinATenthOfAPercentOfTheSortedValues(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let sorted = values(Int.random(in: 1...3000, using: &generator), &generator).sorted()
        let histogram = histogram(sorted)
        for share in [0, 0.001, 0.07, 0.25, 0.5, 0.9, 0.99, 0.999, 0.9999, 0.99999, 1] {
            let rank = max(1, Int((share.nextDown * Double(sorted.count)).rounded(.up)))
            let (exact, found) = (sorted[rank - 1], histogram.quantile(share) ?? -1)
            #expect(exact <= found && Double(found) <= Double(exact) * 1.001, "seed \(seed), share \(share)")
        }
        #expect(histogram.minimum == sorted.first && histogram.maximum == sorted.last, "seed \(seed)")
        #expect(histogram.count == sorted.count, "seed \(seed)")
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func meanAndDeviationAreWithinATenthOfAPercent(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let values = values(1000, &generator)
        let histogram = histogram(values)
        let mean = values.reduce(0) { $0 + Double($1) } / Double(values.count)
        let squares = values.reduce(0) { $0 + (Double($1) - mean) * (Double($1) - mean) }
        let deviation = (squares / Double(values.count)).squareRoot()
        #expect(abs((histogram.mean ?? 0) - mean) <= mean * 0.001, "seed \(seed)")
        #expect(abs((histogram.standardDeviation ?? 0) - deviation) <= deviation * 0.002, "seed \(seed)")
    }

    @Test func everyBucketBeginsWhereTheLastEnds() {
        var (next, last) = (0, -1)
        while next <= Histogram.highest {
            let index = Histogram.index(of: next)
            #expect(index == last + 1)
            let bucket = histogram([next]).occupied[0]
            #expect(bucket.lowest == next)
            #expect(Histogram.index(of: bucket.highest) == index)
            (next, last) = (bucket.highest + 1, index)
            // Debug builds are slow: within a doubling only the first and the last thousand are
            // tried.
            if last % 1024 == 3 {
                let step = bucket.highest - bucket.lowest + 1
                next += step * 1000
                last += 1000
            }
        }
        #expect(last == (Histogram.doublings + 1) * Histogram.perDoubling - 1)
    }

    @Test func figuresEndWithTheRangeAndNeedValues() {
        var histogram = Histogram()
        histogram.record(nanoseconds: -5)
        histogram.record(nanoseconds: .max)
        #expect(histogram.minimum == 0 && histogram.maximum == Histogram.highest && histogram.count == 2)
        let empty = Histogram()
        #expect(empty.quantile(0.5) == nil && empty.mean == nil && empty.standardDeviation == nil)
        #expect(empty.minimum == nil && empty.maximum == nil && empty.occupied.isEmpty && empty.distribution.isEmpty)
    }

    @Test(arguments: 0..<10 as Range<UInt64>)
    func theDistributionRisesToTheLargestValue(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let values = values(Int.random(in: 1...5000, using: &generator), &generator)
        let (histogram, points) = (histogram(values), histogram(values).distribution)
        #expect(points.first?.share == 0 && points.last?.share == 1, "seed \(seed)")
        #expect(points.last?.nanoseconds == values.max() && points.last?.count == values.count, "seed \(seed)")
        for (point, next) in zip(points, points.dropFirst()) {
            #expect(point.share < next.share && point.nanoseconds <= next.nanoseconds, "seed \(seed)")
            #expect(point.count <= next.count, "seed \(seed)")
        }
        for point in points { #expect(histogram.quantile(point.share) ?? -1 <= point.nanoseconds, "seed \(seed)") }
    }

    @Test func theDistributionHalvesTheRest() {
        let shares = histogram(Array(1...64)).distribution.map(\.share)
        #expect(
            shares[..<12].elementsEqual([0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.775]) {
                abs($0 - $1) < 1e-12
            })
        // 63 of 64 are exactly 0.984375; all 64 reach the step above it, and there it ends.
        #expect(shares.suffix(3).elementsEqual([0.984375, 0.9859375, 1]) { abs($0 - $1) < 1e-12 })
    }
}
