import TestSupport
import Testing

@testable import Freshness

/// The lifetime that one node was granted, under the rule of another.
@Suite struct LifetimeTests {
    struct Case: Sendable {
        let granted: Lifetime
        let rule: Lifetime
        let expected: Lifetime

        init(_ granted: Lifetime, _ rule: Lifetime, _ expected: Lifetime) {
            (self.granted, self.rule, self.expected) = (granted, rule, expected)
        }
    }

    @Test(arguments: [
        // The same rule.
        Case(
            Lifetime(freshFor: 100, staleFor: 50, staleIfErrorFor: 80, keepFor: 200, initialAge: 10),
            Lifetime(freshFor: 100, staleFor: 50, staleIfErrorFor: 80, keepFor: 200, initialAge: 10),
            Lifetime(freshFor: 100, staleFor: 50, staleIfErrorFor: 80, keepFor: 200, initialAge: 10)),
        // A shorter rule: an answer that the other would still have served fresh is stale here, and
        // each use ends where the rule ends it.
        Case(
            Lifetime(freshFor: 1_000, staleFor: 50), Lifetime(freshFor: 100, staleFor: 50),
            Lifetime(freshFor: 100, staleFor: 50)),
        // A longer rule gives nothing.
        Case(
            Lifetime(freshFor: 100, staleFor: 50), Lifetime(freshFor: 1_000, staleFor: 500),
            Lifetime(freshFor: 100, staleFor: 50)),
        // Fresh by the one, kept by the other.
        Case(
            Lifetime(freshFor: 1_000, keepFor: 10), Lifetime(freshFor: 100, keepFor: 5_000),
            Lifetime(freshFor: 100, keepFor: 910)),
        Case(
            Lifetime(freshFor: 100, keepFor: 5_000), Lifetime(freshFor: 1_000, keepFor: 10),
            Lifetime(freshFor: 100, keepFor: 910)),
        // A use that the origin forbids stays forbidden, and so does one that the operator here
        // does not grant.
        Case(Lifetime(freshFor: 1_000), Lifetime(freshFor: 100, staleFor: 500), Lifetime(freshFor: 100)),
        Case(Lifetime(freshFor: 100, staleFor: 500), Lifetime(freshFor: 1_000), Lifetime(freshFor: 100)),
        // The rule counts from its own age at the time of receipt.
        Case(Lifetime(freshFor: 100, initialAge: 30), Lifetime(freshFor: 60), Lifetime(freshFor: 90, initialAge: 30)),
        Case(Lifetime(freshFor: 100), Lifetime(freshFor: 60, initialAge: 20), Lifetime(freshFor: 40)),
        Case(
            Lifetime(freshFor: 100, staleFor: 30), Lifetime(freshFor: 10, staleFor: 30, initialAge: 20),
            Lifetime(freshFor: 0, staleFor: 20)),
        // The lifetime that a soft purge left.
        Case(
            Lifetime(freshFor: 0, staleFor: 150), Lifetime(freshFor: 100, staleFor: 100),
            Lifetime(freshFor: 0, staleFor: 150)),
        // Nothing, and for ever.
        Case(Lifetime(freshFor: 100), Lifetime(freshFor: 0), Lifetime(freshFor: 0)),
        Case(
            Lifetime(freshFor: 0, keepFor: .max), Lifetime(freshFor: .max, keepFor: .max),
            Lifetime(freshFor: 0, keepFor: .max)),
    ])
    func theShorterOfTheTwoCounts(_ one: Case) { #expect(one.granted.within(one.rule) == one.expected) }

    @Test(arguments: [5, 6] as [UInt64])
    func nothingIsEverGrantedThatOneDoesNotGrant(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        func drawn() -> Lifetime {
            func seconds() -> Int { [0, 1, 50, 100, 2_000, .max].randomElement(using: &generator)! }
            return Lifetime(
                freshFor: seconds(), staleFor: seconds(), staleIfErrorFor: seconds(), keepFor: seconds(),
                initialAge: seconds())
        }
        func last(_ lifetime: Lifetime) -> [Int] {
            let fresh = lifetime.freshFor - lifetime.initialAge
            return [fresh, fresh + lifetime.staleFor, fresh + lifetime.staleIfErrorFor, fresh + lifetime.keepFor]
        }
        for _ in 0..<2_000 {
            let (granted, rule) = (drawn(), drawn())
            let taken = granted.within(rule)
            #expect(taken.initialAge == granted.initialAge)
            for (end, bound) in zip(last(taken), zip(last(granted), last(rule)).map { min($0, $1) }) {
                // A lifetime that ended before the answer came ends as it comes.
                #expect(end <= max(bound, -granted.initialAge), "seed \(seed): \(granted) within \(rule)")
            }
        }
    }
}

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
