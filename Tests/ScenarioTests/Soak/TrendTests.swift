import TestSupport
import Testing

@Suite struct TrendTests {
    private func points(_ count: Int, seed: UInt64, slope: Double, noise: Double) -> [(time: Double, value: Double)] {
        var random = SeededGenerator(seed: seed)
        return (0..<count).map { number in
            let time = Double(number) / 60
            return (time, 100 + slope * time + Double.random(in: -noise...noise, using: &random))
        }
    }

    @Test(arguments: [1, 2, 3] as [UInt64]) func aLeakIsFoundAndNoiseIsNone(seed: UInt64) throws {
        let flat = try #require(Trend(points(50, seed: seed, slope: 0, noise: 0.3)))
        #expect(flat.verdict(limit: 1) == .within, "seed \(seed): \(flat)")
        let leak = try #require(Trend(points(50, seed: seed, slope: 4, noise: 0.3)))
        #expect(leak.verdict(limit: 1) == .above && leak.interval.contains(leak.slope), "seed \(seed): \(leak)")
    }

    @Test func aShortRunSaysNothing() throws {
        #expect(Trend(points(5, seed: 1, slope: 0, noise: 1)) == nil)
        let short = try #require(Trend(points(8, seed: 1, slope: 0, noise: 1)))
        #expect(short.verdict(limit: 1) == .undecided, "\(short)")
    }
}
