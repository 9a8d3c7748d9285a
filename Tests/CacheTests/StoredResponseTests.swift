import HTTP
import TestSupport
import Testing

@testable import Cache
@testable import Freshness
@testable import Store

@Suite struct StoredResponseTests {
    private func stored(
        _ status: Int, _ fields: String, _ body: String = "{}", _ followsOrigin: Bool = false
    ) -> StoredResponse {
        StoredResponse(
            key: key("/a"), status: status, fields: Array(fields.utf8), followsOrigin: followsOrigin,
            body: Array(body.utf8),
            receivedAt: noon, lifetime: Lifetime(freshFor: 1), classTag: 0, storefront: [])
    }

    private func head(_ response: StoredResponse) -> String { String(decoding: response.head, as: UTF8.self) }

    @Test func theHeadIsReadyForTheWireWithAStrongTag() {
        let response = stored(404, "Content-Type: a/b\r\nETag: \"x\"\r\n", "hello")
        #expect(head(response) == "HTTP/1.1 404 Not Found\r\nContent-Type: a/b\r\nETag: \"x\"\r\nContent-Length: 5\r\n")
        #expect(String(decoding: response.fields, as: UTF8.self) == "Content-Type: a/b\r\nETag: \"x\"\r\n")
        #expect(head(stored(204, "A: b\r\n", "")) == "HTTP/1.1 204 No Content\r\nA: b\r\n", "no length")
        let one = stored(200, "")
        // The checksum and the length of "{}": the same in every process, and after every start.
        #expect(head(one).contains("ETag: \"refrain-c2be633561e4558c40000000000000002\"\r\n"))
        #expect(head(stored(200, "", "[]")) != head(one))
        let again = one.copy(receivedAt: noon + 1, lifetime: Lifetime(freshFor: 9))
        #expect(again.head == one.head && again.receivedAt == noon + 1 && again.freshFor == 9)
        #expect(!head(stored(200, "eTaG: W/\"v\"\r\n")).contains("refrain-"))
        #expect(!head(stored(404, "")).contains("ETag"))
        // SHA-256 of "{}".
        #expect(head(stored(200, "", "{}", true)).contains("ETag: \"refrain-44136fa355b3678a1146ad16f7e8649e\"\r\n"))
    }

    @Test(arguments: [1, 7, 8, 31, 32, 33, 64, 100])
    func everyByteOfTheContentIsInItsEntityTag(length: Int) {
        let content = (0..<length).map { UInt8($0) }
        let tags = content.indices.map { index in
            var changed = content
            changed[index] ^= 1
            return head(stored(200, "", String(decoding: changed, as: UTF8.self)))
        }
        #expect(Set(tags).count == length)
    }

    @Test(arguments: [
        "Set-Cookie: a=b", "set-cookie2: a", "Content-Length: 99", "Transfer-Encoding: chunked", "Connection: x",
        "AGE: 4", "Date: now", "Cache-Status: x; hit", "Authorization: Bearer x", "Music-User-Token: t",
        "Keep-Alive: a", "no colon", ": no name", "lone\nFeed: x", "strict-transport-security: max-age=9", "NEL: {}",
        "Access-Control-Allow-Origin: *",
    ])
    func unstorableFieldsAreDropped(line: String) {
        let response = stored(404, "A: 1\r\n\(line)\r\nB: 2\r\n")
        let kept = line.hasPrefix("lone") ? "A: 1\r\nFeed: x\r\nB: 2\r\n" : "A: 1\r\nB: 2\r\n"
        #expect(String(decoding: response.fields, as: UTF8.self) == kept)
    }

    @Test func datesAndCookiesAreKeptWhereTheOriginsRulesAre() {
        func kept(_ fields: String, _ followsOrigin: Bool) -> StoredResponse {
            stored(404, fields, "", followsOrigin)
        }
        func fields(_ response: StoredResponse) -> String { String(decoding: response.fields, as: UTF8.self) }
        let five = "Date: \(date(5))\r\n"
        #expect(fields(kept(five, true)) == five)
        #expect(fields(kept("Date: x\r\n\(five)Date: \(date(6))\r\n", true)) == five)
        for none in ["", "Date: foo\r\n"] {
            #expect(fields(kept(none, true)) == "Date: \(date(noon))\r\n" && kept(none, true).hasDate)
        }
        #expect(fields(kept("Date: \(date(5))\r\n", false)).isEmpty && !kept("", false).hasDate)
        let lines = "Set-Cookie: a=b\r\nSet-Cookie: c=d\r\nSet-Cookie2: e=f\r\n"
        func cookies(_ followsOrigin: Bool) -> [UInt8] {
            KeptFields.storable(Array(lines.utf8).span, followsOrigin: followsOrigin).lines
        }
        #expect(cookies(true) == Array(lines.utf8))
        #expect(cookies(false).isEmpty)
    }

