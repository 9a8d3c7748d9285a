import Testing

@testable import Freshness

private let day = TTLRule.fixed(86_400, stale: 604_800)

private func decide(
    _ status: Int = 200, _ fields: String = "", rule: TTLRule = day, notFound: TTLRule = day,
    badRequest: TTLRule = .off, to change: (inout RequestFacts) -> Void = { _ in }
) -> StoreDecision {
    var request = RequestFacts()
    change(&request)
    let facts = ResponseFacts(status: status, fields: Array(fields.utf8).span)
    return StoreDecision.decide(
        request, facts, rule: rule, notFound: notFound, badRequest: badRequest, now: noon)
}

@Suite struct StoreDecisionTests {
    @Test(arguments: [
        (200, nil), (404, nil), (410, nil),
        (201, Reason.status), (204, .status), (206, .partialContent), (301, .status), (302, .status),
        (304, .status), (400, .status), (401, .unauthorized), (403, .unauthorized), (429, .rateLimited),
        (412, .status), (416, .status), (417, .status), (402, .status), (405, .status), (451, nil),
        (500, .serverError), (502, .serverError), (503, .serverError), (504, .serverError), (599, .serverError),
        (100, .status), (600, .status),
    ])
    func aFixedRuleKeepsOnlyAnswers(status: Int, reason: Reason?) {
        let kept = status == 200 ? Lifetime(freshFor: 86_400, staleFor: 604_800) : Lifetime(freshFor: 60)
        #expect(decide(status, notFound: .fixed(60, stale: 0)) == reason.map(StoreDecision.no) ?? .store(kept))
    }

    @Test func aFixedRuleIgnoresFieldsAndAnyRuleNeedlessVary() {
        let fields = "Cache-Control: max-age=60, s-maxage=0, private, no-transform\r\nVary: Origin\r\nAge: 500000\r\n"
        let decision = decide(200, fields + "Date: \(date(noon - 500_000))\r\n", notFound: .off)
        #expect(decision == .store(Lifetime(freshFor: 86_400, staleFor: 604_800)))
        for (rule, notFound, status) in [(day, day, 200), (day, .upstream, 404), (.upstream, day, 200)] {
            // As Apple writes it.
            let line = "Cache-Control: max-age=60\r\nVary: Origin, Accept-Encoding, Origin\r\n"
            #expect(decide(status, line, rule: rule, notFound: notFound) != .no(.vary))
        }
    }

    @Test(arguments: ["*", "Origin, *", "Accept, no name"], [200, 404, 451])
    func aFixedRuleDoesNotStoreWhatMoreThanTheRequestChose(vary: String, status: Int) {
        #expect(decide(status, "Vary: \(vary)\r\n") == .no(.vary))
    }

