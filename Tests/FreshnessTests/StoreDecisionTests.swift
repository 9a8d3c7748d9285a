import Testing

@testable import Freshness
@testable import HTTP

private func request(_ cacheControl: String = "") -> RequestFacts {
    var facts = RequestFacts()
    facts.cacheControl.merge(Array(cacheControl.utf8).span)
    return facts
}

private let day = TTLRule.fixed(86_400, stale: 604_800)

@Suite struct StoreDecisionTests {
    @Test(arguments: [
        (200, nil), (404, nil), (410, nil),
        (201, Reason.status), (204, .status), (206, .partialContent), (301, .status), (302, .status),
        (304, .status), (400, .status), (401, .unauthorized), (403, .unauthorized), (429, .rateLimited),
        (500, .serverError), (502, .serverError), (503, .serverError), (504, .serverError), (599, .serverError),
        (100, .status), (600, .status),
    ])
    func aFixedRuleKeepsOnlyAnswers(status: Int, reason: Reason?) {
        let decision = StoreDecision.decide(
            request(), ResponseFacts(status: status), rule: day, notFound: .fixed(60, stale: 0), now: noon)
        if let reason {
            #expect(decision == .no(reason))
        } else {
            #expect(
                decision
                    == .store(status == 200 ? Lifetime(freshFor: 86_400, staleFor: 604_800) : Lifetime(freshFor: 60)))
        }
    }

    @Test func aFixedRuleIgnoresTheOriginsFields() {
        var facts = ResponseFacts(status: 200)
        facts.cacheControl.merge(Array("max-age=60, s-maxage=0, private, no-transform".utf8).span)
        facts.merge(.vary, Array("Origin".utf8).span)
        facts.age = 500_000
        facts.date = noon - 500_000
        #expect(
            StoreDecision.decide(request(), facts, rule: day, notFound: .off, now: noon)
                == .store(Lifetime(freshFor: 86_400, staleFor: 604_800)))
    }

    @Test(arguments: [412, 416, 417], [day, .upstream])
    func answersToConditionsAndRangesOfOneRequestAreNotStoredForOthers(status: Int, rule: TTLRule) {
        var facts = ResponseFacts(status: status)
        facts.merge(.cacheControl, Array("public, max-age=60".utf8).span)
        #expect(StoreDecision.decide(request(), facts, rule: rule, notFound: day, now: noon) == .no(.status))
    }

    @Test(arguments: ["*", "Accept", "Origin, *", "accept-encoding, X-Region"], [200, 404])
    func aFixedRuleDoesNotStoreWhatVariesByFieldsThatAreNotInTheKey(vary: String, status: Int) {
        var facts = ResponseFacts(status: status)
        facts.merge(.vary, Array(vary.utf8).span)
        #expect(StoreDecision.decide(request(), facts, rule: day, notFound: day, now: noon) == .no(.vary))
    }

    @Test func fieldsThatNoSharedRequestCarriesDoNotVary() {
        for (rule, notFound, status) in [(day, day, 200), (day, .upstream, 404), (.upstream, day, 200)] {
            var facts = ResponseFacts(status: status)
            facts.merge(.cacheControl, Array("max-age=60".utf8).span)
            // As Apple writes it.
            facts.merge(.vary, Array("Origin, Accept-Encoding, Origin".utf8).span)
            let decision = StoreDecision.decide(request(), facts, rule: rule, notFound: notFound, now: noon)
            #expect(decision != .no(.vary))
        }
    }

    @Test func theRulesOfTheClassAndOfNotFoundAreKeptApart() {
        let missing = ResponseFacts(status: 404)
        func decide(_ rule: TTLRule, _ notFound: TTLRule) -> StoreDecision {
            StoreDecision.decide(request(), missing, rule: rule, notFound: notFound, now: noon)
        }
        #expect(decide(day, .off) == .no(.off))
        #expect(decide(.off, day) == .no(.off))
        #expect(decide(day, .upstream) == .no(.noFreshness))
        #expect(decide(.upstream, day) == .no(.noFreshness))
    }

    /// A 400 that came 1,476 times went to the origin 1,476 times.
    @Test func aBadRequestHasARuleOfItsOwnUnlessItIsPersonal() {
        func decide(_ rule: TTLRule, _ badRequest: TTLRule, isPersonal: Bool = false, status: Int = 400)
            -> StoreDecision
        {
            var facts = request()
            facts.isPersonal = isPersonal
            var response = ResponseFacts(status: status)
            response.merge(.cacheControl, Array("public, max-age=9".utf8).span)
            return StoreDecision.decide(facts, response, rule: rule, notFound: .off, badRequest: badRequest, now: noon)
        }
        let minute = TTLRule.fixed(60, stale: 0)
        #expect(decide(day, minute) == .store(Lifetime(freshFor: 60)))
        #expect(decide(day, .off) == .no(.status))
        #expect(decide(day, .upstream).lifetime?.freshFor == 9)
        #expect(decide(.upstream, minute).lifetime?.freshFor == 9, "classes that follow the origin go on doing so")
        #expect(decide(.off, minute) == .no(.off))
        for rule in [minute, .upstream] { #expect(decide(day, rule, isPersonal: true) == .no(.status)) }
        for (status, reason) in [(401, Reason.unauthorized), (403, .unauthorized), (429, .rateLimited), (405, .status)]
        {
            #expect(decide(day, minute, status: status) == .no(reason))
        }
    }

    @Test func personalAnswersNeedTheirOwnRule() {
        var personal = request()
        personal.isPersonal = true
        let fine = ResponseFacts(status: 200)
        #expect(StoreDecision.decide(personal, fine, rule: .off, notFound: .off, now: noon) == .no(.personal))
        #expect(
            StoreDecision.decide(personal, fine, rule: .fixed(30, stale: 0), notFound: .off, now: noon)
                == .store(Lifetime(freshFor: 30)))
    }

    @Test func otherMethodsAndNoStoreRequestsAreNeverStored() {
        var post = request()
        post.isGet = false
        for rule in [day, .upstream] {
            #expect(
                StoreDecision.decide(post, ResponseFacts(status: 200), rule: rule, notFound: day, now: noon)
                    == .no(.method))
            let decision = StoreDecision.decide(
                request("no-store"), ResponseFacts(status: 200), rule: rule, notFound: day, now: noon)
            #expect(decision == .no(.requestNoStore))
        }
    }

    @Test func aPostThatAnswersWhatAGetWouldIsStoredOnTheOriginsWord() {
        func decide(_ fields: String, status: Int = 200, rule: TTLRule = .upstream, isOwn: Bool = true) -> StoreDecision
        {
            var post = request()
            (post.isGet, post.isPostOfItsOwnContent) = (false, isOwn)
            let facts = ResponseFacts(status: status, fields: Array(fields.utf8).span)
            return StoreDecision.decide(post, facts, rule: rule, notFound: day, now: noon)
        }
        #expect(decide("Cache-Control: max-age=3600\r\n").lifetime?.freshFor == 3600)
        #expect(decide("Last-Modified: \(date(5))\r\n") == .no(.method))
        #expect(decide("Cache-Control: max-age=3600\r\n", status: 201) == .no(.method))
        #expect(decide("Cache-Control: max-age=3600\r\n", rule: day) == .no(.method))
        #expect(decide("Cache-Control: max-age=3600\r\n", isOwn: false) == .no(.method))
    }
}
