import TestSupport
import Testing

@testable import Freshness

/// What one node was granted, under the rule of another.
@Suite struct LifetimeTests {
    struct Case: Sendable {
        let granted: Lifetime
        let rule: Lifetime
        let expected: Lifetime
    }

    @Test(arguments: [
        // The same rule.
        Case(
            granted: Lifetime(freshFor: 100, staleFor: 50, staleIfErrorFor: 80, keepFor: 200, initialAge: 10),
            rule: Lifetime(freshFor: 100, staleFor: 50, staleIfErrorFor: 80, keepFor: 200, initialAge: 10),
            expected: Lifetime(freshFor: 100, staleFor: 50, staleIfErrorFor: 80, keepFor: 200, initialAge: 10)),
        // A shorter rule: what the other would still have served fresh is stale here, and each use
        // ends where the rule ends it.
        Case(
            granted: Lifetime(freshFor: 1_000, staleFor: 50), rule: Lifetime(freshFor: 100, staleFor: 50),
            expected: Lifetime(freshFor: 100, staleFor: 50)),
        // A longer rule gives nothing.
        Case(
            granted: Lifetime(freshFor: 100, staleFor: 50), rule: Lifetime(freshFor: 1_000, staleFor: 500),
            expected: Lifetime(freshFor: 100, staleFor: 50)),
        // Fresh by the one, kept by the other.
        Case(
            granted: Lifetime(freshFor: 1_000, keepFor: 10), rule: Lifetime(freshFor: 100, keepFor: 5_000),
            expected: Lifetime(freshFor: 100, keepFor: 910)),
        Case(
            granted: Lifetime(freshFor: 100, keepFor: 5_000), rule: Lifetime(freshFor: 1_000, keepFor: 10),
            expected: Lifetime(freshFor: 100, keepFor: 910)),
        // What the origin forbids stays forbidden, and what the operator here does not grant too.
        Case(
            granted: Lifetime(freshFor: 1_000), rule: Lifetime(freshFor: 100, staleFor: 500),
            expected: Lifetime(freshFor: 100)),
        Case(
            granted: Lifetime(freshFor: 100, staleFor: 500), rule: Lifetime(freshFor: 1_000),
            expected: Lifetime(freshFor: 100)),
        // The rule counts from its own age at the time of receipt.
        Case(
            granted: Lifetime(freshFor: 100, initialAge: 30), rule: Lifetime(freshFor: 60),
            expected: Lifetime(freshFor: 90, initialAge: 30)),
        Case(
            granted: Lifetime(freshFor: 100), rule: Lifetime(freshFor: 60, initialAge: 20),
            expected: Lifetime(freshFor: 40)),
        Case(
            granted: Lifetime(freshFor: 100, staleFor: 30), rule: Lifetime(freshFor: 10, staleFor: 30, initialAge: 20),
            expected: Lifetime(freshFor: 0, staleFor: 20)),
        // What a soft purge left.
        Case(
            granted: Lifetime(freshFor: 0, staleFor: 150), rule: Lifetime(freshFor: 100, staleFor: 100),
            expected: Lifetime(freshFor: 0, staleFor: 150)),
        // Nothing, and for ever.
        Case(granted: Lifetime(freshFor: 100), rule: Lifetime(freshFor: 0), expected: Lifetime(freshFor: 0)),
        Case(
            granted: Lifetime(freshFor: 0, keepFor: .max), rule: Lifetime(freshFor: .max, keepFor: .max),
            expected: Lifetime(freshFor: 0, keepFor: .max)),
    ])
    func theShorterOfTheTwoCounts(_ one: Case) {
        #expect(one.granted.within(one.rule) == one.expected)
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
                // What ended before it came ends as it comes.
                #expect(end <= max(bound, -granted.initialAge), "seed \(seed): \(granted) within \(rule)")
            }
        }
    }
}
