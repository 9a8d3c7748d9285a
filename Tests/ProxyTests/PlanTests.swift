import AppleMusic
import Cache
import Freshness
import HTTP
import Testing

@testable import Compose
@testable import Proxy

@Suite struct PlanTests {
    private static let now: Int64 = 1_800_000_000

    private func route(_ target: String) throws -> Route { try CanonicalTarget(target).route }

    private func facts(
        _ target: String = "/v1/catalog/us/albums/1", method: Method = .get, rule: TTLRule = .fixed(60, stale: 60),
        control: CacheControl = CacheControl(), scope: CacheKey.Scope? = .shared
    ) throws -> PlanFacts {
        PlanFacts(method: method, route: try route(target), scope: scope, rule: rule, requestControl: control)
    }

    private func stored(age: Int64, staleFor: Int = 60, staleIfErrorFor: Int? = nil) -> StoredResponse {
        StoredResponse(
            key: CacheKey(of: .none, scope: .shared, target: Array("/x".utf8)), status: 200, fields: [], body: [],
            receivedAt: Self.now - age,
            lifetime: Lifetime(freshFor: 60, staleFor: staleFor, staleIfErrorFor: staleIfErrorFor), classTag: 0,
            storefront: Array("us".utf8))
    }

    private func control(_ change: (inout CacheControl) -> Void) -> CacheControl {
        var control = CacheControl()
        change(&control)
        return control
    }

    private func describe(_ plan: Plan) -> String {
        switch plan {
        case .hit(_, let ttl): "hit \(ttl)"
        case .stale(_, let ttl, let reason, let refreshes): "\(reason) \(ttl)\(refreshes ? " and refresh" : "")"
        case .fetch(let reason, let stored): "fetch \(reason)\(stored == nil ? "" : " with stored")"
        case .pass(let reason): "pass \(reason)"
        case .refuse(let reason): "refuse \(reason)"
        case .compose(let body): "compose \(body.detail)"
        case .complete(let supplement): "complete \(String(decoding: supplement.target, as: UTF8.self))"
        case .verify(let body, let reason, let stored):
            "verify \(body.detail) by \(reason)\(stored == nil ? "" : " with stored")"
        }
    }

    private func decided(_ facts: PlanFacts, _ stored: StoredResponse? = nil, missing: Reason = .absent) -> String {
        describe(.decide(facts, stored: stored, missing: missing, unixSeconds: Self.now))
    }

    /// Fresh answers come before composed ones, stale answers before those that lack a part.
    @Test func compositionsComeBeforeTheOrigin() throws {
        let facts = try facts()
        let composed = CompositionOutcome.answer(
            ComposedBody(body: [], detail: .split, parts: [], reliesUntil: 0, contradictions: 0))
        let partial = CompositionOutcome.partial(Supplement(target: Array("/y".utf8)))
        func plan(_ stored: StoredResponse?, _ outcome: CompositionOutcome, verifying: Bool = false) -> String {
            let plan = Plan.decide(facts, stored: stored, unixSeconds: Self.now)
            return describe(plan.improved(by: outcome, verifying: verifying))
        }
        #expect(plan(nil, composed) == "compose split")
        #expect(plan(stored(age: 60), composed) == "compose split")
        #expect(plan(nil, partial) == "complete /y")
        #expect(plan(stored(age: 60), partial) == "staleWhileRevalidate 0 and refresh")
        #expect(plan(nil, .impossible(Refusal(nothingHeldOf: nil))) == "fetch absent")
        #expect(plan(nil, composed, verifying: true) == "verify split by absent")
        #expect(plan(stored(age: 60), composed, verifying: true) == "staleWhileRevalidate 0 and refresh")
        #expect(plan(nil, partial, verifying: true) == "fetch absent")
        #expect(!Plan.decide(facts, stored: stored(age: 20), unixSeconds: Self.now).canBeComposed)
        #expect(!Plan.pass(.method).canBeComposed)
    }

    @Test func freshIsAHitStaleIsRefreshedExpiredIsFetched() throws {
        let facts = try facts()
        #expect(decided(facts) == "fetch absent")
        #expect(decided(facts, missing: .absentVariant) == "fetch absentVariant")
        #expect(decided(facts, stored(age: 20)) == "hit 40")
        #expect(decided(facts, stored(age: 60)) == "staleWhileRevalidate 0 and refresh")
        #expect(decided(facts, stored(age: 119)) == "staleWhileRevalidate -59 and refresh")
        #expect(decided(facts, stored(age: 120)) == "fetch stale with stored")
    }

