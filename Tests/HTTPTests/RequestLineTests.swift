import TestSupport
import Testing

@testable import HTTP

@Suite struct RequestLineTests {
    private func refusal(target: String, host: String = "a") -> ParseError? {
        HTTPTests.refusal("GET \(target) HTTP/1.1\r\nHost: \(host)\r\n\r\n")
    }

    @Test func anyTokenIsAMethod() throws {
        for method in HTTP.Method.allCases where method != .other && method != .connect {
            #expect(try ParsedRequest("\(method.text) / HTTP/1.1\r\nHost: a\r\n\r\n").head.method == method)
        }
        let request = try ParsedRequest("M-SEARCH / HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(request.head.method == .other)
        #expect(request[request.head.methodText] == "M-SEARCH")
        #expect(!HTTP.Method.other.isSafe && ParseError.connect.status == 405)
    }

    @Test(arguments: [
        "GET  / HTTP/1.1", "GET /  HTTP/1.1", "GET / HTTP/1.1 ", "GET /", "GET", "GET /\tHTTP/1.1", "GET / HTTP/1.1x",
        "GET / http/1.1", "GET / HTTP/11", "GET / HTTP/1,1", "GET / HTTP/1.10", "GET / HTTP/ 1.1", "GET / x HTTP/1.1",
    ])
    func partsAreSeparatedByOneSpace(line: String) {
        #expect(HTTPTests.refusal(line + "\r\nHost: a\r\n\r\n")?.status == 400)
    }

    @Test(arguments: (0..<256).map { UInt8($0) })
    func aTargetHasOnlyCharactersThatMeanOneThing(byte: UInt8) {
        let bytes = [UInt8]("GET /a".utf8) + [byte] + [UInt8]("b HTTP/1.1\r\nHost: a\r\n\r\n".utf8)
        let error = thrown { () throws(ParseError) in try ParsedRequest(bytes) }
        let isRefused = byte <= 0x20 || byte >= 0x7F || "\"#<>\\%".utf8.contains(byte)
        #expect((error?.status == 400) == isRefused, "\(byte)")
    }

    @Test func percentIsFollowedByTwoDigits() {
        #expect(refusal(target: "/%41%7e?%c3%A4") == nil)
        for target in ["/%", "/%4", "/%4g", "/%%41", "/a%", "/%-1", "/? %41"] {
            #expect(refusal(target: target)?.status == 400, "\(target)")
        }
    }

    @Test func absoluteFormIsReadAsOriginForm() throws {
        for (target, rest) in [
            ("http://a.example/v1/x?y", "/v1/x?y"), ("HTTPS://A.example:443/", "/"), ("http://a.example", ""),
            ("http://a.example:80?x=1", "?x=1"),
        ] {
            let request = try ParsedRequest("GET \(target) HTTP/1.1\r\nHost: a.example\r\n\r\n")
            #expect(request[request.head.target] == rest)
            #expect(request.head.authority != nil)
        }
        let request = try ParsedRequest("GET http://[::1]:81/x HTTP/1.1\r\nHost: [::1]:81\r\n\r\n")
        #expect(request.head.authority.map { request[$0] } == "[::1]:81")
    }

    @Test func absoluteFormAndHostNameTheSameServer() {
        for (target, host) in [
            ("http://a/", "b"), ("http://a:81/", "a"), ("http://a/", "a:81"), ("https://a:80/", "a"),
            ("http://a:443/", "a"),
        ] {
            #expect(refusal(target: target, host: host) == .authorityMismatch, "\(target) \(host)")
        }
        for (target, host) in [("http://A/", "a"), ("http://a:80/", "a"), ("https://a/", "a:443"), ("http://a:/", "a")]
        {
            #expect(refusal(target: target, host: host) == nil, "\(target) \(host)")
        }
    }

    @Test(arguments: ["*", "a/b", "a:80", "ftp://a/", "http:/a", "http://", "http:///x", "http://u@a/", "?x", "http:a"])
    func otherFormsAreRefused(target: String) { #expect(refusal(target: target) == .target) }

    @Test func hostIsExactlyOneAuthority() {
        for host in ["a", "A.b-c_d~1", "127.0.0.1:8080", "[::1]", "[1:2::3.4.5.6]:1", "a:", "a%20b", "a.", "x=y:65535"]
        {
            #expect(refusal(target: "/", host: host) == nil, "\(host)")
        }
        for host in [
            "", "a b", "a/b", "a:b", "a:1:2", "a:65536", "a:000080", "u@a", ":80", "[::1", "[]", "[::1]x", "[g::]",
            "a\\b", "a%2", "a\u{e4}", "[::1%25eth0]", "http://a",
        ] {
            #expect(refusal(target: "/", host: host) == .hostInvalid, "\(host)")
        }
        #expect(HTTPTests.refusal("GET / HTTP/1.0\r\n\r\n") == nil)
    }
}
