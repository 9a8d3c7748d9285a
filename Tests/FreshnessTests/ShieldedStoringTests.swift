import Testing

@testable import Freshness

@Suite struct ShieldedStoringTests {
    private static let day = TTLRule.fixed(86_400, stale: 600)

    private func decide(
        _ status: String?, age: String? = nil, delay: Int = 0, rule: TTLRule = day, fields: String = "", speed: Int = 1
    ) -> StoreDecision {
        var text = "Via: 1.1 refrain\r\n\(fields)"
        if let status { text += "Cache-Status: refrain; \(status)\r\n" }
        if let age { text += "Age: \(age)\r\n" }
        var facts = ResponseFacts(status: 200, fields: Array(text.utf8).span)
        facts.responseDelay = delay
        return StoreDecision.decide(RequestFacts(), facts, rule: rule, notFound: .off, speed: speed, now: noon)
    }

    @Test(
        arguments: [
            ("100", 0, 100), ("100", 3, 103), ("0", 0, 0), (nil, 2, 2), ("-5", 0, 0), ("5x", 0, 0),
            ("86399", 0, 86_399), ("86900", 0, 86_900), ("100, 7", 0, 100),
        ] as [(String?, Int, Int)])
    func theAgeThatAParentSaysCounts(age: String?, delay: Int, expected: Int) {
        for said in ["hit; ttl=5", "fwd=uri-miss; stored; ttl=5", nil] {
            #expect(
                decide(said, age: age, delay: delay)
                    == .store(Lifetime(freshFor: 86_400, staleFor: 600, initialAge: expected)))
        }
    }

    /// By the same rule it is stale at the same moment, and no longer of use at the same.
    @Test func anAnswerTooOldForAnyUseIsNotStored() {
        #expect(decide("hit; ttl=-599", age: "86999").lifetime?.freshFor == 86_400)
        #expect(decide("hit; ttl=-600", age: "87000") == .no(.noFreshness))
        #expect(decide("hit; ttl=5", age: "99999999999999999999") == .no(.noFreshness))
        // The age of an origin does not count.
        #expect(
            decide("fwd=bypass; fwd-status=200; detail=off", age: "100")
                == .store(Lifetime(freshFor: 86_400, staleFor: 600)))
    }

    @Test(arguments: [
        // Stale in the course of time, after a purge, and where it is not said since when.
        ("hit; ttl=-100", "86500", 86_400, 86_500), ("hit; ttl=-10", "60", 50, 60), ("hit; ttl=0", "60", 59, 60),
        ("hit; ttl=0", "0", 0, 1), ("hit; ttl=-10", "3", 0, 10),
        ("fwd=stale; fwd-status=503; detail=stale-if-error", "60", 59, 60),
    ])
    func aStaleAnswerOfAParentIsStoredAsStale(said: String, age: String, freshFor: Int, initialAge: Int) throws {
        let lifetime = try #require(decide(said, age: age).lifetime)
        #expect(lifetime == Lifetime(freshFor: freshFor, staleFor: 600, initialAge: initialAge))
        let stored = Answer(lifetime)
        #expect(Freshness.of(stored, at: noon) == .stale(since: initialAge - freshFor))
        #expect(initialAge > freshFor && stored.canStandIn(at: noon))
    }

    private struct NotStored: Error {}

    @Test func noRuleAndNoSpeedMakesAStaleAnswerFresh() throws {
        let strict = TTLRule.fixed(86_400, stale: 0)
        #expect(decide("hit; ttl=-10", age: "60", rule: strict) == .no(.noFreshness))
        #expect(
            decide("hit; ttl=-10", age: "60", rule: strict, fields: "ETag: \"a\"\r\n")
                == .store(Lifetime(freshFor: 50, keepFor: 86_400, initialAge: 60)))
        let lifetime = try #require(
            decide("hit; ttl=-10", age: "60", rule: .origin(stale: 30), fields: "Cache-Control: max-age=3600\r\n")
                .lifetime)
        #expect(lifetime.freshFor == 50 && lifetime.initialAge == 60 && lifetime.staleFor == 30)
        let fast = try #require(decide("hit; ttl=-5", age: "60", speed: 60).lifetime)
        #expect(fast == Lifetime(freshFor: 55, staleFor: 10, initialAge: 60))
    }

    /// The lines of a confirmation end with this proxy's own `Via`, which is no parent.
    @Test(arguments: [("hit; ttl=5", 86_400, 70), ("hit; ttl=-10", 60, 70), (nil, 86_400, 0)] as [(String?, Int, Int)])
    func aConfirmationOfAParentCountsItsAgeAndStaleness(said: String?, freshFor: Int, age: Int) throws {
        let parent = said.map { said in
            let lines = "Via: 1.1 refrain\r\nCache-Status: refrain; \(said)\r\n"
            return ResponseFacts(status: 304, fields: Array(lines.utf8).span).parent
        }
        let revalidation = Revalidation(
            request: RequestFacts(), rule: Self.day, notFound: .off, badRequest: .off, now: noon + 100,
            parent: parent ?? ParentFacts())
        let confirmation = Array("ETag: \"a\"\r\nAge: 70\r\nVia: 1.1 refrain\r\n".utf8)
        let fresh = revalidation.freshening(of: Answer(["ETag: \"a\""]), by: confirmation.span)
        guard case .stored(let renewal) = fresh else { throw NotStored() }
        #expect(renewal.lifetime.freshFor == freshFor && renewal.lifetime.initialAge == age)
    }
}
