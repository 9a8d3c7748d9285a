import HTTP
import TestSupport
import Testing

@testable import Cache

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
    let name: String
    var status = 200
    var fields: [String]
    var carriesAuthorization = false
    /// `freshFor-initialAge`, or a reason.
    let expected: String
    var testDescription: String { name }
}

@Suite struct RFC9111Tests {
    private static let lastModified = "Last-Modified: \(date(noon - 100_000))"

    static let freshness: [Case] = [
        Case(name: "nothing said", fields: [], expected: "no-freshness"),
        Case(name: "max-age", fields: ["Cache-Control: max-age=60"], expected: "60-0"),
        Case(name: "s-maxage beats max-age", fields: ["Cache-Control: max-age=60, s-maxage=10"], expected: "10-0"),
        Case(
            name: "s-maxage longer", fields: ["Cache-Control: s-maxage=100", "Cache-Control: max-age=0"],
            expected: "100-0"),
        Case(name: "max-age beats Expires", fields: ["Cache-Control: max-age=60", "Expires: 0"], expected: "60-0"),
        Case(
            name: "max-age=0", fields: ["Cache-Control: max-age=0", "Expires: \(date(noon + 99))"],
            expected: "no-freshness"),
        Case(name: "huge max-age", fields: ["Cache-Control: max-age=99999999999"], expected: "2147483648-0"),
        Case(
            name: "Expires minus Date", fields: ["Expires: \(date(noon + 50))", "Date: \(date(noon - 50))"],
            expected: "100-50"),
        Case(name: "Expires without Date", fields: ["Expires: \(date(noon + 50))"], expected: "50-0"),
        Case(
            name: "Expires, Date invalid", fields: ["Expires: \(date(noon + 50))", "Date: yesterday"], expected: "50-0"),
        Case(
            name: "both clocks fast", fields: ["Expires: \(date(noon + 50))", "Date: \(date(noon + 60))"],
            expected: "no-freshness"),
        Case(name: "Expires 0", fields: ["Expires: 0"], expected: "no-freshness"),
        Case(
            name: "two Expires", fields: ["Expires: \(date(noon + 50))", "Expires: \(date(noon + 50))"],
            expected: "no-freshness"),
        Case(name: "Age", fields: ["Cache-Control: max-age=60", "Age: 20"], expected: "60-20"),
        Case(name: "too old", fields: ["Cache-Control: max-age=60", "Age: 60"], expected: "no-freshness"),
        Case(name: "Age, first counts", fields: ["Cache-Control: max-age=60", "Age: 0", "Age: 99"], expected: "60-0"),
        Case(name: "Age, first of a list", fields: ["Cache-Control: max-age=60", "Age: 7, 99"], expected: "60-7"),
        Case(
            name: "Age, a list that ends lower", fields: ["Cache-Control: max-age=60", "Age: 3600, 0"],
            expected: "no-freshness"),
        Case(name: "Age no number", fields: ["Cache-Control: max-age=60", "Age: old"], expected: "60-0"),
        Case(
            name: "Age of a no-number line first", fields: ["Cache-Control: max-age=60", "Age: old", "Age: 99"],
            expected: "60-0"),
        Case(
            name: "Age beyond 31 bits", fields: ["Cache-Control: max-age=60", "Age: 2147483649"],
            expected: "no-freshness"),
        Case(
            name: "apparent age", fields: ["Cache-Control: max-age=60", "Date: \(date(noon - 30))", "Age: 3"],
            expected: "60-30"),
        Case(name: "heuristic", fields: [lastModified], expected: "10000-0"),
        Case(name: "heuristic is capped", fields: ["Last-Modified: \(date(noon - 900_000_000))"], expected: "86400-0"),
        Case(name: "Last-Modified ahead", fields: ["Last-Modified: \(date(noon + 60))"], expected: "0-0"),
        Case(
            name: "of two tags the first counts, which is none", fields: ["ETag: a", "ETag: \"a\""],
            expected: "no-freshness"),
        Case(name: "of two tags the first counts, which is one", fields: ["ETag: \"a\"", "ETag: b"], expected: "0-0"),
        Case(name: "an empty tag is none", fields: ["ETag:", "ETag: \"a\""], expected: "0-0"),
        Case(name: "validator only", fields: ["ETag: \"a\""], expected: "0-0"),
        Case(name: "stale with validator", fields: ["Cache-Control: max-age=0", "ETag: \"a\""], expected: "0-0"),
    ]