    private func plain(_ body: [UInt8], at stored: CacheKey = key("/a"), fields: String = "") -> StoredResponse {
        StoredResponse(
            key: stored, status: 200, fields: Array(fields.utf8), body: body, receivedAt: noon,
            lifetime: Lifetime(freshFor: 1), classTag: 0, storefront: [])
    }

    @Test func keysAreStoredWithoutRoomAndFullBodiesNotCopied() {
        var reused = CacheKey(of: .none)
        reused.set(scope: .shared, target: Array(repeating: UInt8(ascii: "a"), count: 24_000))
        reused.set(scope: .shared, target: Array("/v1/catalog/us/albums/1".utf8))
        let stored = plain([], at: reused)
        #expect(stored.key == reused && stored.key.target == reused.target)
        // Allocators round up to sixteen bytes, and leave no smaller rest at the end.
        #expect(stored.key.bytes.capacity < stored.key.bytes.count + 32)
        let body = [UInt8](repeating: 7, count: 100_000)
        let full = plain(body)
        let (one, other) = (body.withUnsafeBytes { $0.baseAddress }, full.body.withUnsafeBytes { $0.baseAddress })
        #expect(one == other)
    }

    @Test(arguments: [0, 1, 900, 100_000])
    func aBodyReceivedIntoALargerBufferIsHeldAtItsOwnSize(count: Int) {
        var body: [UInt8] = []
        body.reserveCapacity(1 << 20)
        body.append(contentsOf: repeatElement(7, count: count))
        let stored = plain(body, fields: "A: b\r\n")
        #expect(stored.body == body && stored.body.capacity < count + 32)
        #expect(stored.head.capacity <= stored.head.count + stored.head.count / 8 + 16)
    }

    @Test func anOutlineGoesWhereTheBodyGoesAndCounts() throws {
        let plain = response("/a", lifetime: Lifetime(freshFor: 9))
        let outline = FakeOutline(byteCount: 1_000)
        let outlined = plain.with(outline: outline)
        #expect(plain.outline == nil && outlined.outline === outline)
        #expect(content(outlined) == content(plain) && outlined.isCopy(of: plain) && plain.isCopy(of: outlined))
        #expect(outlined.record.checksum == plain.record.checksum && outlined.byteCount == plain.byteCount + 1_000)
        let revalidation = Revalidation(
            request: RequestFacts(), rule: .fixed(5, stale: 0), notFound: .off, badRequest: .off, now: noon + 1)
        let others = [
            try #require(outlined.freshened(by: [], revalidation).stored),
            outlined.copy(receivedAt: noon + 1, lifetime: Lifetime(freshFor: 3)),
            outlined.withoutFreshness(at: noon + 1), outlined.moved(to: key("/b")),
        ]
        for other in others {
            #expect(other.outline === outline && !other.isCopy(of: outlined))
            #expect(other.byteCount == outlined.byteCount)
        }
        // Tiers rely on it: an answer must leave with the same number of bytes with which it came.
        let before = outlined.byteCount
        outline.bytes.store(5, ordering: .relaxed)
        #expect(outlined.byteCount == before)
    }

    @Test func copiesDifferInTheirOutlinesAndReportAUseOnce() {
        let one = response("/a", "body")
        #expect(one.isCopy(of: one) && one.isCopy(of: response("/a", "body")))
        let outlined = [1, 2].map { one.with(outline: FakeOutline(byteCount: $0)) }
        #expect(outlined[0].isCopy(of: one) && one.isCopy(of: outlined[0]) && outlined[0].isCopy(of: outlined[1]))
        #expect(!one.isCopy(of: response("/a", "bodz")) && !one.isCopy(of: response("/a", "body", at: noon + 1)))
        #expect(!one.isCopy(of: response("/a", "body", lifetime: Lifetime(freshFor: 1))))
        let used = response("/a")
        #expect(!used.shouldReportUse(at: noon + 59, every: 60))
        #expect(used.shouldReportUse(at: noon + 60, every: 60))
        #expect(!used.shouldReportUse(at: noon + 60, every: 60))
        #expect(used.shouldReportUse(at: noon + 120, every: 60))
        // The clock was ahead.
        #expect(used.shouldReportUse(at: noon + 30, every: 60))
        #expect(!used.shouldReportUse(at: noon + 30, every: 60))
        #expect(one.within(Lifetime(freshFor: .max, staleFor: .max, keepFor: .max)) === one)
    }
}

