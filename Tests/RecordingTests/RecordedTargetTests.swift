import Testing

@testable import Recording

@Suite struct RecordedTargetTests {
    private func redacted(_ target: String) -> String? { RecordedTarget.redacted(Array(target.utf8)) }

    @Test(arguments: [
        "/v1/catalog/us/charts?types=albums&limit=3", "/", "/v1/catalog/us/search?term=secret+key&types=songs",
        "/v1/catalog/us/songs?ids=1,2&include[songs]=artists&fields%5Bauthors%5D=name&extend=editorialNotes",
        "/v1/x?", "/v1/x?&&a", "/v1/x?keyword=a&tokens_of=b&token=", "/v1/x?platform=web&l=en-GB&offset=25",
    ])
    func otherTargetsStayUnchanged(target: String) {
        #expect(redacted(target) == target)
    }

    @Test(arguments: [
        "access_token", "token", "key", "api_key", "apiKey", "APIKEY", "developerToken", "music-user-token", "secret",
        "client_secret", "password", "X-Amz-Signature", "sig", "auth", "auth_code", "user[session]", "%74oken",
        "jwt", "X-Amz-Credential", "Authorization", "media-user-token", "Cookie",
    ])
    func theValueOfACredentialIsReplaced(name: String) {
        #expect(redacted("/v1/x?a=1&\(name)=canary&b=2") == "/v1/x?a=1&\(name)=REDACTED&b=2")
    }

    @Test func aSignedTokenIsReplacedWhateverItIsCalled() {
        #expect(redacted("/a?x=eyJhbGciOi.eyJpc3Mi.c2ln&y=eyJ") == "/a?x=REDACTED&y=eyJ")
        #expect(redacted("/a?eyJhbGciOi.eyJpc3Mi.c2ln") == "/a?REDACTED")
    }

    /// Only parameters were looked at.
    @Test func aSignedTokenInThePathIsReplaced() {
        #expect(redacted("/v1/eyJhbGciOi.eyJpc3Mi.c2ln/songs?a=1") == "/v1/REDACTED/songs?a=1")
        #expect(redacted("/eyJhbGciOi.eyJpc3Mi.c2ln") == "/REDACTED")
    }

    @Test func forbiddenBytesAreEncoded() {
        #expect(redacted("/a b\u{7F}/é?q=\u{1}") == "/a%20b%7F/%C3%A9?q=%01")
        #expect(redacted("") == "/")
        #expect(redacted("?a=1") == "/?a=1")
    }

    @Test func tooLongTargetsAreNotRecorded() {
        let most = 16 << 10
        #expect(redacted("/" + String(repeating: "a", count: most - 1)) != nil)
        #expect(redacted("/" + String(repeating: "a", count: most)) == nil)
    }
}

@Suite struct RecordedFieldsTests {
    /// Should one of them ever come onto a list, this is where it is noticed.
    @Test func noListHoldsWhatNamesOrAdmitsSomebody() {
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

    @Test func onlyWhatIsAllowedIsTakenOutOfLines() {
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
