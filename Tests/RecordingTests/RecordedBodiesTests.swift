import Foundation
import TestSupport
import Testing

@testable import Recording

@Suite struct RecordedBodiesTests {
    private let folder: TemporaryFolder
    init() throws { folder = try TemporaryFolder() }

    private func bodies(_ bytes: [UInt8]) throws -> RecordedBodies {
        try folder.put(bytes, "r.bodies")
        return try RecordedBodies(beside: folder.path + "/r")
    }

    private static func hash(_ text: String) throws -> BodyHash { try #require(BodyHash(of: Array(text.utf8))) }

    private static func record(_ text: String) throws -> [UInt8] {
        RecordedBodies.record(try hash(text), Array(text.utf8))
    }

    @Test func bodiesAreFoundByTheirHash() throws {
        let texts = ["", "a", "{\"data\":[]}", String(repeating: "\n", count: 200_000)]
        let found = try bodies(texts.flatMap { try Self.record($0) })
        #expect(found.count == 4)
        for text in texts { #expect(try found.content(of: Self.hash(text)) == Array(text.utf8)) }
        #expect(try found.content(of: Self.hash("b")) == nil)
        #expect(try RecordedBodies(beside: folder.path + "/none").count == 0)
        #expect(try bodies([]).count == 0)
    }

    @Test func damagedFilesKeepTheirWholeRecords() throws {
        let first = try Self.record("one")
        let both = try first + Self.record("two")
        for end in 0...both.count {
            let found = try bodies(Array(both[..<end])).count
            #expect(found == (end == both.count ? 2 : end >= first.count ? 1 : 0), "cut at \(end)")
        }
        var bytes = try Self.record("one")
        bytes[bytes.count - 2] ^= 1
        let changed = try self.bodies(bytes)
        #expect(throws: RecordingError.self) { try changed.content(of: Self.hash("one")) }
    }

    @Test func foreignAndHostileFilesSayAtWhichByte() throws {
        let hash = try Self.hash("x").description
        for text in [
            "<html>\n", hash + " -1\n", hash + " 8388609\n", hash + " 99999999999999999999\n", hash + "\n",
            hash.uppercased() + " 1\nx\n", hash + " 1 1\nx\n", hash + " 1\nx" + hash + " 1\nx\n", hash + " +1\nx\n",
            String(repeating: "x", count: 500), "\u{0}\u{0}\n",
        ] { #expect(throws: RecordingError.self, "\(text)") { try bodies(Array(text.utf8)) } }
        do {
            _ = try bodies(Self.record("one") + Array("junk\n".utf8))
            Issue.record("read")
        } catch {
            #expect("\(error)".hasSuffix("r.bodies: at byte 71 there is no hash and length of a body"))
        }
    }

    @Test func hashesAreSixtyFourDigitsInLowerCase() throws {
        let hash = try #require(BodyHash(of: []))
        #expect(hash.description == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
        #expect(BodyHash(hash.description) == hash)
        #expect(BodyHash(hash.description.uppercased()) == nil && BodyHash("e3") == nil)
        #expect(BodyHash(hash.description + "0") == nil)
    }
}

@Suite struct RecordedTargetTests {
    private func redacted(_ target: String) -> String? { RecordedTarget.redacted(Array(target.utf8)) }

    @Test(arguments: [
        "/v1/catalog/us/charts?types=albums&limit=3", "/", "/v1/catalog/us/search?term=secret+key&types=songs",
        "/v1/catalog/us/songs?ids=1,2&include[songs]=artists&fields%5Bauthors%5D=name&extend=editorialNotes",
        "/v1/x?", "/v1/x?&&a", "/v1/x?keyword=a&tokens_of=b&token=", "/v1/x?platform=web&l=en-GB&offset=25",
    ])
    func otherTargetsStayUnchanged(target: String) { #expect(redacted(target) == target) }

    @Test(arguments: [
        "access_token", "token", "key", "api_key", "apiKey", "APIKEY", "developerToken", "music-user-token", "secret",
        "client_secret", "password", "X-Amz-Signature", "sig", "auth", "auth_code", "user[session]", "%74oken",
        "jwt", "X-Amz-Credential", "Authorization", "media-user-token", "Cookie",
    ])
    func theValueOfACredentialIsReplaced(name: String) {
        #expect(redacted("/v1/x?a=1&\(name)=canary&b=2") == "/v1/x?a=1&\(name)=REDACTED&b=2")
    }

    @Test func aSignedTokenIsReplacedWhereverItIs() {
        #expect(redacted("/a?x=eyJhbGciOi.eyJpc3Mi.c2ln&y=eyJ") == "/a?x=REDACTED&y=eyJ")
        #expect(redacted("/a?eyJhbGciOi.eyJpc3Mi.c2ln") == "/a?REDACTED")
        // Only parameters were looked at.
        #expect(redacted("/v1/eyJhbGciOi.eyJpc3Mi.c2ln/songs?a=1") == "/v1/REDACTED/songs?a=1")
        #expect(redacted("/eyJhbGciOi.eyJpc3Mi.c2ln") == "/REDACTED")
    }

    @Test func forbiddenBytesAndTooLongTargetsAreNotRecorded() {
        #expect(redacted("/a b\u{7F}/é?q=\u{1}") == "/a%20b%7F/%C3%A9?q=%01")
        #expect(redacted("") == "/")
        #expect(redacted("?a=1") == "/?a=1")
        let most = 16 << 10
        #expect(redacted("/" + String(repeating: "a", count: most - 1)) != nil)
        #expect(redacted("/" + String(repeating: "a", count: most)) == nil)
    }

    /// Should one of them ever come onto a list, this is where it is noticed.
    @Test func noListHoldsFieldsThatNameOrAdmitAPerson() {
        let never = [
            "authorization", "proxy-authorization", "cookie", "set-cookie", "set-cookie2", "music-user-token",
            "media-user-token", "x-refrain-key", "x-api-key", "x-forwarded-for", "forwarded", "x-real-ip", "via",
            "referer", "origin", "user-agent", "from", "traceparent", "tracestate", "location", "www-authenticate",
        ]
        for list in [RecordedFields.ofRequests, RecordedFields.ofAnswers, RecordedFields.ofPersonalRequests] {
            #expect(list.isDisjoint(with: never))
            #expect(list.allSatisfy { $0 == $0.lowercased() })
        }
        #expect(RecordedFields.ofPersonalRequests.isSubset(of: RecordedFields.ofRequests))
    }

    @Test func onlyAllowedFieldsAreTakenOutOfLines() {
        let lines = """
            HTTP/1.1 200 OK\r\nContent-Type: text/plain \r\nSet-Cookie: a=canary\r\nVARY:Origin\r\nvary: Accept\r
            X-Cache: \t\r\nno field line\r\n: nameless\r\nETag: \u{1}\r\n\r\n
            """
        let fields = RecordedFields.among(Array(lines.utf8)[...], keeping: RecordedFields.ofAnswers)
        #expect(
            fields == [
                RecordedField("content-type", "text/plain"), RecordedField("vary", "Origin, Accept"),
                RecordedField("x-cache", ""),
            ])
    }
}
