import Testing

@testable import HTTP

/// A request that could not be read was a line of hyphens in the log.
@Suite struct BegunRequestLineTests {
    private func parts(_ text: String) -> [String?] {
        let bytes = Array(text.utf8)
        let line = BegunRequestLine(bytes.span)
        return [line.method, line.target].map { range in range.map { String(decoding: bytes[$0], as: UTF8.self) } }
    }

    @Test func theReadablePartOfALineIsFound() {
        #expect(parts("GET /v1/a?b HTTP/9.9\r\nHost: a") == ["GET", "/v1/a?b"])
        #expect(parts("\r\n\r\nPOST /v1/a\r\n") == ["POST", "/v1/a"])
        #expect(parts("GET /v1/\u{1}x") == ["GET", "/v1/"])
        #expect(parts("GET /v1/unfinis") == ["GET", "/v1/unfinis"])
        #expect(parts("GET ") == ["GET", nil] && parts("CONNECT a.example:443 HTTP/1.1") == ["CONNECT", nil])
    }

    /// The rest of a request whose length was wrong may be a token.
    @Test(arguments: [
        "", "GET", "\u{16}\u{3}\u{1}\u{2}", "eyJhbGciOiJFUzI1NiJ9.e30.c2ln /v1/a HTTP/1.1", "get /v1/a HTTP/1.1",
        "Authorization: Bearer secret\r\n\r\n", "\r\n\r\n\r\nGET /v1/a", "GET\t/v1/a",
        "ABCDEFGHIJKLMNOPQRSTUVWXYZABCDEFG /v1/a",
    ])
    func nothingIsShownOfBytesThatAreNoRequestLine(text: String) {
        #expect(parts(text) == [nil, nil])
    }

    @Test func itIsBounded() {
        let limits = MessageLimits.request
        let method = String(repeating: "A", count: limits.maxMethodBytes)
        let found = parts(method + " /" + String(repeating: "a", count: 2 * limits.maxTargetBytes))
        #expect(found[0] == method && found[1]?.utf8.count == limits.maxTargetBytes)
    }
}
