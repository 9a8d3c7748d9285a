import TestSupport
import Testing

@testable import Freshness
@testable import HTTP

/// A response as its bytes, judged under `upstream` at `noon`.
private func decide(
    _ status: Int, _ fields: [String], carriesAuthorization: Bool = false, delay: Int = 0
) throws -> StoreDecision {
    let text = "HTTP/1.1 \(status) X\r\n" + fields.map { $0 + "\r\n" }.joined() + "\r\n"
    let bytes = Array(text.utf8)
    var head = ResponseHead()
    var parser = HeadParser(limits: .response)
    #expect(try parser.parse(bytes.span, into: &head))
    var request = RequestFacts()
    request.requestCarriedAuthorization = carriesAuthorization
    var facts = ResponseFacts(status: head.status)
    for field in head.fields { facts.merge(field.id, bytes.span.extracting(field.value.range)) }
    facts.responseDelay = delay
    return StoreDecision.decide(request, facts, rule: .upstream, notFound: .off, now: noon)
}

/// `freshFor` where stored, the reason's word where not.
private func verdict(_ decision: StoreDecision) -> String {
    switch decision {
    case .store(let lifetime): "\(lifetime.freshFor)-\(lifetime.initialAge)"
    case .no(let reason): reason.text
    }
}

struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let fields: [String]
    let expected: String
    let (status, carriesAuthorization): (Int, Bool)

    /// - Parameter expected: `freshFor-initialAge`, or a reason.
    init(
        _ name: String, _ fields: [String], _ expected: String, status: Int = 200, carriesAuthorization: Bool = false
    ) {
        (testDescription, self.fields, self.expected) = (name, fields, expected)
        (self.status, self.carriesAuthorization) = (status, carriesAuthorization)
    }
}

@Suite struct RFC9111Tests {
    private static let (minute, tag, cookie) = ("Cache-Control: max-age=60", "ETag: \"a\"", "Set-Cookie: a=b")
    private static let ahead = "Expires: \(date(noon + 99))"
    private static let lastModified = "Last-Modified: \(date(noon - 100_000))"

    static let freshness: [Case] = [
        Case("nothing said", [], "no-freshness"),
        Case("max-age", [minute], "60-0"),
        Case("s-maxage beats max-age", ["Cache-Control: max-age=60, s-maxage=10"], "10-0"),
        Case("s-maxage longer", ["Cache-Control: s-maxage=100", "Cache-Control: max-age=0"], "100-0"),
        Case("max-age beats Expires", [minute, "Expires: 0"], "60-0"),
        Case("max-age=0", ["Cache-Control: max-age=0", ahead], "no-freshness"),
        Case("huge max-age", ["Cache-Control: max-age=99999999999"], "2147483648-0"),
        Case("Expires minus Date", ["Expires: \(date(noon + 50))", "Date: \(date(noon - 50))"], "100-50"),
        Case("Expires without Date", ["Expires: \(date(noon + 50))"], "50-0"),
        Case("Expires, Date invalid", ["Expires: \(date(noon + 50))", "Date: yesterday"], "50-0"),
        Case("both clocks fast", ["Expires: \(date(noon + 50))", "Date: \(date(noon + 60))"], "no-freshness"),
        Case("Expires 0", ["Expires: 0"], "no-freshness"),
        Case("two Expires", ["Expires: \(date(noon + 50))", "Expires: \(date(noon + 50))"], "no-freshness"),
        Case("Age", [minute, "Age: 20"], "60-20"),
        Case("too old", [minute, "Age: 60"], "no-freshness"),
        Case("Age, first counts", [minute, "Age: 0", "Age: 99"], "60-0"),
        Case("Age, first of a list", [minute, "Age: 7, 99"], "60-7"),
        Case("Age, a list that ends lower", [minute, "Age: 3600, 0"], "no-freshness"),
        Case("Age no number", [minute, "Age: old"], "60-0"),
        Case("Age of a no-number line first", [minute, "Age: old", "Age: 99"], "60-0"),
        Case("Age beyond 31 bits", [minute, "Age: 2147483649"], "no-freshness"),
        Case("apparent age", [minute, "Date: \(date(noon - 30))", "Age: 3"], "60-30"),
        Case("heuristic", [lastModified], "10000-0"),
        Case("heuristic is capped", ["Last-Modified: \(date(noon - 900_000_000))"], "86400-0"),
        Case("Last-Modified ahead", ["Last-Modified: \(date(noon + 60))"], "0-0"),
        Case("of two tags the first counts, which is none", ["ETag: a", tag], "no-freshness"),
        Case("of two tags the first counts, which is one", [tag, "ETag: b"], "0-0"),
        Case("an empty tag is none", ["ETag:", tag], "0-0"),
        Case("validator only", [tag], "0-0"),
        Case("stale with validator", ["Cache-Control: max-age=0", tag], "0-0"),
    ]

