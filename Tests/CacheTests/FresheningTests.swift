import TestSupport
import Testing

@testable import Cache
@testable import Freshness
@testable import HTTP

private func lines(_ fields: [String]) -> [UInt8] { Array(fields.map { $0 + "\r\n" }.joined().utf8) }

private func fields(_ response: StoredResponse) -> [String] {
    String(decoding: response.fields, as: UTF8.self).split(separator: "\r\n").map(String.init)
}

private func revalidation(
    _ rule: TTLRule = .upstream, after seconds: Int64 = 10, delay: Int = 0, carriesAuthorization: Bool = false
) -> Revalidation {
    var request = RequestFacts()
    request.requestCarriedAuthorization = carriesAuthorization
    return Revalidation(
        request: request, rule: rule, notFound: .fixed(7, stale: 0), badRequest: .off, now: noon + seconds,
        responseDelay: delay)
}

private func freshened(
    _ response: StoredResponse, by fields: [String], _ revalidation: Revalidation = revalidation()
) throws -> StoredResponse {
    try #require(response.freshened(by: lines(fields), revalidation).stored)
}

private func isContradicted(_ response: StoredResponse, by fields: [String]) -> Bool {
    if case .contradicted = response.freshened(by: lines(fields), revalidation()) { true } else { false }
}

private let before = "Date: \(date(noon))"
private let later = "Date: \(date(noon + 10))"
private let (tag, brief) = ("ETag: \"a\"", "Cache-Control: max-age=2")
private let (dated, redated) = ("Last-Modified: \(date(5))", "Last-Modified: \(date(6))")

@Suite struct FresheningTests {
    /// Damaged content was stored anew as zeros, with the lifetime and the tag of the content.
    @Test(.requires(.zlib)) func contentThatCannotBeInflatedIsNotAsGoodAsNew() throws {
        let gzip = Gzip.system
        var coded = try #require(gzip.deflate(Array(String(repeating: "all of it, ", count: 500).utf8)))
        for index in 20..<(coded.count - 8) { coded[index] ^= 0xFF }
        let content = try #require(CodedContent(coded, gzip))
        let old = stored([before, tag, brief])
        let damaged = StoredResponse(
            restoring: old.key, status: 200, fields: Array(old.fields), content: .coded(content),
            receivedAt: old.receivedAt, lifetime: old.lifetime, classTag: old.classTag, storefront: old.storefront)
        #expect(isContradicted(damaged, by: [later, tag]))
        let updated = damaged.updated(
            byHead: lines([later, tag, "Cache-Control: max-age=90"]), contentLength: nil, revalidation())
        #expect(updated.isDamaged && updated.freshFor <= 2)
    }