    static let storing: [Case] = [
        Case(name: "no-store", fields: ["Cache-Control: nO-StOrE, max-age=60"], expected: "no-store"),
        Case(name: "private", fields: ["Cache-Control: private, max-age=60"], expected: "private"),
        Case(name: "private with fields", fields: ["Cache-Control: private=\"x\", max-age=60"], expected: "private"),
        Case(name: "no-cache", fields: ["Cache-Control: no-cache, max-age=60", "ETag: \"a\""], expected: "0-0"),
        Case(
            name: "no-cache for a field", fields: ["Cache-Control: no-cache=\"a\"", "Cache-Control: max-age=60"],
            expected: "no-freshness"),
        Case(
            name: "Set-Cookie in an answer that is fresh by the origin's word",
            fields: ["Set-Cookie: a=b", "Cache-Control: max-age=60"], expected: "60-0"),
        Case(name: "Set-Cookie, a guess", fields: ["Set-Cookie: a=b", lastModified], expected: "set-cookie"),
        Case(name: "Set-Cookie, only a validator", fields: ["Set-Cookie: a=b", "ETag: \"a\""], expected: "set-cookie"),
        Case(
            name: "Set-Cookie, stale",
            fields: ["Set-Cookie: a=b", "ETag: \"a\"", "Cache-Control: max-age=60", "Age: 60"],
            expected: "set-cookie"),
        Case(
            name: "Set-Cookie, no-cache",
            fields: ["Set-Cookie: a=b", "ETag: \"a\"", "Cache-Control: max-age=60, no-cache"],
            expected: "set-cookie"),
        Case(name: "no-cache, no validator", fields: ["Cache-Control: no-cache, max-age=60"], expected: "no-freshness"),
        Case(
            name: "must-understand", fields: ["Cache-Control: no-store, must-understand, max-age=60"], expected: "60-0"),
        Case(
            name: "not understood", status: 599, fields: ["Cache-Control: no-store, must-understand, max-age=60"],
            expected: "no-store"),
        Case(
            name: "Authorization", fields: ["Cache-Control: max-age=60"], carriesAuthorization: true,
            expected: "authorization"),
        Case(
            name: "Authorization, public", fields: ["Cache-Control: max-age=60, public"], carriesAuthorization: true,
            expected: "60-0"),
        Case(
            name: "Authorization, must-revalidate", fields: ["Cache-Control: max-age=60, must-revalidate"],
            carriesAuthorization: true, expected: "60-0"),
        Case(
            name: "Authorization, s-maxage", fields: ["Cache-Control: s-maxage=60"], carriesAuthorization: true,
            expected: "60-0"),
        Case(
            name: "Vary by what is always the same",
            fields: ["Cache-Control: max-age=60", "Vary: Accept-Encoding, accept-encoding"], expected: "60-0"),
        Case(
            name: "Vary by what shared requests never carry",
            fields: ["Cache-Control: max-age=60", "Vary: accept-encoding, origin, Cookie, Music-User-Token"],
            expected: "60-0"),
        Case(
            name: "Vary by Authorization", fields: ["Cache-Control: max-age=60", "Vary: Authorization"],
            expected: "vary"),
        Case(name: "Vary star", fields: ["Cache-Control: max-age=60", "Vary: *"], expected: "vary"),
        Case(name: "Vary two stars", fields: ["Cache-Control: max-age=60", "Vary: *, *"], expected: "vary"),
        Case(
            name: "Vary two stars in two lines", fields: ["Cache-Control: max-age=60", "Vary: *", "Vary: *"],
            expected: "vary"),
        Case(name: "Vary empty and star", fields: ["Cache-Control: max-age=60", "Vary: , *"], expected: "vary"),
        Case(
            name: "Vary empty line and star", fields: ["Cache-Control: max-age=60", "Vary: ", "Vary: *"],
            expected: "vary"),
        Case(name: "Vary star, name", fields: ["Cache-Control: max-age=60", "Vary: *, Foo"], expected: "vary"),
        Case(name: "Vary name, star", fields: ["Cache-Control: max-age=60", "Vary: Foo, *"], expected: "vary"),
        Case(
            name: "Vary star second line", fields: ["Cache-Control: max-age=60", "Vary: Accept-Encoding", "Vary: , *"],
            expected: "vary"),
        Case(
            name: "Vary by fields", fields: ["Cache-Control: max-age=60", "Vary: Accept-Encoding, Foo, Bar"],
            expected: "60-0"),
        Case(name: "206", status: 206, fields: ["Cache-Control: max-age=60"], expected: "partial-content"),
        Case(name: "401", status: 401, fields: ["Cache-Control: max-age=60"], expected: "unauthorized"),
        Case(name: "429", status: 429, fields: ["Cache-Control: max-age=60"], expected: "rate-limited"),
    ]

