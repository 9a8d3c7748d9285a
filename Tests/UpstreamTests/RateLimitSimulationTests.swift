import EventLoop
import TestSupport
import Testing

@testable import Upstream

/// The constants of `RateLimit` against origins of all kinds: DECISIONS 11.2 over
/// APPLE-MUSIC-API 10.3.
@Suite struct RateLimitSimulationTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let perSecond: Int
        let milliseconds: Int
        var testDescription: String { "\(perSecond)/s, \(milliseconds) ms" }
    }

    private static let cases = TestSize.of([4, 30, 200], release: [4, 5, 10, 30, 200]).flatMap { perSecond in
        (perSecond < 100 ? [5, 100, 300] : [5, 300]).map { Case(perSecond: perSecond, milliseconds: $0) }
    }

    /// Throughput and 429s after the first five seconds, on average over seeds; the fewer requests,
    /// the more of these.
    @Test(arguments: cases)
    func saturatedOriginGivesNearlyAllItHasAndSeldomRefuses(_ test: Case) {
        let seeds = UInt64(max(1, 40 / test.perSecond))
        for limiter in [OriginSimulation.Limiter.fixedWindow, .tokenBucket(ofSeconds: 1), .tokenBucket(ofSeconds: 0.2)]
        {
            var sum = OriginSimulation.Counts()
            for seed in 1...seeds {
                var origin = OriginSimulation(
                    limiter, perSecond: test.perSecond, latency: .milliseconds(test.milliseconds), seed: seed)
                _ = origin.run(.seconds(5))
                let counts = origin.run(.seconds(60))
                sum.answered += counts.answered
                sum.refused += counts.refused
            }
            let share = Double(sum.answered) / Double(60 * test.perSecond * Int(seeds))
            #expect(share > 0.9, "\(limiter), seeds to \(seeds)")
            #expect(sum.shareRefused < 0.02, "\(limiter), seeds to \(seeds): \(sum)")
        }
    }

    /// Counts the answers during `span`, once `settling` has passed since the origin changed its
    /// limit.
    private static func counts(
        from before: Int, to perSecond: Int, after settling: Duration, during span: Duration, _ seed: UInt64
    ) -> OriginSimulation.Counts {
        var origin = OriginSimulation(.fixedWindow, perSecond: before, latency: .milliseconds(50), seed: seed)
        _ = origin.run(.seconds(20))
        origin.perSecond = perSecond
        _ = origin.run(settling)
        return origin.run(span)
    }

    @Test(arguments: 1...3 as ClosedRange<UInt64>)
    func originThatAllowsLessIsFollowedInSeconds(seed: UInt64) {
        let counts = Self.counts(from: 100, to: 10, after: .seconds(15), during: .seconds(30), seed)
        #expect(counts.answered > 250 && counts.shareRefused < 0.05, "seed \(seed): \(counts)")
    }

    @Test(arguments: 1...3 as ClosedRange<UInt64>)
    func originThatAllowsMoreIsFollowedInMinutes(seed: UInt64) {
        let counts = Self.counts(from: 10, to: 40, after: .seconds(240), during: .seconds(20), seed)
        #expect(counts.answered > 20 * 34 && counts.shareRefused < 0.05, "seed \(seed): \(counts)")
    }

    @Test(arguments: [1, 7, 50]) func ceilingHoldsFromTheFirstRequestOn(rate: Int) {
        var origin = OriginSimulation(
            .fixedWindow, perSecond: 1000, latency: .milliseconds(20), rate: rate, seed: UInt64(rate))
        for _ in 0..<20 {
            let counts = origin.run(.seconds(1))
            #expect(counts.answered <= rate + 2 && counts.answered >= rate - 1 - rate / 10, "\(counts)")
        }
        #expect(origin.counts.refused == 0)
        #expect(origin.budget.rate.own.learnt == nil)
    }

    @Test func connectionsAloneLimitAnOriginThatNeverRefuses() {
        var origin = OriginSimulation(
            .fixedWindow, perSecond: .max, latency: .milliseconds(100), connections: 20, seed: 1)
        let counts = origin.run(.seconds(10))
        #expect((1900...2100).contains(counts.answered))
        #expect(origin.budget.rate.current == nil)
    }
}
