import Testing

@testable import Freshness
@testable import HTTP

// Whether an answer with these fields is given again three seconds later under the origin's own
// rules, case by case as the public suite of caching tests asks (DECISIONS 5). `{n}` is the date n
// seconds from then.

private func withDates(_ field: String) -> String {
    field.replacing(/\{(-?\d+)\}/) { match in date(noon + (Int64(match.1) ?? 0)) }
}

private func isReused(_ fields: [String]) -> Bool {
    let lines = fields.map { withDates($0) + "\r\n" }.joined()
    let facts = ResponseFacts(status: 200, fields: Array(lines.utf8).span)
    let decision = StoreDecision.decide(RequestFacts(), facts, rule: .upstream, notFound: .off, now: noon)
    return decision.lifetime.map { Answer($0).isFresh(at: noon + 3) } ?? false
}

@Suite struct ReuseTests {
    @Test(arguments: [
        (["Cache-Control: max-age=2147483647"], true), (["Cache-Control: max-age=2147483648"], true),
        (["Cache-Control: max-age=2147483649"], true), (["Cache-Control: max-age=-3600"], false),
        (["Cache-Control: foobar, max-age=3600"], true), (["Cache-Control: MaX-aGe=3600"], true),
        (["Cache-Control: max-age=2", "Date: {0}"], false), (["Date: {-7200}", "Cache-Control: max-age=3600"], false),
        (["Expires: {-10}", "Cache-Control: max-age=0, s-maxage=3600"], true),
        (["Cache-Control: max-age=10000, no-store", "Expires: {10000}", "Date: {0}"], false),
        (["Cache-Control: max-age=10000, No-CaChE", "Expires: {10000}", "Date: {0}"], false),
    ])
    func directivesSayHowLongAnAnswerIsReused(fields: [String], expected: Bool) {
        #expect(isReused(fields) == expected)
    }

    @Test(arguments: [
        // The first of two counts (RFC 9111 4.2.1).
        ("max-age=1800, max-age=1", true), ("max-age=1, max-age=1800", false), ("max-age=\"3600\"", true),
        ("extension=\"max-age=3600\", max-age=1", false), ("max-age=1, extension=\"max-age=3600\"", false),
        ("max-age =3600", false), ("max-age= 3600", false), ("max-age=003600", true), ("max-age='3600'", false),
        ("max-age=3600.0", false), ("max-age=3600.5", false), ("max-age=a3600", false), ("max-age=3600a", false),
    ])
    func directivesAreParsedWithCare(directives: String, expected: Bool) {
        #expect(isReused(["Cache-Control: \(directives)"]) == expected)
        let lines = directives.split(separator: ", ").map { "Cache-Control: \($0)" }
        #expect(isReused(lines) == expected)
    }

    @Test(arguments: [
        (["abc"], true), (["-7200"], true), (["7200.0"], true), (["2147483647"], false), (["2147483648"], false),
        (["2147483649"], false), (["7200, 0"], false), (["0, 7200"], true), (["7200", "0"], false),
        (["0", "7200"], true), (["0, 0"], true), (["0", "0"], true), (["7200;foo=bar"], true), (["7200;foo=111"], true),
        (["3000", "3000"], true),
    ])
    func ageIsItsFirstNumber(ages: [String], expected: Bool) {
        #expect(isReused(["Date: {0}", "Cache-Control: max-age=3600"] + ages.map { "Age: \($0)" }) == expected)
    }

    @Test(arguments: [
        (["Expires: {2592000}", "Date: {0}"], true), (["Expires: {-2592000}", "Date: {0}"], false),
        (["Expires: {0}", "Date: {0}"], false), (["Expires: {300}", "Date: {400}"], false),
        (["Expires: 0", "Date: {0}"], false), (["Date: foo", "Expires: {10}"], true),
        (["Date: {-10}", "Expires: {10}", "Age: 25"], false), (["Date: {10}", "Expires: {20}", "Age: 15"], false),
        (["Expires: {-5000}", "Last-Modified: {-100000}", "Date: {0}"], false),
    ])
    func expiresCountsFromDate(fields: [String], expected: Bool) { #expect(isReused(fields) == expected) }

    @Test(arguments: [
        ("Tue, 19 Jan 2038 14:14:08 GMT", true), ("Sun, 21 Nov 2286 04:46:39 GMT", true),
        ("Thursday, 18-Aug-50 02:01:18 GMT", true), ("Thu Aug  8 02:01:18 2050", true),
        ("THU, 18 Aug 2050 02:01:18 GMT", true), ("Thu, 18 AUG 2050 02:01:18 GMT", true),
        ("Thu, 18 Aug 2050 02:01:18 gMT", true), ("Thu, 18 Aug 2050 02:01:18 UTC", false),
        ("Thu, 18 Aug 2050 02:01:18 AEST", false), ("Thu, 18 Aug 50 02:01:18 GMT", false),
        ("Thu 18 Aug 2050 02:01:18 GMT", false), ("Thu, 18  Aug  2050 02:01:18 GMT", false),
        ("Thu, 18-Aug-2050 02:01:18 GMT", false), ("Thu, 18 Aug 2050 02.01.18 GMT", false),
        ("Thu, 18 Aug 2050 2:01:18 GMT", false),
    ])
    func expiresIsADateOrThePast(text: String, expected: Bool) {
        #expect(isReused(["Expires: \(text)", "Date: {0}"]) == expected)
        #expect(!isReused(["Expires: \(text)", "Expires: \(text)", "Date: {0}"]))
    }

    @Test(arguments: [
        ["Cache-Control: max-age=3600", "Pragma: no-cache"],
        ["Last-Modified: {-10000}", "Date: {0}", "Pragma: no-cache"],
        ["Cache-Control: max-age=3600", "Pragma: unrecognised-extension"],
    ])
    func pragmaMeansNothingInAnswers(fields: [String]) { #expect(isReused(fields)) }
}