    static let targeted: [Case] = [
        Case(name: "CDN max-age", fields: ["CDN-Cache-Control: max-age=3600"], expected: "3600-0"),
        Case(name: "CDN huge", fields: ["CDN-Cache-Control: max-age=99999999999"], expected: "2147483648-0"),
        Case(name: "CDN, too old", fields: ["CDN-Cache-Control: max-age=60", "Age: 60"], expected: "no-freshness"),
        Case(
            name: "CDN space before =", fields: ["Cache-Control: max-age=1", "CDN-Cache-Control: max-age =100"],
            expected: "1-0"),
        Case(
            name: "CDN space after =", fields: ["Cache-Control: max-age=1", "CDN-Cache-Control: max-age= 100"],
            expected: "1-0"),
        Case(
            name: "CDN max-age=0, Expires ahead",
            fields: ["CDN-Cache-Control: max-age=0", "Expires: \(date(noon + 99))"], expected: "no-freshness"),
        Case(
            name: "CDN, Expires past", fields: ["CDN-Cache-Control: max-age=60", "Expires: \(date(noon - 99))"],
            expected: "60-0"),
        Case(
            name: "CDN, Expires invalid", fields: ["CDN-Cache-Control: max-age=60", "Expires: 0"], expected: "60-0"),
        Case(
            name: "CDN longer", fields: ["Cache-Control: max-age=1", "CDN-Cache-Control: max-age=60"], expected: "60-0"),
        Case(
            name: "CDN shorter", fields: ["Cache-Control: max-age=60", "CDN-Cache-Control: max-age=1"],
            expected: "1-0"),
        Case(name: "CDN extension", fields: ["CDN-Cache-Control: foobar, max-age=60"], expected: "60-0"),
        Case(
            name: "CDN private", fields: ["CDN-Cache-Control: private", "Cache-Control: max-age=60"],
            expected: "private"),
        Case(
            name: "CDN no-cache",
            fields: ["CDN-Cache-Control: no-cache", "Cache-Control: max-age=60", "Expires: \(date(noon + 99))"],
            expected: "no-freshness"),
        Case(
            name: "CDN no-store", fields: ["Cache-Control: max-age=60", "CDN-Cache-Control: no-store"],
            expected: "no-store"),
        Case(
            name: "CDN fresh, no-store for others",
            fields: ["Cache-Control: no-store", "CDN-Cache-Control: max-age=60"], expected: "60-0"),
        Case(
            name: "CDN invalid, unknown type",
            fields: ["CDN-Cache-Control: max-age=60, &&&&&", "Cache-Control: no-store"], expected: "no-store"),
        Case(
            name: "CDN invalid, wrong type",
            fields: ["CDN-Cache-Control: max-age=\"60\"", "Cache-Control: no-store"], expected: "no-store"),
        Case(name: "CDN empty", fields: ["CDN-Cache-Control: ", "Cache-Control: max-age=60"], expected: "60-0"),
        Case(
            name: "CDN capitals", fields: ["CDN-Cache-Control: MaX-aGe=3600", "Cache-Control: max-age=60"],
            expected: "60-0"),
        Case(
            name: "CDN without a lifetime takes none of the others'",
            fields: ["CDN-Cache-Control: foo", "Cache-Control: max-age=60", "Expires: \(date(noon + 99))"],
            expected: "no-freshness"),
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
        guard case .store(let lifetime) = try decide(200, ["Cache-Control: \(directives)", "ETag: \"a\""]) else {
            Issue.record("not stored")
            return
        }
        #expect(lifetime.staleFor == staleFor && lifetime.staleIfErrorFor == staleIfErrorFor)
        #expect(lifetime.keepFor == 86_400)
    }

    @Test(arguments: [
        "no-cache, max-age=60", "max-age=0, must-revalidate", "s-maxage=0", "max-age=0, proxy-revalidate",
    ])
    func whatMustBeRevalidatedIsKeptButNothingServesIt(directives: String) throws {
        guard case .store(let lifetime) = try decide(200, ["Cache-Control: \(directives)", "ETag: \"a\""]) else {
            Issue.record("not stored")
            return
        }
        let stored = response("/a", lifetime: lifetime)
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
            if case .store(let lifetime) = StoreDecision.decide(
                RequestFacts(), facts, rule: .upstream, notFound: .off, now: noon)
            {
                #expect((0...Lifetime.longest).contains(lifetime.freshFor))
            }
        }
    }
}