    static let storing: [Case] = [
        Case("no-store", ["Cache-Control: nO-StOrE, max-age=60"], "no-store"),
        Case("private", ["Cache-Control: private, max-age=60"], "private"),
        Case("private with fields", ["Cache-Control: private=\"x\", max-age=60"], "private"),
        Case("no-cache", ["Cache-Control: no-cache, max-age=60", tag], "0-0"),
        Case("no-cache for a field", ["Cache-Control: no-cache=\"a\"", minute], "no-freshness"),
        Case("Set-Cookie, public", [cookie, "Cache-Control: public, max-age=60"], "60-0"),
        Case("Set-Cookie, fresh", [cookie, minute], "set-cookie"),
        Case("Set-Cookie, s-maxage", [cookie, "Cache-Control: s-maxage=60"], "set-cookie"),
        Case("Set-Cookie, a guess", [cookie, lastModified], "set-cookie"),
        Case("Set-Cookie, only a validator", [cookie, tag], "set-cookie"),
        Case("Set-Cookie, stale", [cookie, tag, "Cache-Control: public, max-age=60", "Age: 60"], "set-cookie"),
        Case("Set-Cookie, no-cache", [cookie, tag, "Cache-Control: public, max-age=60, no-cache"], "set-cookie"),
        Case("no-cache, no validator", ["Cache-Control: no-cache, max-age=60"], "no-freshness"),
        Case("must-understand", ["Cache-Control: no-store, must-understand, max-age=60"], "60-0"),
        Case("not understood", ["Cache-Control: no-store, must-understand, max-age=60"], "no-store", status: 599),
        Case("Authorization", [minute], "authorization", carriesAuthorization: true),
        Case("Authorization, public", ["Cache-Control: max-age=60, public"], "60-0", carriesAuthorization: true),
        Case(
            "Authorization, must-revalidate", ["Cache-Control: max-age=60, must-revalidate"],
            "60-0", carriesAuthorization: true),
        Case("Authorization, s-maxage", ["Cache-Control: s-maxage=60"], "60-0", carriesAuthorization: true),
        Case("Vary by what is always the same", [minute, "Vary: Accept-Encoding, accept-encoding"], "60-0"),
        Case("Vary by what none carries", [minute, "Vary: accept-encoding, origin, Cookie, Music-User-Token"], "60-0"),
        Case("Vary by Authorization", [minute, "Vary: Authorization"], "vary"),
        Case("Vary star", [minute, "Vary: *"], "vary"),
        Case("Vary by fields", [minute, "Vary: Accept-Encoding, Foo, Bar"], "60-0"),
        Case("206", [minute], "partial-content", status: 206),
        Case("401", [minute], "unauthorized", status: 401),
        Case("429", [minute], "rate-limited", status: 429),
    ]

    static let targeted: [Case] = [
        Case("CDN max-age", ["CDN-Cache-Control: max-age=3600"], "3600-0"),
        Case("CDN huge", ["CDN-Cache-Control: max-age=99999999999"], "2147483648-0"),
        Case("CDN, too old", ["CDN-Cache-Control: max-age=60", "Age: 60"], "no-freshness"),
        Case("CDN space before =", ["Cache-Control: max-age=1", "CDN-Cache-Control: max-age =100"], "1-0"),
        Case("CDN space after =", ["Cache-Control: max-age=1", "CDN-Cache-Control: max-age= 100"], "1-0"),
        Case("CDN max-age=0, Expires ahead", ["CDN-Cache-Control: max-age=0", ahead], "no-freshness"),
        Case("CDN, Expires past", ["CDN-Cache-Control: max-age=60", "Expires: \(date(noon - 99))"], "60-0"),
        Case("CDN, Expires invalid", ["CDN-Cache-Control: max-age=60", "Expires: 0"], "60-0"),
        Case("CDN longer", ["Cache-Control: max-age=1", "CDN-Cache-Control: max-age=60"], "60-0"),
        Case("CDN shorter", [minute, "CDN-Cache-Control: max-age=1"], "1-0"),
        Case("CDN extension", ["CDN-Cache-Control: foobar, max-age=60"], "60-0"),
        Case("CDN private", ["CDN-Cache-Control: private", minute], "private"),
        Case("CDN no-cache", ["CDN-Cache-Control: no-cache", minute, ahead], "no-freshness"),
        Case("CDN no-store", [minute, "CDN-Cache-Control: no-store"], "no-store"),
        Case("CDN fresh, no-store for others", ["Cache-Control: no-store", "CDN-Cache-Control: max-age=60"], "60-0"),
        Case(
            "CDN invalid, unknown type", ["CDN-Cache-Control: max-age=60, &&&&&", "Cache-Control: no-store"],
            "no-store"),
        Case("CDN invalid, wrong type", ["CDN-Cache-Control: max-age=\"60\"", "Cache-Control: no-store"], "no-store"),
        Case("CDN empty", ["CDN-Cache-Control: ", minute], "60-0"),
        Case("CDN capitals", ["CDN-Cache-Control: MaX-aGe=3600", minute], "60-0"),
        Case("CDN without a lifetime, others have one", ["CDN-Cache-Control: foo", minute, ahead], "no-freshness"),
    ]

