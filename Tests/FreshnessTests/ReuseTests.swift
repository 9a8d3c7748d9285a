import Testing

@testable import Freshness
@testable import HTTP

// Whether an answer with these fields is given again three seconds later under the origin's own
// rules, case by case as the public suite of caching tests asks (DECISIONS 5). `{n}` is the date n
// seconds from then.

private func withDates(_ field: String) -> String {
    field.replacing(/\{(-?\d+)\}/) { match in date(noon + (Int64(match.1) ?? 0)) }
}

/// What an answer with these fields is granted; nil where it is not stored.
private func grantedLifetime(_ fields: [String], status: Int = 200) -> Lifetime? {
    let lines = fields.map { withDates($0) + "\r\n" }.joined()
    let facts = ResponseFacts(status: status, fields: Array(lines.utf8).span)
    return StoreDecision.decide(RequestFacts(), facts, rule: .upstream, notFound: .off, now: noon).lifetime
}

private func isReused(_ fields: [String], status: Int = 200, after seconds: Int64 = 3) -> Bool {
    guard let lifetime = grantedLifetime(fields, status: status) else { return false }
    return Answer(lifetime).isFresh(at: noon + seconds)
}

@Suite struct ReuseTests {
    @Test(arguments: [
        ["Cache-Control: max-age=3600"], ["Cache-Control: max-age=2147483647"], ["Cache-Control: max-age=2147483648"],
        ["Cache-Control: max-age=2147483649"], ["Cache-Control: max-age=99999999999"],
        ["Cache-Control: max-age=3600", "Expires: {-7200}", "Date: {0}"],
        ["Cache-Control: max-age=3600", "Expires: 0", "Date: {0}"], ["Cache-Control: foobar, max-age=3600"],
        ["Cache-Control: MaX-aGe=3600"], ["Cache-Control: s-maxage=3600"],
        ["Cache-Control: max-age=1, s-maxage=3600"], ["Expires: {-10}", "Cache-Control: max-age=0, s-maxage=3600"],
        ["Cache-Control: max-age=10000, must-revalidate", "ETag: \"abcd\""],
        ["Cache-Control: max-age=100000", "Content-Disposition: attachment; filename=example.txt"],
    ])
    func lifetimesAreTakenFromTheDirectives(fields: [String]) {
        #expect(isReused(fields))
    }

    @Test(arguments: [
        [], ["Cache-Control: max-age=2", "Date: {0}"], ["Cache-Control: max-age=0"],
        ["Date: {0}", "Cache-Control: max-age=3600", "Age: 7200"], ["Date: {-7200}", "Cache-Control: max-age=3600"],
        ["Expires: {3600}", "Cache-Control: max-age=0", "Date: {0}"], ["Cache-Control: max-age=-3600"],
        ["Cache-Control: max-age=3600, s-maxage=1"], ["Cache-Control: s-maxage=1, max-age=3600"],
        ["Cache-Control: max-age=3600", "Cache-Control: s-maxage=1"], ["Cache-Control: private, max-age=3600"],
        ["Cache-Control: no-store"], ["Cache-Control: No-StOrE"],
        ["Cache-Control: max-age=10000, no-store", "Expires: {10000}", "Date: {0}"],
        ["Cache-Control: no-store, max-age=0", "Date: {0}"],
        ["Cache-Control: max-age=10000, No-CaChE", "Expires: {10000}", "Date: {0}"],
        ["Cache-Control: no-cache", "ETag: \"abcd\""],
        ["Cache-Control: max-age=10000, no-cache", "Expires: {10000}", "Date: {0}", "ETag: \"abcd\""],
        ["Cache-Control: max-age=2, must-revalidate", "ETag: \"abcd\""],
    ])
    func whatIsStaleOrForbiddenIsNot(fields: [String]) {
        #expect(!isReused(fields))
    }

    @Test(arguments: [
        // Of two the first counts (RFC 9111 4.2.1).
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
    ])
    func expiresCountsFromDate(fields: [String], expected: Bool) {
        #expect(isReused(fields) == expected)
    }

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
        (5, false), (10, false), (30, false), (60, true), (300, true), (600, true), (1200, true), (1800, true),
        (3600, true), (43_200, true), (86_400, true),
    ])
    func theHeuristicIsATenthOfTheTimeSinceTheLastChange(age: Int, expected: Bool) {
        #expect(isReused(["Last-Modified: {-\(age)}", "Date: {0}"]) == expected)
    }

    @Test(arguments: [
        (200, true), (201, false), (202, false), (203, true), (204, true), (403, false), (404, true), (405, true),
        (410, true), (414, true), (501, true), (502, false), (503, false), (504, false), (599, false),
    ])
    func theHeuristicIsForSomeStatuses(status: Int, expected: Bool) {
        #expect(isReused(["Last-Modified: {-86400}", "Date: {0}"], status: status) == expected)
    }

    @Test func publicAllowsTheHeuristicForAnyStatus() {
        #expect(isReused(["Last-Modified: {-86400}", "Date: {0}", "Cache-Control: public"], status: 599))
    }

    @Test(arguments: [200, 203, 204, 299, 301, 302, 303, 307, 308, 400, 404, 410, 499, 500, 502, 503, 504, 599])
    func anyStatusFollowsWhatIsSaidOfIt(status: Int) {
        #expect(isReused(["Cache-Control: max-age=100000", "Date: {0}"], status: status))
        #expect(!isReused(["Expires: {-5000}", "Last-Modified: {-100000}", "Date: {0}"], status: status))
    }

    @Test func noStoreYieldsWhereTheStatusIsUnderstood() {
        let fields = ["Cache-Control: max-age=3600, no-store, must-understand"]
        #expect(isReused(fields, status: 200) && !isReused(fields, status: 599))
    }

    @Test(arguments: [
        ["Cache-Control: max-age=3600", "Pragma: no-cache"],
        ["Last-Modified: {-10000}", "Date: {0}", "Pragma: no-cache"],
        ["Cache-Control: max-age=3600", "Pragma: unrecognised-extension"],
    ])
    func pragmaMeansNothingInAnswers(fields: [String]) {
        #expect(isReused(fields))
    }

    @Test(arguments: [
        ("max-age=2", true), ("max-age=2, stale-if-error=60", true), ("max-age=2, must-revalidate", false),
        ("max-age=2, proxy-revalidate", false), ("max-age=2, no-cache", false), ("max-age=2, s-maxage=2", false),
    ])
    func aStaleAnswerStandsInUnlessThatIsForbidden(directives: String, expected: Bool) throws {
        let lifetime = try #require(grantedLifetime(["Cache-Control: \(directives)", "ETag: \"a\""]))
        #expect(Answer(lifetime).canStandIn(at: noon + 3) == expected)
    }

    @Test func staleWhileRevalidateHasItsWindow() throws {
        let lifetime = try #require(grantedLifetime(["Cache-Control: max-age=1, stale-while-revalidate=4"]))
        let stored = Answer(lifetime)
        #expect(Freshness.of(stored, at: noon + 3) == .stale(since: 2))
        #expect(Freshness.of(stored, at: noon + 6) == .expired)
    }
}