func head(_ response: StoredResponse, _ form: AnswerForm, _ coding: ContentCoding = .identity) -> String {
    var buffer = ByteBuffer(capacity: 64)
    response.appendHead(form, coding, to: &buffer)
    return String(decoding: buffer.copyReadable(), as: UTF8.self)
}

@Suite struct StoredHeadTests {
    private let full = stored([
        "Date: \(date(noon))", "Content-Type: a/b", "ETag: \"a\"", "Last-Modified: \(date(0))", "Vary: Foo", "X: y",
        "Cache-Control: max-age=9", "Expires: \(date(9))", "Content-Location: /b", "Content-Range: odd",
    ])

    @Test func aWholeAnswerHasItsOwnHeadANotModifiedOneItsDate() {
        #expect(head(full, .whole) == String(decoding: full.head, as: UTF8.self))
        let response = StoredResponse(
            restoring: key("/a"), status: 200, fields: Array("Last-Modified: \(date(0))\r\n".utf8), content: .plain([]),
            receivedAt: noon, lifetime: Lifetime(freshFor: 1), classTag: 0, storefront: [])
        #expect(head(response, .notModified) == "HTTP/1.1 304 Not Modified\r\nLast-Modified: \(date(0))\r\n")
    }

    /// There were two rules: an answer that was not stored kept Content-Language.
    @Test func notModifiedSaysTheSameWhereTheAnswerIsNotStored() throws {
        let lines = [
            "Date: \(date(noon))", "Content-Type: a/b", "Content-Language: de", "ETag: \"a\"", "Vary: Foo", "X: y",
            "Last-Modified: \(date(0))", "Cache-Control: max-age=9", "Set-Cookie: a=b", "Content-Location: /b",
            "Expires: \(date(9))",
        ].map { $0 + "\r\n" }
        let asked = try ParsedRequest(fields: "If-None-Match: \"a\"")
        let passed = NotModified.lines(
            for: .get, asked.head.fields, asked.bytes.span, insteadOf: Array(lines.joined().utf8))
        let kept = [0, 3, 4, 7, 8, 9, 10].map { lines[$0] }.joined()
        #expect(passed.map { String(decoding: $0, as: UTF8.self) } == kept)
        let stored = stored(lines.map { String($0.dropLast()) })
        #expect(head(stored, .notModified) == "HTTP/1.1 304 Not Modified\r\n" + kept)
    }

    @Test func aPartHasItsPlaceAndAnUnsatisfiableRangeTheLength() {
        let text = head(full, .partial(2..<5))
        #expect(text.hasPrefix("HTTP/1.1 206 Partial Content\r\nDate: "))
        #expect(
            text.hasSuffix(
                "X: y\r\nCache-Control: max-age=9\r\nExpires: \(date(9))\r\nContent-Location: /b\r\n"
                    + "Content-Range: bytes 2-4/10\r\nContent-Length: 3\r\n"))
        #expect(!text.contains("odd"))
        var buffer = ByteBuffer(capacity: 64)
        full.appendContentRange(to: &buffer)
        #expect(String(decoding: buffer.copyReadable(), as: UTF8.self) == "Content-Range: bytes */10\r\n")
    }
}

@Suite struct KnownFieldsTests {
    private func known(_ lines: String, _ site: SiteAddress? = SiteAddress(isTLS: true, host: "a", port: 443)) -> String
    {
        String(decoding: KeptFields.known(Array(lines.utf8)[...], from: site), as: UTF8.self)
    }

    @Test func linesOfOlderVersionsLoseTheOriginsHost() {
        let rest = "A: 1\r\nServer: x\r\nLocation: /b\r\n"
        #expect(known(rest) == rest && known("") == "")
        #expect(known("Alt-Svc: x\r\n" + rest) == rest && known(rest + "alt-svc: x\r\n") == rest)
        #expect(known("NEL: x\r\nnel: y\r\n" + rest + "Report-To: z\r\n") == rest && known("NEL: x\r\n") == "")
        #expect(known("A: 1\r\nServer: x\r\nReport-To: z\r\nLocation: https://A/b\r\n") == rest)
        #expect(known("Link: <https://a/b>\r\nlocation:   //a:443/c  \r\n") == "Link: </b>\r\nlocation:   /c  \r\n")
        #expect(known("Location: https://a/b\r\nNEL: x\r\n", nil) == "Location: https://a/b\r\n")
    }
}
