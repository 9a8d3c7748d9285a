import Testing

@testable import Cache
@testable import Freshness
@testable import HTTP

@Suite struct PortableRecordTests {
    private static let text = String(repeating: "{\"id\":\"1\"}", count: 200)

    private static func answer(_ body: String = text, gzip: Bool = false) -> StoredResponse {
        StoredResponse(
            key: key("/v1/catalog/us/albums/1", "en"), status: 200,
            fields: Array("Content-Type: application/json\r\nETag: \"abc\"\r\n".utf8), body: Array(body.utf8),
            receivedAt: noon, lifetime: Lifetime(freshFor: 100, staleFor: 50, keepFor: 200, initialAge: 7),
            classTag: 3, storefront: Array("us".utf8), resources: [1, 9, .max - 1],
            gzip: gzip ? Gzip.system.deflate(Array(body.utf8)) : nil)
    }

    private func bytes(_ response: StoredResponse) -> [UInt8] {
        var bytes: [UInt8] = []
        PortableRecord.record(of: response).appendPortable(to: &bytes)
        return bytes
    }

    private func read(_ bytes: [UInt8], for key: CacheKey, _ gzip: Gzip = .system) -> StoredResponse? {
        if case .response(let response) = PortableRecord.read(bytes.span, for: key, gzip) { response } else { nil }
    }

    @Test(arguments: [answer(), answer(""), answer(gzip: true), response("/a", selecting: "0123456789abcdef foo")])
    func aRecordIsReadAsItWasWritten(answer: StoredResponse) throws {
        let bytes = bytes(answer)
        #expect(bytes.count == PortableRecord.record(of: answer).portableByteCount)
        let found = try #require(read(bytes, for: answer.key))
        #expect(content(found) == content(answer) && found.gzip?.body == answer.gzip?.body)
        #expect(found.gzip?.head == answer.gzip?.head && found.bodyCount == answer.bodyCount)
        #expect(found.receivedAt == answer.receivedAt && found.lifetime == answer.lifetime)
        #expect(found.classTag == answer.classTag && found.storefront == answer.storefront)
        #expect(found.selecting == answer.selecting && found.resources == answer.resources)
        #expect(found.key == answer.key && self.bytes(found) == bytes)
    }

    @Test func personalComposedAndDamagedAnswersAreNotPortable() throws {
        #expect(Self.answer().isPortable && response("/a", selecting: "0123456789abcdef foo").isPortable)
        #expect(!response("/a", scope: someone(1)).isPortable)
        #expect(!composed("/a", from: [Self.answer()]).isPortable)
        // A checksum agrees with a record that was damaged before it was written.
        var coded = try #require(Gzip.system.deflate(Array(Self.text.utf8)))
        coded[coded.count / 2] ^= 0xFF
        let answer = Self.answer().with(gzip: coded)
        #expect(read(bytes(answer), for: answer.key) == nil)
    }
}