    /// No field of a client's goes along, and each of these ended all caching.
    @Test(arguments: [
        "Accept", "accept-encoding, X-Region", "User-Agent\r\nVary: Accept-Language", "Authorization", "traceparent",
        "Origin, Access-Control-Request-Method, Access-Control-Request-Headers",
        (0..<40).map { "X-\($0)" }.joined(separator: ","),
    ])
    func underAFixedRuleNoFieldOfAClientsForbidsStoring(vary: String) {
        for status in [200, 404] { #expect(decide(status, "Vary: \(vary)\r\n").lifetime != nil) }
        let isByToken = vary == "Authorization"
        let decision = decide(200, "Vary: \(vary)\r\n") { $0.requestCarriedAuthorization = true }
        #expect((decision == .no(.vary)) == isByToken, "a client's own token goes along")
        let facts = ResponseFacts(status: 200, fields: Array("Vary: \(vary)\r\n".utf8).span)
        #expect(facts.vary.selecting(under: day).names.isEmpty && !facts.vary.selecting(under: day).isUnbounded)
        #expect(facts.vary.selecting(under: .upstream) == facts.vary)
    }

    /// Songs that were withdrawn for legal reasons were served for a week, as stale.
    @Test func whatIsWithdrawnHasTheRuleOfNotFoundAndOtherErrorsNone() {
        let minute = TTLRule.fixed(60, stale: 0)
        for status in 400..<500 {
            let decision = decide(status, notFound: minute)
            #expect((decision == .store(Lifetime(freshFor: 60))) == [404, 410, 451].contains(status), "\(status)")
            #expect((ErrorMeaning(status: status) == .absence) == [404, 410, 451].contains(status))
        }
        for status in [200, 304, 399] { #expect(ErrorMeaning(status: status) == nil) }
        #expect(ErrorMeaning(status: 599) == .moment && ErrorMeaning(status: 429) == .moment)
        #expect(ErrorMeaning(status: 401) == .credentials && ErrorMeaning(status: 405) == .request)
    }

    /// Answers that were read soon after a write were kept as long as anything else.
    @Test func aBoundBesideTheRuleShortensFreshnessAndStaleness() {
        func decided(_ rule: TTLRule, within seconds: Int, _ fields: String = "") -> Lifetime? {
            let facts = ResponseFacts(status: 200, fields: Array(fields.utf8).span)
            return StoreDecision.decide(
                RequestFacts(), facts, rule: rule, notFound: .off, within: seconds, now: noon
            ).lifetime
        }
        let rule = TTLRule.fixed(60, stale: 600)
        #expect(decided(rule, within: 0) == Lifetime(freshFor: 0, staleIfErrorFor: 600))
        #expect(decided(rule, within: 7) == Lifetime(freshFor: 7, staleIfErrorFor: 600))
        #expect(decided(rule, within: 100) == Lifetime(freshFor: 60, staleFor: 40, staleIfErrorFor: 600))
        #expect(decided(rule, within: 1000) == Lifetime(freshFor: 60, staleFor: 600))
        let aged = decided(.upstream, within: 5, "Cache-Control: max-age=60, stale-while-revalidate=9\r\nAge: 30\r\n")
        #expect(aged?.freshFor == 35 && aged?.staleFor == 0 && aged?.initialAge == 30)
    }

    /// A 400 that came 1,476 times went to the origin 1,476 times.
    @Test func aBadRequestHasARuleOfItsOwnUnlessItIsPersonal() {
        func decided(_ rule: TTLRule, _ badRequest: TTLRule, isPersonal: Bool = false, status: Int = 400)
            -> StoreDecision
        {
            let fields = "Cache-Control: public, max-age=9\r\n"
            return decide(status, fields, rule: rule, notFound: .off, badRequest: badRequest) {
                $0.isPersonal = isPersonal
            }
        }
        let minute = TTLRule.fixed(60, stale: 0)
        #expect(decided(day, minute) == .store(Lifetime(freshFor: 60)))
        #expect(decided(day, .off) == .no(.status))
        #expect(decided(day, .upstream).lifetime?.freshFor == 9)
        #expect(decided(.upstream, minute).lifetime?.freshFor == 9, "classes that follow the origin go on doing so")
        #expect(decided(.off, minute) == .no(.off))
        for rule in [minute, .upstream] { #expect(decided(day, rule, isPersonal: true) == .no(.status)) }
        for (status, reason) in [(401, Reason.unauthorized), (403, .unauthorized), (429, .rateLimited), (405, .status)]
        {
            #expect(decided(day, minute, status: status) == .no(reason))
        }
    }

    @Test func rulesAreKeptApartAndSomeRequestsRefused() {
        func decided(_ rule: TTLRule) -> StoreDecision { decide(rule: rule, notFound: .off) { $0.isPersonal = true } }
        #expect(decided(.off) == .no(.personal))
        #expect(decided(.fixed(30, stale: 0)) == .store(Lifetime(freshFor: 30)))
        for rule in [day, .upstream] {
            #expect(decide(rule: rule) { $0.isGet = false } == .no(.method))
            let decision = decide(rule: rule) { $0.cacheControl.merge(Array("no-store".utf8).span) }
            #expect(decision == .no(.requestNoStore))
        }
        #expect(decide(404, rule: day, notFound: .off) == .no(.off))
        #expect(decide(404, rule: .off, notFound: day) == .no(.off))
        #expect(decide(404, rule: day, notFound: .upstream) == .no(.noFreshness))
        #expect(decide(404, rule: .upstream, notFound: day) == .no(.noFreshness))
    }

    @Test func aPostThatAnswersWhatAGetWouldIsStoredOnTheOriginsWord() {
        func decided(_ fields: String, status: Int = 200, rule: TTLRule = .upstream, isOwn: Bool = true)
            -> StoreDecision
        {
            decide(status, fields, rule: rule) { ($0.isGet, $0.isPostOfItsOwnContent) = (false, isOwn) }
        }
        #expect(decided("Cache-Control: max-age=3600\r\n").lifetime?.freshFor == 3600)
        #expect(decided("Last-Modified: \(date(5))\r\n") == .no(.method))
        #expect(decided("Cache-Control: max-age=3600\r\n", status: 201) == .no(.method))
        #expect(decided("Cache-Control: max-age=3600\r\n", rule: day) == .no(.method))
        #expect(decided("Cache-Control: max-age=3600\r\n", isOwn: false) == .no(.method))
    }
}