    @Test(arguments: freshness + storing + targeted)
    func followsTheRFC(_ each: Case) throws {
        let decision = try decide(each.status, each.fields, carriesAuthorization: each.carriesAuthorization)
        #expect(verdict(decision) == each.expected)
    }

    @Test(arguments: [200, 203, 204, 299, 301, 302, 303, 307, 308, 400, 404, 410, 499, 500, 502, 503, 504, 599])
    func anyFinalStatusWithExplicitFreshnessIsStored(status: Int) throws {
        #expect(verdict(try decide(status, ["Cache-Control: max-age=60"])) == "60-0")
    }

    @Test(arguments: [200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501])
    func heuristicsApplyToTheseStatuses(status: Int) throws {
        #expect(verdict(try decide(status, [Self.lastModified])) == "10000-0")
    }

    @Test(arguments: [201, 202, 302, 303, 307, 400, 500, 502, 503, 504, 599])
    func heuristicsApplyToOthersOnlyIfPublic(status: Int) throws {
        #expect(verdict(try decide(status, [Self.lastModified])) == (status >= 500 ? "server-error" : "status"))
        #expect(verdict(try decide(status, [Self.lastModified, "Cache-Control: public"])) == "10000-0")
    }

    @Test func theDelayOfTheAnswerCountsAsAge() throws {
        #expect(verdict(try decide(200, ["Cache-Control: max-age=60", "Age: 5"], delay: 3)) == "60-8")
    }

    @Test(arguments: [
        ("max-age=60", 0, 86_400), ("max-age=60, stale-while-revalidate=30", 30, 86_400),
        ("max-age=60, stale-if-error=9", 0, 9), ("max-age=60, stale-while-revalidate=30, stale-if-error=9", 30, 9),
        ("max-age=60, stale-while-revalidate=30, must-revalidate", 0, 0),
        ("max-age=60, stale-if-error=30, proxy-revalidate", 0, 0), ("s-maxage=60, stale-if-error=30", 0, 0),
        ("max-age=60, stale-while-revalidate=30, no-cache", 0, 0),
    ])
    func stalenessIsAllowedAsSaid(directives: String, staleFor: Int, staleIfErrorFor: Int) throws {
        let lifetime = try #require(try decide(200, ["Cache-Control: \(directives)", "ETag: \"a\""]).lifetime)
        #expect(lifetime.staleFor == staleFor && lifetime.staleIfErrorFor == staleIfErrorFor)
        #expect(lifetime.keepFor == 86_400)
    }

    @Test(arguments: [
        "no-cache, max-age=60", "max-age=0, must-revalidate", "s-maxage=0", "max-age=0, proxy-revalidate",
    ])
    func anAnswerToRevalidateIsKeptAndNotServed(directives: String) throws {
        let lifetime = try #require(try decide(200, ["Cache-Control: \(directives)", "ETag: \"a\""]).lifetime)
        let stored = Answer(lifetime)
        for second: Int64 in [-100_000, -61, -60, 0, 1, 59, 100, 86_399, 86_400] {
            #expect(Freshness.of(stored, at: noon + second) == .expired)
            #expect(!stored.canStandIn(at: noon + second), "\(second)")
        }
    }

    @Test func noDatesTrap() throws {
        var generator = SeededGenerator(seed: 3)
        for _ in 0..<2_000 {
            var facts = ResponseFacts(status: 200)
            facts.date = Int64.random(in: .min ... .max, using: &generator)
            facts.expires = .at(Int64.random(in: .min ... .max, using: &generator))
            facts.lastModified = Int64.random(in: .min ... .max, using: &generator)
            facts.age = Int.random(in: .min ... .max, using: &generator)
            let decision = StoreDecision.decide(RequestFacts(), facts, rule: .upstream, notFound: .off, now: noon)
            #expect((0...Lifetime.longest).contains(decision.lifetime?.freshFor ?? 0))
        }
    }
}
