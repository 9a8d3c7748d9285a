import Testing

@testable import Freshness

@Suite struct TTLSpeedTests {
    @Test func everySpanIsShortenedAndTheAgeThatAnAnswerCameWithIsNot() {
        let lifetime = Lifetime(freshFor: 100, staleFor: 50, staleIfErrorFor: 30, keepFor: 1000, initialAge: 40)
        let fast = lifetime.passing(10)
        #expect(fast.freshFor == 46 && fast.initialAge == 40)
        #expect(fast.staleFor == 5 && fast.staleIfErrorFor == 3 && fast.keepFor == 100)
        #expect(lifetime.passing(1) == lifetime)
    }

    @Test func everyDurationLastsASecondAtLeast() {
        let fast = Lifetime(freshFor: 5, staleFor: 0, keepFor: 1).passing(1000)
        #expect(fast.freshFor == 1 && fast.staleFor == 0 && fast.keepFor == 1)
        // Stale when it came: it does not become fresh.
        #expect(Lifetime(freshFor: 60, initialAge: 90).passing(10).freshFor == 60)
    }

    @Test func lifetimesOfTheOperatorAndOfTheOriginAreShortened() throws {
        let answer = ResponseFacts(status: 200, fields: Array("Cache-Control: max-age=600\r\n".utf8).span)
        for rule in [TTLRule.fixed(600, stale: 0), .upstream] {
            let decision = StoreDecision.decide(
                RequestFacts(), answer, rule: rule, notFound: .off, speed: 10, now: 1_795_219_200)
            #expect(decision.lifetime?.freshFor == 60, "\(decision)")
        }
    }
}
