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

@Suite struct RFC9111Tests {
    private static let (minute, tag, cookie) = ("Cache-Control: max-age=60", "ETag: \"a\"", "Set-Cookie: a=b")
    private static let ahead = "Expires: \(date(noon + 99))"
    private static let lastModified = "Last-Modified: \(date(noon - 100_000))"

    /// `freshFor-initialAge`, or a reason.
    private typealias Case = (name: String, fields: [String], expected: String)

    private static let freshness: [Case] = [
        ("nothing said", [], "no-freshness"), ("max-age", [minute], "60-0"),
        ("s-maxage beats max-age", ["Cache-Control: max-age=60, s-maxage=10"], "10-0"),
        ("s-maxage longer", ["Cache-Control: s-maxage=100", "Cache-Control: max-age=0"], "100-0"),
        ("max-age beats Expires", [minute, "Expires: 0"], "60-0"),
        ("max-age=0", ["Cache-Control: max-age=0", ahead], "no-freshness"),
        ("huge max-age", ["Cache-Control: max-age=99999999999"], "2147483648-0"),
        ("Expires minus Date", ["Expires: \(date(noon + 50))", "Date: \(date(noon - 50))"], "100-50"),
        ("Expires without Date", ["Expires: \(date(noon + 50))"], "50-0"),
        ("Expires, Date invalid", ["Expires: \(date(noon + 50))", "Date: yesterday"], "50-0"),
        ("both clocks fast", ["Expires: \(date(noon + 50))", "Date: \(date(noon + 60))"], "no-freshness"),
        ("Expires 0", ["Expires: 0"], "no-freshness"),
        ("two Expires", ["Expires: \(date(noon + 50))", "Expires: \(date(noon + 50))"], "no-freshness"),
        ("Age", [minute, "Age: 20"], "60-20"), ("too old", [minute, "Age: 60"], "no-freshness"),
        ("Age, first counts", [minute, "Age: 0", "Age: 99"], "60-0"),
        ("Age, first of a list", [minute, "Age: 7, 99"], "60-7"),
        ("Age, a list that ends lower", [minute, "Age: 3600, 0"], "no-freshness"),
        ("Age no number", [minute, "Age: old"], "60-0"),
        ("Age with a parameter", [minute, "Age: 7200;foo=bar"], "60-0"),
        ("Age below nought", [minute, "Age: -7200"], "60-0"),
        ("Age with a fraction", [minute, "Age: 7200.0"], "60-0"),
        ("Age of a no-number line first", [minute, "Age: old", "Age: 99"], "60-0"),
        ("Age beyond 31 bits", [minute, "Age: 2147483649"], "no-freshness"),
        ("apparent age", [minute, "Date: \(date(noon - 30))", "Age: 3"], "60-30"),
        ("heuristic", [lastModified], "10000-0"),
        ("heuristic is capped", ["Last-Modified: \(date(noon - 900_000_000))"], "86400-0"),
        ("Expires past, no guess", ["Expires: \(date(noon - 5_000))", lastModified, "Date: \(date(noon))"], "-5000-0"),
        ("Pragma", [minute, "Pragma: no-cache"], "60-0"),
        ("Last-Modified ahead", ["Last-Modified: \(date(noon + 60))"], "0-0"),
        ("of two tags the first counts, which is none", ["ETag: a", tag], "no-freshness"),
        ("of two tags the first counts, which is one", [tag, "ETag: b"], "0-0"),
        ("an empty tag is none", ["ETag:", tag], "0-0"), ("validator only", [tag], "0-0"),
        ("stale with validator", ["Cache-Control: max-age=0", tag], "0-0"),
    ]

