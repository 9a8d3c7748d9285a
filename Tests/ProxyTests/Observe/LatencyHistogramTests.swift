import TestSupport
import Testing

@testable import Proxy

@Suite struct LatencyHistogramTests {
    @Test func bucketsMeetWithoutGapOrOverlap() {
        var index = 0
        for bucket in 0..<LatencyHistogram.bucketCount - 1 {
            let end = LatencyCounts.upperNanoseconds(ofBucket: bucket)
            #expect(LatencyCounts.bucket(nanoseconds: Int64(end) - 1) == bucket)
            #expect(LatencyCounts.bucket(nanoseconds: Int64(end)) == bucket + 1)
            #expect(end > index)
            index = end
        }
        #expect(LatencyCounts.bucket(nanoseconds: -5) == 0)
        #expect(LatencyCounts.bucket(nanoseconds: .max) == LatencyHistogram.bucketCount - 1)
    }

    @Test func aQuantileIsNeverBelowTheTrueOneAndAQuarterAboveAtMost() {
        var random = SeededGenerator(seed: 61)
        for _ in 0..<200 {
            let histogram = LatencyHistogram()
            let values = (0..<Int.random(in: 1...400, using: &random)).map { _ in
                Int64(2048) << Int64.random(in: 0...20, using: &random) + Int64.random(in: 0...2000, using: &random)
            }.sorted()
            for value in values { histogram.record(nanoseconds: value) }
            let counts = histogram.snapshot
            #expect(counts.count == values.count)
            #expect(counts.nanoseconds == Int(values.reduce(0, +)))
            for share in [0.01, 0.5, 0.9, 0.99, 1.0] {
                let rank = min(values.count, max(1, Int((share * Double(values.count)).rounded(.up))))
                let (truth, read) = (Double(values[rank - 1]), Double(counts.quantile(share) ?? 0))
                #expect(read >= truth && read <= truth * 1.25 + 1, "\(share) of \(values)")
            }
        }
        #expect(LatencyCounts().quantile(0.5) == nil)
    }

    /// Bounds were powers of two of 1024 ns: a question for "under 20 ms" had no exact answer.
    @Test func oneTwoAndFiveOfEachDecadeAreEndsOfBuckets() {
        let histogram = LatencyHistogram()
        var bounds: [Int64] = []
        for unit in sequence(first: Int64(1000), next: { $0 < 10_000_000_000 ? $0 * 10 : nil }) {
            bounds += [unit, 2 * unit, 5 * unit]
        }
        for bound in bounds {
            histogram.record(nanoseconds: bound - 1)
            histogram.record(nanoseconds: bound)
        }
        let counts = histogram.snapshot
        #expect(bounds.map { counts.count(belowNanoseconds: $0) } == bounds.indices.map { 2 * $0 + 1 })
        #expect(counts.count == 48)
        histogram.record(nanoseconds: 9_000_000)
        let since = histogram.snapshot.since(counts)
        #expect(since.count == 1)
        #expect(since.nanoseconds == 9_000_000)
        #expect((since.quantile(0.5) ?? 0) >= 9_000_000)
    }
}
