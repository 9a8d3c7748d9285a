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
        let (seeds, perSecond) = (UInt64(max(1, 40 / test.perSecond)), Double(test.perSecond))
        for limiter in [
            LimitedOrigin(.window, perSecond: perSecond),
            LimitedOrigin(.bucket, perSecond: perSecond, room: max(2, perSecond)),
            LimitedOrigin(.bucket, perSecond: perSecond, room: max(2, 0.2 * perSecond)),
        ] {
            var sum = SimulationCounts()
            for seed in 1...seeds {
                var simulation = OriginSimulation(limiter, latency: .milliseconds(test.milliseconds), seed: seed)
                _ = simulation.run(.seconds(5))
                sum.add(simulation.run(.seconds(60)))
            }
            let share = Double(sum.answered) / Double(60 * test.perSecond * Int(seeds))
            #expect(share > 0.9, "\(limiter), seeds to \(seeds)")
            #expect(sum.shareRefused < 0.02, "\(limiter), seeds to \(seeds): \(sum)")
        }
    }

    /// Counts the answers during `span`, once `settling` has passed since the origin changed its
    /// limit.
    private static func counts(
        from before: Double, to perSecond: Double, after settling: Duration, during span: Duration, _ seed: UInt64
    ) -> SimulationCounts {
        let origin = LimitedOrigin(.window, perSecond: before)
        var simulation = OriginSimulation(origin, latency: .milliseconds(50), seed: seed)
        _ = simulation.run(.seconds(20))
        simulation.origin.perSecond = perSecond
        _ = simulation.run(settling)
        return simulation.run(span)
    }

    @Test(arguments: 1...3 as ClosedRange<UInt64>)
    func anotherLimitIsFollowedInSecondsOrMinutes(seed: UInt64) {
        let counts = Self.counts(from: 100, to: 10, after: .seconds(15), during: .seconds(30), seed)
        #expect(counts.answered > 250 && counts.shareRefused < 0.05, "seed \(seed): \(counts)")
        let more = Self.counts(from: 10, to: 40, after: .seconds(240), during: .seconds(20), seed)
        #expect(more.answered > 20 * 34 && more.shareRefused < 0.05, "seed \(seed): \(more)")
    }

    @Test(arguments: [1, 7, 50]) func ceilingHoldsFromTheFirstRequestOn(rate: Int) {
        let origin = LimitedOrigin(.window, perSecond: 1000)
        var simulation = OriginSimulation(origin, latency: .milliseconds(20), rate: rate, seed: UInt64(rate))
        for _ in 0..<20 {
            let counts = simulation.run(.seconds(1))
            #expect(counts.answered <= rate + 2 && counts.answered >= rate - 1 - rate / 10, "\(counts)")
        }
        #expect(simulation.counts.refused == 0)
        #expect(simulation.budget.rate.own.learnt == nil)
    }
}
