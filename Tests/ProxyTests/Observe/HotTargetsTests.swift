import EventLoop
import Testing

@testable import Cache
@testable import Proxy

@Suite struct HotTargetsTests {
    private func key(_ number: Int) -> CacheKey {
        CacheKey(of: .none, scope: .shared, target: Array("/v1/\(number)".utf8))
    }

    /// A miss that took the place of another one was shown with the seconds of both.
    @Test func nobodyIsShownWithTheCostOfAnother() {
        let hot = HotTargets()
        let now = Instant.now()
        for number in 0..<HotTargets.capacity {
            hot.note(key(number), nanoseconds: 10_000_000_000, standingFor: 1, .absent, now: now)
        }
        hot.note(key(999), nanoseconds: 1_000_000_000, standingFor: 1, .stale, now: now)
        let last = HotTargets.mostCostly([hot], limit: 100, now: now).first { $0.target == "/v1/999" }
        #expect(last?.seconds == 1 && last?.count == 1 && last?.reason == .stale)
    }

    @Test func whatWasHeavyOnceFadesAlsoWhileNothingHappens() {
        let hot = HotTargets()
        let now = Instant.now()
        hot.note(key(1), nanoseconds: 8_000_000_000, standingFor: 16, .absent, now: now)
        func seconds(after count: Int) -> Double? {
            HotTargets.mostCostly([hot], limit: 1, now: now + HotTargets.halfLife * count + .seconds(1)).first?.seconds
        }
        #expect(seconds(after: 0) == 8)
        #expect(seconds(after: 1) == 4)
        #expect(seconds(after: 3) == 1)
        #expect(seconds(after: 60) == nil)
        #expect(HotTargets.mostAsked([hot], limit: 1).isEmpty)
    }

    @Test func loopsAreAddedUpAndPersonalTargetsLeftOut() {
        let loops = [HotTargets(), HotTargets()]
        let now = Instant.now()
        for loop in loops { loop.note(key(1), nanoseconds: 5, standingFor: 16, nil, now: now) }
        let personal = CacheKey(of: .none, scope: .personal(UserHash(bits: 1)), target: Array("/v1/me".utf8))
        loops[0].note(personal, nanoseconds: 5, standingFor: 16, .absent, now: now)
        #expect(HotTargets.mostAsked(loops, limit: 9, now: now).map { "\($0.target) \($0.count)" } == ["/v1/1 32.0"])
        #expect(HotTargets.mostCostly(loops, limit: 9, now: now).isEmpty)
    }
}
