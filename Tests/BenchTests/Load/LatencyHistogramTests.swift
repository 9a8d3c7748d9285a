import Testing

@testable import Bench

@Suite struct LatencyHistogramTests {
    @Test func everyValueLiesInItsBucket() {
        var previous = -1
        for power in 1..<62 {
            for value in [1 << power, (1 << power) + 1, (1 << power) * 3 / 2, (2 << power) - 1] {
                let index = LatencyHistogram.index(value)
                let end = LatencyHistogram.upperEnd(index)
                #expect(end >= value)
                #expect(Double(end - value) <= Double(value) / 64)
                #expect(LatencyHistogram.index(end) == index)
                #expect(LatencyHistogram.index(end + 1) == index + 1)
                #expect(index >= previous)
                previous = index
            }
        }
        #expect(LatencyHistogram.index(0) == 0)
    }

    @Test func percentilesAreThoseOfTheSortedValues() {
        var histogram = LatencyHistogram()
        for value in (1...1000).shuffled() { histogram.record(Int64(value) * 1_000_000) }
        #expect(histogram.count == 1000)
        for (share, exact) in [(0.5, 500.0), (0.99, 990), (1, 1000), (0, 1)] {
            let found = histogram.milliseconds(atShare: share)
            #expect(found >= exact && found <= exact * 65 / 64)
        }
    }

    @Test func oneSlowOneInAHundredIsNotInThe99thPercentileButTwoAre() {
        var histogram = LatencyHistogram()
        for _ in 0..<99 { histogram.record(10) }
        histogram.record(1000)
        #expect(histogram.nanoseconds(atShare: 0.99) == 10)
        histogram.record(1000)
        #expect(histogram.nanoseconds(atShare: 0.99) >= 1000)
    }

    @Test func theEndsOfTheRangeAreCounted() {
        var histogram = LatencyHistogram()
        #expect(histogram.nanoseconds(atShare: 0.5) == 0)
        histogram.record(-5)
        #expect(histogram.nanoseconds(atShare: 1) == 0)
        histogram.record(.max)
        #expect(histogram.nanoseconds(atShare: 1) == .max)
    }
}
