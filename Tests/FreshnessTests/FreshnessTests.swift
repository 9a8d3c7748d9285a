import Testing

@testable import Freshness

@Suite struct FreshnessTests {
    private static let stored = Answer(
        Lifetime(freshFor: 100, staleFor: 50, staleIfErrorFor: 80, keepFor: 200, initialAge: 10))

    @Test(arguments: [
        (0, Freshness.fresh(ttl: 90)), (89, .fresh(ttl: 1)), (90, .stale(since: 0)), (139, .stale(since: 49)),
        (140, .expired), (10_000, .expired), (-59, .fresh(ttl: 90)), (-60, .fresh(ttl: 90)), (-61, .stale(since: 0)),
    ])
    func turnsAtTheSecond(after seconds: Int, expected: Freshness) {
        #expect(Freshness.of(Self.stored, at: noon + Int64(seconds)) == expected)
    }

    @Test func standsInForAFailingOriginWithinItsOwnWindow() {
        #expect(Self.stored.canStandIn(at: noon + 169))
        #expect(!Self.stored.canStandIn(at: noon + 170))
        #expect(Self.stored.isUseful(at: noon + 289))
        #expect(!Self.stored.isUseful(at: noon + 290))
        let rests = [(0, 290), (289, 1), (290, 0), (10_000, 0)] as [(Int64, Int)]
        for (after, rest) in rests { #expect(Self.stored.usefulFor(at: noon + after) == rest, "\(after)") }
        let strict = Answer(Lifetime(freshFor: 100, keepFor: 200))
        #expect(strict.canStandIn(at: noon - 60) && !strict.canStandIn(at: noon - 61))
        #expect(Answer(Lifetime(freshFor: 100, staleIfErrorFor: 1)).canStandIn(at: noon - 61))
    }

    @Test(arguments: [Int64.min, 0, noon - 400 * 86_400, noon, 2_147_483_648, Int64.max])
    func noClockMakesAnAgeNegativeOrTraps(now: Int64) {
        for receivedAt in [0, noon] {
            let stored = Answer(Lifetime(freshFor: .max, staleFor: .max), at: receivedAt)
            #expect(stored.age(at: now) >= 0)
            if now < receivedAt - 60 { #expect(Freshness.of(stored, at: now) == .stale(since: 0)) }
        }
    }

    @Test func lifetimesAreBroughtWithinBounds() {
        let lifetime = Lifetime(freshFor: .min, staleFor: .max, keepFor: .min, initialAge: .max)
        #expect(lifetime.freshFor == 1 - (1 << 31) && lifetime.keepFor == 0)
        #expect(lifetime.staleFor == 1 << 31 && lifetime.staleIfErrorFor == 1 << 31 && lifetime.initialAge == 1 << 31)
    }
}
