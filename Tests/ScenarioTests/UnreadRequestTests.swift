import EventLoop
import Testing
import Text

@testable import Proxy
@testable import Server

/// Requests that are refused before their end: the log had only `-` and the status of them.
@Suite(.timeLimit(.minutes(10))) struct UnreadRequestTests {
    private static let album = "/v1/catalog/us/albums/1"

    /// The lines of requests that are sent as they are, with their proxy stopped.
    private func lines(
        _ requests: [String], clientKeys: ClientKeys? = nil, timeouts: ClientTimeouts = .ofTests,
        _ adjust: (inout ProxySettings) -> Void = { _ in }
    ) throws -> [String] {
        let proxy = try ProxyUnderTest(
            before: FakeOrigin(), timeouts: timeouts, clientKeys: clientKeys, logFormat: .json)
        try proxy.adopt(adjust)
        let answers = try requests.map { try proxy.connection(sending: $0).readText() }
        #expect(proxy.origin.requests.isEmpty)
        let lines = try proxy.finalLog()
        try #require(lines.count == requests.count)
        for (line, answer) in zip(lines, answers) {
            let status = try #require(try JSON.parse(Array(line.utf8))["status"]?.intValue)
            #expect(answer.hasPrefix("HTTP/1.1 \(status) ") && answer.contains(#"{"errors":[{"id":""#), "\(answer)")
            #expect(answer.contains("Connection: close\r\n"))
        }
        // A page saw a network error where its request was malformed.
        for (request, answer) in zip(requests, answers) where request.contains("Origin: ") {
            #expect(answer.contains("\r\nAccess-Control-Allow-Origin: *\r\n"))
        }
        return lines
    }

    private func expect(
        _ line: String, _ status: Int, _ method: String, _ target: String, _ cause: String,
        at location: SourceLocation = #_sourceLocation
    ) throws {
        let json = try JSON.parse(Array(line.utf8))
        let words = ["method", "target", "reason", "detail", "outcome"].map { json[$0]?.stringValue }
        #expect(json["status"]?.intValue == status, "\(cause)", sourceLocation: location)
        #expect(words == [method, target, "refused", cause, "refused"], sourceLocation: location)
        #expect(json["address"]?.stringValue == "127.0.0.1", sourceLocation: location)
        #expect(!line.contains("secret"), sourceLocation: location)
    }

    private static let refused: [(String, Int, String, String, String)] = [
        (
            "GET \(album)?a=secret HTTP/1.1\r\nHost: a\r\nHost: b\r\nOrigin: https://a.example\r\n\r\n", 400, "GET",
            album, "host-repeated"
        ),
        (
            "GET /v1/me/library/songs/i.secret HTTP/1.1\r\n\r\n", 400, "GET", "/v1/me/library/{type}/{id}",
            "host-missing"
        ),
        ("GET /v1/catalog/us/%zz?secret HTTP/1.1\r\n\r\n", 400, "GET", "/v1/catalog/us/%zz?...", "request-target"),
        ("GET \(album)\u{1}secret HTTP/1.1\r\n\r\n", 400, "GET", album, "control-character"),
        ("eyJsecret.secret.secret \(album)\r\n\r\n", 400, "-", "-", "request-line"),
        ("\u{16}\u{3}\u{1}secret", 400, "-", "-", "method"),
        ("CONNECT a:1 HTTP/1.1\r\n\r\n", 405, "CONNECT", "-", "connect"),
        (
            "POST \(album) HTTP/1.1\r\nHost: a\r\nContent-Length: 2000000\r\n\r\n", 413, "POST", album,
            "content-too-large"
        ),
        (
            "GET \(album)?secret=\(String(repeating: "a", count: 9000)) HTTP/1.1\r\n\r\n", 414, "GET", album,
            "request-target-too-long"
        ),
        ("GET \(album) HTTP/1.1\r\nHost: a\r\nExpect: secret\r\n\r\n", 417, "GET", album, "expectation"),
        (
            "GET \(album) HTTP/1.1\r\nAuthorization: Bearer secret\r\n" + String(repeating: "A: b\r\n", count: 101),
            431, "GET", album, "too-many-fields"
        ),
        ("GET \(album) HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: secret\r\n\r\n", 501, "GET", album, "transfer-coding"),
        ("GET \(album) HTTP/2.0\r\n\r\n", 505, "GET", album, "http-version"),
    ]

    /// A request that follows on the connection is not acted on.
    @Test func theLogSaysWhatCouldNotBeReadAndWhy() throws {
        let requests = Self.refused.map { $0.0 + String.get("/v1/catalog/us/smuggled") }
        for (line, (_, status, method, target, cause)) in zip(try lines(requests), Self.refused) {
            try expect(line, status, method, target, cause)
        }
    }

    /// Head and content have a deadline each.
    @Test(arguments: ["slow-head", "slow-content"]) func aRequestThatCameTooSlowlyIsNamed(cause: String) throws {
        var timeouts = ClientTimeouts.ofTests
        (timeouts.head, timeouts.body, timeouts.idle) = (.seconds(60), .seconds(60), .seconds(60))
        var request = "POST /v1/me/library?ids=secret HTTP/1.1\r\nMusic-User-Token: secret\r\n"
        if cause == "slow-head" {
            timeouts.head = .milliseconds(150)
        } else {
            timeouts.body = .milliseconds(150)
            request += "Host: a\r\nContent-Length: 9\r\n\r\nsecret"
        }
        try expect(lines([request], timeouts: timeouts)[0], 408, "POST", "/v1/me/library", cause)
    }

    /// Once the head was judged its client is known.
    @Test func theClientOfARequestWhoseContentIsRefusedIsNamed() throws {
        let keys = try ClientKeys(text: "app 0123456789abcdef\n")
        let request =
            "POST /v1/me/library HTTP/1.1\r\nHost: a\r\nX-Refrain-Key: 0123456789abcdef\r\n"
            + "X-Forwarded-For: 203.0.113.9\r\nTransfer-Encoding: chunked\r\n\r\nnone\r\n"
        let line = try lines([request], clientKeys: keys) {
            $0.bounds.trustedProxies = TrustedProxies([AddressRange("127.0.0.1")!])
        }[0]
        #expect(line.contains(#""address":"203.0.113.9","client":"app","method":"POST","target":"/v1/me/library""#))
        #expect(line.contains(#""detail":"chunk-size""#))
        #expect(!line.contains("0123456789abcdef"))
    }

    @Test func aRequestBeyondTheSharedMemoryIsNamed() throws {
        let content = String(repeating: "a", count: 60_000)
        let request = "PUT \(Self.album) HTTP/1.1\r\nHost: a\r\nContent-Length: 90000\r\n\r\n" + content
        let lines = try lines([request]) { $0.bounds.requestBytes = 40_000 }
        try expect(lines[0], 413, "PUT", Self.album, "request-memory")
    }
}
