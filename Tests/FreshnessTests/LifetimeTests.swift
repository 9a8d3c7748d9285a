import TestSupport
import Testing

@testable import Freshness

private func lasting(_ fresh: Int, stale: Int = 0, onError: Int = 0, kept: Int = 0, age: Int = 0) -> Lifetime {
    Lifetime(freshFor: fresh, staleFor: stale, staleIfErrorFor: onError, keepFor: kept, initialAge: age)
}

/// The lifetime that one node was granted, under the rule of another.
@Suite struct LifetimeTests {
    @Test(arguments: [
        // The same rule.
        (
            lasting(100, stale: 50, onError: 80, kept: 200, age: 10),
            lasting(100, stale: 50, onError: 80, kept: 200, age: 10),
            lasting(100, stale: 50, onError: 80, kept: 200, age: 10)
        ),
        // A shorter rule ends each use where the rule ends it.
        (lasting(1_000, stale: 50), lasting(100, stale: 50), lasting(100, stale: 50)),
        // A longer rule gives nothing.
        (lasting(100, stale: 50), lasting(1_000, stale: 500), lasting(100, stale: 50)),
        // Fresh by the one, kept by the other.
        (lasting(1_000, kept: 10), lasting(100, kept: 5_000), lasting(100, kept: 910)),
        (lasting(100, kept: 5_000), lasting(1_000, kept: 10), lasting(100, kept: 910)),
        // A use that the origin forbids, or that the operator here does not grant.
        (lasting(1_000), lasting(100, stale: 500), lasting(100)),
        (lasting(100, stale: 500), lasting(1_000), lasting(100)),
        // The rule counts from its own age at the time of receipt.
        (lasting(100, age: 30), lasting(60), lasting(90, age: 30)),
        (lasting(100), lasting(60, age: 20), lasting(40)),
        (lasting(100, stale: 30), lasting(10, stale: 30, age: 20), lasting(0, stale: 20)),
        // The lifetime that a soft purge left.
        (lasting(0, stale: 150), lasting(100, stale: 100), lasting(0, stale: 150)),
        // Nothing, and for ever.
        (lasting(100), lasting(0), lasting(0)),
        (lasting(0, kept: .max), lasting(.max, kept: .max), lasting(0, kept: .max)),
    ])
    func theShorterOfTheTwoCounts(granted: Lifetime, rule: Lifetime, expected: Lifetime) {
        #expect(granted.within(rule) == expected)
    }

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

    @Test func spansAreShortenedToASecondAtLeastAndAgesNot() throws {
        let lifetime = Lifetime(freshFor: 100, staleFor: 50, staleIfErrorFor: 30, keepFor: 1000, initialAge: 40)
        let fast = lifetime.passing(10)
        #expect(fast.freshFor == 46 && fast.initialAge == 40)
        #expect(fast.staleFor == 5 && fast.staleIfErrorFor == 3 && fast.keepFor == 100)
        #expect(lifetime.passing(1) == lifetime)
        let brief = Lifetime(freshFor: 5, staleFor: 0, keepFor: 1).passing(1000)
        #expect(brief.freshFor == 1 && brief.staleFor == 0 && brief.keepFor == 1)
        // Stale when it came: it does not become fresh.
        #expect(Lifetime(freshFor: 60, initialAge: 90).passing(10).freshFor == 60)
        let answer = ResponseFacts(status: 200, fields: Array("Cache-Control: max-age=600\r\n".utf8).span)
        for rule in [TTLRule.fixed(600, stale: 0), .upstream] {
            let decision = StoreDecision.decide(
                RequestFacts(), answer, rule: rule, notFound: .off, speed: 10, now: 1_795_219_200)
            #expect(decision.lifetime?.freshFor == 60, "\(decision)")
        }
    }
}