    private static let storing: [Case] = [
        ("no-store", ["Cache-Control: nO-StOrE, max-age=60"], "no-store"),
        ("private", ["Cache-Control: private, max-age=60"], "private"),
        ("private with fields", ["Cache-Control: private=\"x\", max-age=60"], "private"),
        ("no-cache", ["Cache-Control: no-cache, max-age=60", tag], "0-0"),
        ("no-cache for a field", ["Cache-Control: no-cache=\"a\"", minute], "no-freshness"),
        ("Set-Cookie, public", [cookie, "Cache-Control: public, max-age=60"], "60-0"),
        ("Set-Cookie, fresh", [cookie, minute], "set-cookie"),
        ("Set-Cookie, s-maxage", [cookie, "Cache-Control: s-maxage=60"], "set-cookie"),
        ("Set-Cookie, a guess", [cookie, lastModified], "set-cookie"),
        ("Set-Cookie, only a validator", [cookie, tag], "set-cookie"),
        ("Set-Cookie, stale", [cookie, tag, "Cache-Control: public, max-age=60", "Age: 60"], "set-cookie"),
        ("Set-Cookie, no-cache", [cookie, tag, "Cache-Control: public, max-age=60, no-cache"], "set-cookie"),
        ("no-cache, no validator", ["Cache-Control: no-cache, max-age=60"], "no-freshness"),
        ("must-understand", ["Cache-Control: no-store, must-understand, max-age=60"], "60-0"),
        ("Vary by what is always the same", [minute, "Vary: Accept-Encoding, accept-encoding"], "60-0"),
        ("Vary by what none carries", [minute, "Vary: accept-encoding, origin, Cookie, Music-User-Token"], "60-0"),
        ("Vary by Authorization", [minute, "Vary: Authorization"], "vary"),
        ("Vary star", [minute, "Vary: *"], "vary"),
        ("Vary by fields", [minute, "Vary: Accept-Encoding, Foo, Bar"], "60-0"),
    ]

    private static let targeted: [Case] = [
        ("CDN max-age", ["CDN-Cache-Control: max-age=3600"], "3600-0"),
        ("CDN huge", ["CDN-Cache-Control: max-age=99999999999"], "2147483648-0"),
        ("CDN, too old", ["CDN-Cache-Control: max-age=60", "Age: 60"], "no-freshness"),
        ("CDN space before =", ["Cache-Control: max-age=1", "CDN-Cache-Control: max-age =100"], "1-0"),
        ("CDN space after =", ["Cache-Control: max-age=1", "CDN-Cache-Control: max-age= 100"], "1-0"),
        ("CDN max-age=0, Expires ahead", ["CDN-Cache-Control: max-age=0", ahead], "no-freshness"),
        ("CDN, Expires past", ["CDN-Cache-Control: max-age=60", "Expires: \(date(noon - 99))"], "60-0"),
        ("CDN, Expires invalid", ["CDN-Cache-Control: max-age=60", "Expires: 0"], "60-0"),
        ("CDN longer", ["Cache-Control: max-age=1", "CDN-Cache-Control: max-age=60"], "60-0"),
        ("CDN shorter", [minute, "CDN-Cache-Control: max-age=1"], "1-0"),
        ("CDN extension", ["CDN-Cache-Control: foobar, max-age=60"], "60-0"),
        ("CDN private", ["CDN-Cache-Control: private", minute], "private"),
        ("CDN no-cache", ["CDN-Cache-Control: no-cache", minute, ahead], "no-freshness"),
        ("CDN no-store", [minute, "CDN-Cache-Control: no-store"], "no-store"),
        ("CDN fresh, no-store for others", ["Cache-Control: no-store", "CDN-Cache-Control: max-age=60"], "60-0"),
        (
            "CDN invalid, unknown type", ["CDN-Cache-Control: max-age=60, &&&&&", "Cache-Control: no-store"],
            "no-store"
        ),
        ("CDN invalid, wrong type", ["CDN-Cache-Control: max-age=\"60\"", "Cache-Control: no-store"], "no-store"),
        ("CDN empty", ["CDN-Cache-Control: ", minute], "60-0"),
        ("CDN capitals", ["CDN-Cache-Control: MaX-aGe=3600", minute], "60-0"),
        ("CDN without a lifetime, others have one", ["CDN-Cache-Control: foo", minute, ahead], "no-freshness"),
    ]