    @Test(arguments: [
        "Test-Header", "X-Test-Header", "Content-Foo", "X-Content-Foo", "Cache-Control", "Content-Location",
        "Content-MD5", "Content-Security-Policy", "Content-Type", "Expires", "Set-Cookie2", "X-Frame-Options",
        "X-XSS-Protection",
    ])
    func aFieldOfThe304ReplacesTheStoredOne(name: String) throws {
        let old = stored([before, "\(name): one", "\(name): two", brief, tag])
        let fresh = try freshened(old, by: [later, "\(name.lowercased()): three", brief, tag])
        #expect(
            fields(fresh).filter { $0.lowercased().hasPrefix("\(name): ".lowercased()) && !$0.hasSuffix("=2") }
                == ["\(name.lowercased()): three"])
        #expect(fields(fresh).contains(later) && !fields(fresh).contains(before))
        #expect(fresh.body == old.body && fresh.receivedAt == noon + 10 && fresh.freshFor == 2)
    }

    @Test(arguments: [
        "Content-Encoding", "Content-Range", "Content-Length", "Transfer-Encoding", "Connection", "Keep-Alive", "TE",
        "Upgrade", "Proxy-Authenticate", "Age", "Cache-Status",
    ])
    func fieldsOfTheStoredBytesStay(name: String) throws {
        let old = stored([before, "\(name): one", brief, tag])
        let fresh = try freshened(old, by: [later, "\(name): 9", tag])
        #expect(Set(fields(fresh)) == Set(fields(old)).subtracting([before]).union([later]))
        #expect(String(decoding: fresh.head, as: UTF8.self).contains("Content-Length: 10\r\n"))
    }

    @Test func whatA304DoesNotSayStays() throws {
        let old = stored([before, brief, dated, "Test-Header: a"], resources: [1, 2])
        let fresh = try freshened(old, by: [dated, later])
        #expect(fresh.resources == [1, 2] && fresh.key == old.key && fresh.status == 200)
        #expect(fields(fresh).contains("Test-Header: a") && fresh.freshFor == 2)
        // The tag of the cache's own, too: it is computed once.
        #expect(fields(fresh).contains { $0.hasPrefix("ETag: \"refrain-") })
        let tagged = stored([before, brief, tag])
        let undated = try freshened(tagged, by: [], revalidation(after: 1000))
        #expect(fields(undated).contains("Date: \(date(noon + 1000))") && undated.lifetime.initialAge == 0)
    }

    @Test(
        arguments: [
            ([tag], ["ETag: \"b\""], true), ([tag], ["ETag: a"], true), (["ETag: W/\"a\""], [tag], true),
            (["ETag: W/\"a\""], ["ETag: W/\"b\""], true), ([dated], [tag], true), ([dated], [redated], true),
            ([tag, dated], ["ETag: \"b\"", dated], true),
            // The same, or none.
            ([tag], [tag], false), ([tag], ["ETag: W/\"a\""], false), (["ETag: W/\"a\""], ["ETag: W/\"a\""], false),
            ([tag, dated], [tag, redated], false), ([tag], [redated], false), ([tag], [], false), ([dated], [], false),
        ] as [([String], [String], Bool)])
    func anotherValidatorContradicts(old: [String], new: [String], expected: Bool) {
        #expect(isContradicted(stored(old + [brief]), by: new) == expected)
    }

    @Test func otherSelectingFieldsAndOwnTagsContradict() {
        let old = stored(["Vary: Foo, Bar", tag, "Cache-Control: max-age=9"])
        #expect(isContradicted(old, by: ["Vary: Foo"]) && isContradicted(old, by: ["Vary: *"]))
        #expect(!isContradicted(old, by: []))
        #expect(!isContradicted(old, by: ["Vary: bar", "vary: FOO"]))
        // Under an operator's rule none of them chose the answer.
        let fixed = stored(["Vary: Foo, Bar", tag], followsOrigin: false)
        let rule = TTLRule.fixed(60, stale: 30)
        #expect((try? freshened(fixed, by: ["Vary: Accept-Language"], revalidation(rule)))?.freshFor == 60)
        let own = stored([dated])
        let line = fields(own).filter { $0.hasPrefix("ETag") }
        #expect(line.count == 1 && isContradicted(own, by: line))
    }

    @Test func theLifetimeFollowsTheUpdatedFieldsOrTheOperator() throws {
        let old = stored([before, "Cache-Control: max-age=1", tag, "Age: 500"])
        let fresh = try freshened(
            old, by: [later, "Cache-Control: max-age=3600, stale-while-revalidate=5", "Age: 30"], revalidation(delay: 2)
        )
        #expect(
            fresh.lifetime
                == Lifetime(
                    freshFor: 3600, staleFor: 5, staleIfErrorFor: 86_400, keepFor: 86_400, initialAge: 32))
        let fixed = stored([tag, "Cache-Control: no-store"], followsOrigin: false)
        let renewed = try freshened(fixed, by: [later, "Set-Cookie: a=b"], revalidation(.fixed(60, stale: 30)))
        #expect(renewed.lifetime == Lifetime(freshFor: 60, staleFor: 30, keepFor: 86_400) && !renewed.hasDate)
        #expect(!fields(renewed).contains { $0.hasPrefix("Set-Cookie") })
        let missing = stored([tag], status: 404, followsOrigin: false)
        #expect(try freshened(missing, by: [], revalidation(.fixed(60, stale: 30))).freshFor == 7)
    }

    @Test(arguments: [
        ("Cache-Control: no-store", Reason.noStore), ("Cache-Control: private", .private),
        ("Set-Cookie: a=b", .setCookie), ("X: y", .authorization),
    ])
    func anAnswerThatBecameUnstorableServesItsRequest(line: String, reason: Reason) throws {
        let old = stored([tag, brief])
        let asked = revalidation(carriesAuthorization: reason == .authorization)
        let (once, why) = try #require(old.freshened(by: lines([line]), asked).unstorable)
        #expect(why == reason && once.body == old.body && fields(once).contains(line))
    }

    private let old = stored([before, brief, tag, dated, "A: 1"])

    private func after(_ new: [String], contentLength: Int? = nil) -> StoredResponse {
        old.updated(byHead: lines(new), contentLength: contentLength, revalidation())
    }

    @Test func anAgreeingHeadUpdatesOthersMakeStale() {
        let fresh = after([later, "Cache-Control: max-age=1000", "A: 2", tag], contentLength: 10)
        #expect(fresh.freshFor == 1000 && fresh.body == old.body && fresh.receivedAt == noon + 10)
        #expect(fields(fresh).contains("A: 2") && !fields(fresh).contains("A: 1"))
        let silent = after(["Cache-Control: max-age=1000"])
        #expect(silent.freshFor == 1000 && fields(silent).contains("A: 1"), "it says nothing of the content")
        #expect(after(["Cache-Control: max-age=1000"], contentLength: 11).freshFor == 0)
        let untagged = stored([brief])
        let own = fields(untagged).filter { $0.hasPrefix("ETag") }
        for line in own + ["ETag: \"x\""] {
            #expect(untagged.updated(byHead: lines([line]), contentLength: nil, revalidation()).freshFor == 0)
        }
    }

    @Test(arguments: [
        ["ETag: \"b\""], ["ETag: W/\"a\""], [redated], [tag, redated], ["Cache-Control: no-store"], ["Vary: Foo"],
    ])
    func aDisagreeingHeadMakesStale(new: [String]) {
        let stale = after(["Cache-Control: max-age=1000"] + new)
        #expect(Freshness.of(stale, at: noon) == .expired && fields(stale) == fields(old) && stale.body == old.body)
    }
}