    /// The content of a GET is no part of the key: its answer was stored for every client.
    @Test func whatNoCacheMayAnswerIsPassed() throws {
        let withContent = PlanFacts(
            method: .get, route: try route("/v1/catalog/us/albums/1"), hasContent: true, rule: .fixed(60, stale: 0),
            requestControl: CacheControl())
        let cases: [(PlanFacts, String)] = [
            (try facts(method: .post), "pass method"), (try facts(method: .other), "pass method"),
            (try facts("/v1/me/library/songs", rule: .off), "pass personal"),
            (try facts("/v1/me/library/songs", scope: nil), "pass personal"),
            (try facts(rule: .off), "pass off"), (withContent, "pass requestContent"),
        ]
        for (facts, expected) in cases { #expect(decided(facts, stored(age: 0)) == expected) }
    }

    /// RFC 9111 5.2.1; an operator's TTL is not undone by a reload button.
    @Test func requestDirectivesBindOnlyClassesThatFollowTheOrigin() throws {
        let cases: [(CacheControl, String)] = [
            (control { $0.noCache = true }, "fetch requestNoCache with stored"),
            (control { $0.maxAge = 10 }, "fetch requestMaxAge with stored"),
            (control { $0.minFresh = 50 }, "fetch requestMaxAge with stored"),
            (control { $0.noStore = true }, "pass requestNoStore"),
        ]
        for (control, expected) in cases {
            #expect(try decided(facts("/v1/test", rule: .upstream, control: control), stored(age: 20)) == expected)
            #expect(try decided(facts(control: control), stored(age: 20)) == "hit 40")
        }
    }

    /// RFC 9111 5.2.1.1: the client accepts "a response whose age is no greater than" that.
    @Test func anAnswerExactlyAsOldAsTheClientAllowsWasFetchedAnew() throws {
        func plan(_ control: CacheControl) throws -> String {
            try decided(facts("/v1/test", rule: .upstream, control: control), stored(age: 20))
        }
        #expect(try plan(control { $0.maxAge = 20 }) == "hit 40")
        #expect(try plan(control { $0.maxAge = 19 }) == "fetch requestMaxAge with stored")
        #expect(try plan(control { $0.minFresh = 40 }) == "hit 40")
        #expect(try plan(control { $0.minFresh = 41 }) == "fetch requestMaxAge with stored")
    }

    /// An answer that the origin lets be served stale came to clients that had said `max-age` (RFC
    /// 9111 5.2.1.1), and stood in for an origin that failed.
    @Test func whoSaysMaxAgeGetsNothingStaleWithoutMaxStale() throws {
        func plan(_ age: Int64, staleFor: Int, _ change: (inout CacheControl) -> Void) throws -> String {
            let facts = try facts("/v1/test", rule: .upstream, control: control(change))
            return decided(facts, stored(age: age, staleFor: staleFor, staleIfErrorFor: 1_000))
        }
        for age in [60, 61, 90] as [Int64] {
            #expect(try plan(age, staleFor: 100) { $0.maxAge = 1_000 } == "fetch requestMaxAge with stored", "\(age)")
            #expect(try plan(age, staleFor: 0) { $0.maxAge = 1_000 } == "fetch requestMaxAge with stored", "\(age)")
            #expect(try plan(age, staleFor: 100) { _ in }.hasPrefix("stale"), "\(age)")
        }
        #expect(try plan(59, staleFor: 100) { $0.maxAge = 1_000 } == "hit 1")
        #expect(try plan(90, staleFor: 100) { ($0.maxAge, $0.maxStale) = (1_000, 30) }.hasPrefix("stale"))
        #expect(
            try plan(91, staleFor: 100) { ($0.maxAge, $0.maxStale) = (1_000, 30) } == "fetch requestMaxAge with stored")
        #expect(try plan(91, staleFor: 100) { $0.maxStale = 30 } == "fetch requestMaxAge with stored")
    }

    @Test func aClientMayTakeStaleOrStoredAnswersAlone() throws {
        let facts = try facts("/v1/test", rule: .upstream, control: control { $0.maxStale = 30 })
        func plan(age: Int64, staleIfErrorFor: Int) -> String {
            decided(facts, stored(age: age, staleFor: 0, staleIfErrorFor: staleIfErrorFor))
        }
        #expect(plan(age: 90, staleIfErrorFor: 100) == "requestMaxStale -30")
        #expect(plan(age: 91, staleIfErrorFor: 100) == "fetch requestMaxAge with stored")
        #expect(plan(age: 90, staleIfErrorFor: 0) == "fetch stale with stored")
        let cached = try self.facts("/v1/test", rule: .upstream, control: control { $0.onlyIfCached = true })
        #expect(decided(cached) == "refuse onlyIfCached")
        #expect(decided(cached, stored(age: 130)) == "refuse onlyIfCached")
        #expect(decided(cached, stored(age: 20)) == "hit 40")
    }

    @Test func defaultsAreThoseOfTheDocumentation() {
        let policy = Policy()
        #expect(policy[.albums] == .fixed(86_400, stale: 7 * 86_400))
        #expect(policy[.catalog] == .fixed(86_400, stale: 7 * 86_400))
        #expect(policy[.charts] == .fixed(900, stale: 86_400))
        #expect(policy[.search] == .fixed(3600, stale: 86_400))
        #expect(policy[.storefronts] == .fixed(7 * 86_400, stale: 0))
        #expect(policy[.personal] == .off)
        #expect(policy[.other] == .upstream)
        #expect(policy.notFound == .fixed(60, stale: 0) && policy.badRequest == .fixed(60, stale: 0))
    }
}