    @Test func followsTheRFC() throws {
        for (name, fields, expected) in Self.freshness + Self.storing + Self.targeted {
            #expect(verdict(try decide(200, fields)) == expected, "\(name)")
        }
        for (directives, expected) in [
            ("max-age=60", "authorization"), ("max-age=60, public", "60-0"), ("max-age=60, must-revalidate", "60-0"),
            ("s-maxage=60", "60-0"),
        ] {
            let decision = try decide(200, ["Cache-Control: \(directives)"], carriesAuthorization: true)
            #expect(verdict(decision) == expected, "Authorization, \(directives)")
        }
        // 412, 416 and 417 answer the conditions and the range of one request.
        for (status, expected) in [
            (206, "partial-content"), (401, "unauthorized"), (412, "status"), (416, "status"), (417, "status"),
            (429, "rate-limited"),
        ] {
            #expect(verdict(try decide(status, [Self.minute])) == expected, "\(status)")
        }
        let unknown = try decide(599, ["Cache-Control: no-store, must-understand, max-age=60"])
        #expect(verdict(unknown) == "no-store", "a status that is not understood")
    }

    /// An answer whose `Expires` was a day in the past was served stale for as long as one that
    /// ends now (4.2.4).
    @Test func stalenessCountsFromExpiresAlsoBeforeTheDate() throws {
        let fields = [Self.tag, "Expires: \(date(noon - 100))", "Date: \(date(noon))"]
        let lifetime = try #require(
            try decide(200, fields + ["Cache-Control: stale-while-revalidate=130, stale-if-error=200"]).lifetime)
        let answer = Answer(lifetime)
        #expect(Freshness.of(answer, at: noon) == .stale(since: 100) && answer.age(at: noon) == 0)
        #expect(Freshness.of(answer, at: noon + 29) == .stale(since: 129))
        #expect(Freshness.of(answer, at: noon + 30) == .expired)
        #expect(answer.canStandIn(at: noon + 99) && !answer.canStandIn(at: noon + 100))
        // It is kept for a confirmation from when it came.
        #expect(answer.isUseful(at: noon + 86_399) && !answer.isUseful(at: noon + 86_400))
        // A time that means no time.
        let never = Answer(try #require(try decide(200, [Self.tag, "Expires: \(date(0))"]).lifetime))
        #expect(Freshness.of(never, at: noon) == .expired && !never.canStandIn(at: noon))
        #expect(never.isUseful(at: noon + 86_399))
        let yearOne = try decide(200, [Self.tag, "Expires: Mon, 01 Jan 0001 00:00:00 GMT"])
        let first = Answer(try #require(yearOne.lifetime))
        #expect(first.isUseful(at: noon + 86_399) && !first.canStandIn(at: noon))
        // The same time under another rule, after a soft purge, and as a parent says.
        #expect(lifetime.within(lifetime) == lifetime)
        #expect(lifetime.withoutFreshness(atAge: 7) == lifetime)
        #expect(lifetime.stale(for: 100) == lifetime && lifetime.stale(for: 120).freshFor == -120)
    }

    @Test func explicitFreshnessIsEnoughAndHeuristicsDependOnTheStatus() throws {
        for status in [200, 203, 204, 299, 301, 302, 303, 307, 308, 400, 404, 410, 499, 500, 502, 503, 504, 599] {
            #expect(verdict(try decide(status, [Self.minute])) == "60-0", "\(status)")
        }
        for status in [200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501] {
            #expect(verdict(try decide(status, [Self.lastModified])) == "10000-0", "\(status)")
        }
        // To others they apply only if they are public.
        for status in [201, 202, 302, 303, 307, 400, 500, 502, 503, 504, 599] {
            let refusal = status >= 500 ? "server-error" : "status"
            #expect(verdict(try decide(status, [Self.lastModified])) == refusal, "\(status)")
            let isPublic = [Self.lastModified, "Cache-Control: public"]
            #expect(verdict(try decide(status, isPublic)) == "10000-0", "\(status)")
        }
        #expect(verdict(try decide(200, [Self.minute, "Age: 5"], delay: 3)) == "60-8", "the delay counts as age")
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
            #expect((1 - Lifetime.longest...Lifetime.longest).contains(decision.lifetime?.freshFor ?? 0))
        }
    }
}
