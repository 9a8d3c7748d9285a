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
        #expect(last == 33 * 1024 - 1)
    }

    @Test func figuresEndWithTheRangeAndNeedValues() {
        var histogram = Histogram()
        histogram.record(nanoseconds: -5)
        histogram.record(nanoseconds: .max)
        #expect(histogram.minimum == 0 && histogram.maximum == Histogram.highest && histogram.count == 2)
        let empty = Histogram()
        #expect(empty.quantile(0.5) == nil && empty.mean == nil && empty.standardDeviation == nil)
        #expect(empty.minimum == nil && empty.maximum == nil && empty.occupied.isEmpty)
    }
}
