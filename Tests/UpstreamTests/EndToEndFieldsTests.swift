import TestSupport
import Testing

@testable import HTTP
@testable import Upstream

@Suite struct EndToEndFieldsTests {
    private func fields(_ lines: String...) -> UpstreamFields? {
        let head = lines.map { $0 + "\r\n" }.joined()
        let text = "HTTP/1.1 200 OK\r\n\(head)Content-Length: 0\r\n\r\n"
        return ResponsePlayer().play(Array(text.utf8), ending: .silence).outcome.response?.fields
    }

    private func text(_ fields: UpstreamFields?) -> String? {
        fields.map { String(decoding: $0.bytes, as: UTF8.self) }
    }

    @Test func endToEndFieldsKeepOrderSpellingAndRepetition() {
        let result = fields("X-b:  2 ", "ETAG: \"x\"", "Etag: 4", "x-B: 3")
        #expect(text(result) == "X-b: 2\r\nETAG: \"x\"\r\nEtag: 4\r\nx-B: 3\r\n")
        #expect(result?.first(.etag).map(Array.init) == Array("\"x\"".utf8))
        #expect(result?.lines.filter { $0.id == .etag }.map { result!.bytes[$0.value].count } == [3, 1])
        #expect(result?.contains(.vary) == false)
        let named = fields("A: 1", "Connection: x-b , a", "X-B: 2", "Connection: C", "C: 3", "D: 4")
        #expect(text(named) == "D: 4\r\n", "those that Connection names end here")
        #expect(result?.lines.map { String(decoding: result!.bytes[$0.line], as: UTF8.self) }.last == "x-B: 3\r\n")
    }

    @Test(arguments: [
        "Connection: keep-alive", "Keep-Alive: timeout=5", "Proxy-Connection: keep-alive", "TE: trailers",
        "Trailer: X-A", "Upgrade: h2c", "Proxy-Authenticate: Basic", "Proxy-Authorization: Basic eA==",
    ])
    func hopByHopFieldsEndHere(line: String) {
        #expect(text(fields("A: 1", line, "B: 2")) == "A: 1\r\nB: 2\r\n")
    }

    /// Such fields went on, and browsers kept them for the proxy's host.
    @Test(arguments: HostFields.names) func fieldsAboutTheOriginsHostEndHere(name: String) {
        #expect(text(fields("A: 1", "\(name): a", "B: 2", "\(name.uppercased()): b")) == "A: 1\r\nB: 2\r\n")
        let interim = "HTTP/1.1 103 Early Hints\r\n\(name.capitalized): a\r\nLink: </a>\r\n\r\n"
        let result = ResponsePlayer().play(
            Array((interim + "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n").utf8), ending: .silence)
        #expect(result.interim.map { String(decoding: $0.fields.bytes, as: UTF8.self) } == ["Link: </a>\r\n"])
    }

    /// Clients went to the origin itself, without the token that the proxy has.
    @Test func referencesToTheOriginLoseItsHost() {
        let result = fields(
            "Location: https://API.music.apple.com/a", "Content-Location: //api.music.apple.com:443/b",
            "Link: <https://api.music.apple.com/c>; rel=next", "Refresh: 1; url=https://api.music.apple.com/d",
            "location: https://music.apple.com/e", "Location: /f", "X: https://api.music.apple.com/g")
        #expect(
            text(result)
                == "Location: /a\r\nContent-Location: /b\r\nLink: </c>; rel=next\r\nRefresh: 1; url=/d\r\n"
                + "location: https://music.apple.com/e\r\nLocation: /f\r\nX: https://api.music.apple.com/g\r\n")
        #expect(result?.first(.location).map(Array.init) == Array("/a".utf8))
    }

    @Test(arguments: ["Cache-Control: private", "Vary: *", "Set-Cookie: a=b", "Content-Encoding: gzip", "ETag: \"a\""])
    func connectionCannotTakeAwayNeededFields(line: String) {
        let name = line.prefix { $0 != ":" }
        #expect(text(fields("Connection: \(name)", line)) == line + "\r\n")
    }
}
