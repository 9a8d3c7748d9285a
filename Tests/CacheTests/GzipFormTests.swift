import HTTP
import TestSupport
import Testing

@testable import Cache
@testable import Freshness
@testable import Store

@Suite struct GzipFormTests {
    private static let body = String(repeating: "{\"id\":\"1\"}", count: 200)

    private func answer(_ fields: String..., gzip: [UInt8]? = [1, 2, 3]) -> StoredResponse {
        StoredResponse(
            key: key("/a"), status: 200, fields: Array(fields.map { $0 + "\r\n" }.joined().utf8),
            body: Array(Self.body.utf8), receivedAt: noon, lifetime: Lifetime(freshFor: 100), classTag: 0,
            storefront: [], gzip: gzip)
    }

    @Test func eachFormHasItsOwnTagAndLength() {
        let stored = answer("Content-Type: application/json", "ETag: \"abc\"")
        #expect(
            head(stored, .whole, .identity)
                == "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nETag: \"abc\"\r\nVary: Accept-Encoding\r\n"
                + "Content-Length: 2000\r\n")
        #expect(
            head(stored, .whole, .gzip)
                == "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nETag: \"abc-gzip\"\r\nVary: Accept-Encoding\r\n"
                + "Content-Encoding: gzip\r\nContent-Length: 3\r\n")
        #expect(AnswerForm.whole.content(of: stored, .gzip) == [1, 2, 3])
        #expect(AnswerForm.whole.content(of: stored) == Array(Self.body.utf8))
        #expect(String(decoding: stored.fields, as: UTF8.self) == "Content-Type: application/json\r\nETag: \"abc\"\r\n")
        let untagged = answer()
        #expect(head(untagged, .whole, .identity).contains("ETag: \"refrain-c"))
        #expect(head(untagged, .whole, .gzip).contains("-gzip\"\r\n"))
        #expect(!untagged.isRevalidatable)
    }

    @Test(arguments: [
        ("W/\"abc\"", "W/\"abc\""), ("\"\"", "\"-gzip\""), ("\"a--gzip\"", "\"a--gzip-gzip\""), ("abc", "abc"),
        ("\"a,\\b\"", "\"a,\\b-gzip\""),
    ])
    func tagsAreTold(own: String, coded: String) {
        #expect(head(answer("ETag: \(own)"), .whole, .gzip).contains("ETag: \(coded)\r\n"))
    }

    @Test func variesIsSaidOnce() {
        for said in ["Vary: Origin, Accept-Encoding", "Vary: accept-encoding", "Vary: *"] {
            for coding in ContentCoding.allCases {
                let text = head(answer("\(said)"), .whole, coding)
                #expect(text.contains(said + "\r\n") && text.ranges(of: "Vary:").count == 1)
            }
        }
        #expect(head(answer("Vary: Origin"), .whole, .gzip).ranges(of: "Vary:").count == 2)
        #expect(!head(answer("Content-Type: a", gzip: nil), .whole, .identity).contains("Vary"))
    }

    @Test(arguments: [
        ("\"abc\"", true), ("\"abc-gzip\"", true), ("W/\"abc-gzip\"", true), ("\"x\", \"abc-gzip\"", true),
        ("\"abc-gzip-gzip\"", false), ("\"ab-gzip\"", false), ("\"-gzip\"", false), ("\"abc-gzi\"", false),
        ("\"abd-gzip\"", false), ("abc-gzip", false),
    ])
    func eitherTagIsKnown(condition: String, isKnown: Bool) throws {
        let asked = try ParsedRequest(fields: "If-None-Match: \(condition)")
        for gzip in [nil, [UInt8(1)]] {
            let form = asked.form(of: answer("ETag: \"abc\"", gzip: gzip))
            #expect(form == (isKnown ? .notModified : .whole))
        }
        #expect(try ParsedRequest(fields: "If-None-Match: \"abc-gzip\"").form(of: answer("ETag: W/\"abc\"")) == .whole)
    }

    @Test func partsAreOfTheContentAndA304HasTheFormsTag() throws {
        let stored = answer("ETag: \"abc\"")
        let text = head(stored, .partial(0..<4), .gzip)
        #expect(
            text.contains(
                "ETag: \"abc\"\r\nVary: Accept-Encoding\r\nContent-Range: bytes 0-3/2000\r\nContent-Length: 4"))
        #expect(AnswerForm.partial(0..<4).content(of: stored, .gzip) == Array("{\"id".utf8))
        // A client that has a part of the coded form cannot go on with the other one.
        #expect(try ParsedRequest(fields: "Range: bytes=0-3", "If-Range: \"abc-gzip\"").form(of: stored) == .whole)
        #expect(try ParsedRequest(fields: "Range: bytes=0-3", "If-Range: \"abc\"").form(of: stored) == .partial(0..<4))
        let whole = answer("ETag: \"abc\"", "Content-Type: a", "Cache-Control: private")
        let told = "HTTP/1.1 304 Not Modified\r\nETag: \"abc%\"\r\nCache-Control: private\r\nVary: Accept-Encoding\r\n"
        #expect(head(whole, .notModified, .identity) == told.replacing("%", with: ""))
        #expect(head(whole, .notModified, .gzip) == told.replacing("%", with: "-gzip"))
    }

    @Test func bothFormsAreCountedAndGoTogether() throws {
        let (one, two) = (answer(gzip: nil), answer(gzip: Array(repeating: 0, count: 300)))
        #expect(two.byteCount >= one.byteCount + 300 && two.record.byteCount < one.record.byteCount)
        let stored = answer(gzip: nil)
        #expect(stored.mayBecomeCoded)
        #expect(stored.noteCodingRequest() && !stored.mayBecomeCoded)
        #expect(!stored.noteCodingRequest())
        #expect(!response("/small").mayBecomeCoded)
        let tagged = answer("ETag: \"abc\"")
        #expect(tagged.withoutFreshness(at: noon).gzip?.body == [1, 2, 3])
        #expect(tagged.with(outline: FakeOutline(byteCount: 1)).gzip?.body == [1, 2, 3])
        let revalidation = Revalidation(
            request: RequestFacts(), rule: .fixed(60, stale: 0), notFound: .off, badRequest: .off, now: noon + 200)
        let fresh = try #require(tagged.freshened(by: Array("ETag: \"abc\"\r\n".utf8), revalidation).stored)
        #expect(fresh.gzip?.body == [1, 2, 3] && head(fresh, .whole, .gzip).contains("abc-gzip"))
    }

    @Test func aFormIsAttachedToWhatIsThere() {
        let cache = ResponseCache(memory: MemoryTier(maxBytes: 1 << 20), file: nil)
        let stored = answer("ETag: \"abc\"", gzip: nil)
        cache.store(stored)
        // Something else was worked out meanwhile; both are kept, and counted.
        cache.attach(FakeOutline(byteCount: 10), to: stored)
        let before = cache.memory.byteCount
        cache.attach(gzip: [9], to: stored)
        let found = cache.memory.lookup(stored.key)
        #expect(found?.gzip?.body == [9] && found?.outline != nil)
        #expect(cache.memory.byteCount == found?.byteCount && cache.memory.byteCount > before)
        // A purge that was about to remove the earlier form means the answer, not the object.
        cache.memory.remove(stored)
        #expect(cache.memory.lookup(stored.key) == nil && cache.memory.byteCount == 0)
        cache.attach(gzip: [9], to: stored)
        #expect(cache.memory.lookup(stored.key) == nil)
        cache.store(answer("ETag: \"other\"", gzip: nil))
        cache.attach(gzip: [9], to: stored)
        #expect(cache.memory.lookup(stored.key)?.gzip == nil)
    }
}
