import TestSupport
import Testing

@testable import HTTP

@Suite struct SiteAddressTests {
    private static let apple = SiteAddress(isTLS: true, host: "api.music.apple.com", port: 443)
    private static let local = SiteAddress(isTLS: false, host: "127.0.0.1", port: 8090)
    private static let colons = SiteAddress(isTLS: false, host: "[::1]", port: 80)

    private func rewritten(_ value: String, _ name: String = "Location", by site: SiteAddress = apple) -> String {
        let (name, value) = (Array(name.utf8), Array(value.utf8))
        let id = FieldName.named(name.span, name.indices)
        let result = site.rewriting(id, name.span, value.span)
        #expect(result == nil || SiteAddress.mayRefer(id, nameCount: name.count))
        return String(decoding: result ?? value, as: UTF8.self)
    }

    @Test(arguments: [
        ("https://api.music.apple.com/v1/a?b=c#d", "/v1/a?b=c#d"), ("HTTPS://API.Music.Apple.COM/", "/"),
        ("https://api.music.apple.com:443/a", "/a"), ("https://api.music.apple.com:/a", "/a"),
        ("https://api.music.apple.com:0443/a", "/a"), ("https://api.music.apple.com./a", "/a"),
        ("https://api.music.apple.com.:443/a", "/a"), ("//api.music.apple.com/a", "/a"),
        ("//api.music.apple.com:443/a", "/a"), ("https://api.music.apple.com", "/"),
        ("https://api.music.apple.com?b=c", "/?b=c"), ("https://api.music.apple.com#d", "/#d"),
        ("https://user:word@api.music.apple.com/a", "/a"), ("https://a@b@api.music.apple.com/a", "/a"),
    ])
    func aReferenceToTheUpstreamLosesItsHost(value: String, expected: String) {
        for name in ["Location", "content-location", "LOCATION"] { #expect(rewritten(value, name) == expected) }
        #expect(rewritten("<\(value)>; rel=next", "Link") == "<\(expected)>; rel=next")
        #expect(rewritten("0; url=\(value)", "Refresh") == "0; url=\(expected)")
    }

    @Test(arguments: [
        "/v1/a", "a", "?b", "#c", "", "../a", "https://music.apple.com/a", "https://api.music.apple.com.evil.example/",
        "http://api.music.apple.com/a", "http://api.music.apple.com:443/a", "https://api.music.apple.com:8443/a",
        "https://xapi.music.apple.com/", "https://evil.example/https://api.music.apple.com/", "//evil.example/",
        "https://api.music.apple.com@evil.example/", "https://api.music.apple.com:443@evil.example/",
        "https://evil.example?@api.music.apple.com/", "https://evil.example#@api.music.apple.com/",
        "https://api.music.apple.com\\@evil.example/", "https:api.music.apple.com", "https:/api.music.apple.com/a",
        "https://api.music.apple.com:99999/", "https://api.music.apple.com:44x/", "ftp://api.music.apple.com/", "//",
        "https://", "https:///a", "api.music.apple.com/a", "x-https://api.music.apple.com/a",
    ])
    func anyOtherReferenceStays(value: String) {
        for name in ["Location", "Content-Location"] { #expect(rewritten(value, name) == value) }
        #expect(rewritten("<\(value)>; rel=next", "Link") == "<\(value)>; rel=next")
    }

    /// The path was read as a host: the client was sent to a host of the path's choosing.
    @Test(arguments: [
        ("//evil.example/", "/.//evil.example/"), ("/\\evil.example", "/./\\evil.example"),
        ("/\t/evil.example", "/./\t/evil.example"), ("///a", "/.///a"),
    ])
    func aPathNeverBecomesAHost(path: String, expected: String) {
        #expect(rewritten("https://api.music.apple.com" + path) == expected)
        #expect(rewritten("//api.music.apple.com" + path) == expected)
    }

    @Test(arguments: [
        ("http://127.0.0.1:8090/a", "/a"), ("http://127.0.0.1/a", nil), ("http://127.0.0.1:80900/a", nil),
        ("https://127.0.0.1:8090/a", nil), ("//127.0.0.1:8090/a", "/a"), ("//127.0.0.1/a", nil),
        ("http://localhost:8090/a", nil),
    ])
    func schemeAndPortCount(value: String, expected: String?) {
        #expect(rewritten(value, by: Self.local) == expected ?? value)
    }

    @Test func anAddressIsInBrackets() {
        #expect(rewritten("http://[::1]/a", by: Self.colons) == "/a")
        #expect(rewritten("http://[::1]:80/a", by: Self.colons) == "/a")
        #expect(rewritten("http://[::2]/a", by: Self.colons) == "http://[::2]/a")
    }

    @Test(arguments: [
        (
            "<https://api.music.apple.com/a>; rel=\"next\"; title=\"<https://api.music.apple.com/b>\", </c>;x, "
                + "<//API.music.apple.com/d>",
            "</a>; rel=\"next\"; title=\"<https://api.music.apple.com/b>\", </c>;x, </d>"
        ), ("<https://api.music.apple.com/a", "</a"), ("<", "<"), ("<>", "<>"),
        ("\"<https://api.music.apple.com/a>", nil),
        ("https://api.music.apple.com/a", nil), ("<https://music.apple.com/a>", nil),
    ])
    func linksAreBetweenBrackets(value: String, expected: String?) {
        #expect(rewritten(value, "Link") == expected ?? value)
    }

    @Test(arguments: [
        ("5;URL='https://api.music.apple.com/a'", "5;URL='/a'"), ("5, https://api.music.apple.com/a", "5, /a"),
        ("5; url = \"https://api.music.apple.com/a\"; x", "5; url = \"/a\"; x"),
        ("5; url='https://api.music.apple.com/a", "5; url='/a"), ("5", nil), ("5;", nil), ("5; url", nil),
        ("5; url=", nil), ("5; url='", nil), ("5; url=https://music.apple.com/", nil), ("", nil),
    ])
    func refreshHasOneAfterTheSeconds(value: String, expected: String?) {
        #expect(rewritten(value, "Refresh") == expected ?? value)
    }

    @Test func otherFieldsAreLeftAlone() {
        for name in ["Server", "X-Location", "Linx", "Reflesh", "ETag", "Set-Cookie"] {
            #expect(rewritten("<https://api.music.apple.com/a>", name) == "<https://api.music.apple.com/a>")
            #expect(rewritten("https://api.music.apple.com/a", name) == "https://api.music.apple.com/a")
        }
    }

    @Test(arguments: [
        ("https://ops.example.com", "ops.example.com", true), ("https://ops.example.com", "OPS.example.com:443", true),
        ("https://ops.example.com:8443", "ops.example.com:8443", true),
        ("http://ops.example.com", "ops.example.com", true),
        ("http://ops.example.com", "ops.example.com:443", false),
        ("https://ops.example.com", "ops.example.com:80", false),
        ("https://ops.example.com", "ops.example.com.", true), ("https://evil.example", "ops.example.com", false),
        ("https://ops.example.com.evil.example", "ops.example.com", false), ("null", "null", false), ("", "", false),
        ("https://", "", false), ("https://a/", "a", false), ("https://u@a", "a", false),
        ("https://a, https://a", "a", false),
        ("app://a", "a", false), ("HTTP://LocalHost:1", "localhost:1", true), ("http://[::1]:8081", "[::1]:8081", true),
    ])
    func anOriginIsOfAHost(origin: String, host: String, expected: Bool) {
        let (origin, host) = (Array(origin.utf8), Array(host.utf8))
        #expect((SiteAddress(origin: origin.span)?.isNamed(byHost: host.span) ?? false) == expected)
    }

    /// Whatever is written, no result names the upstream or begins with another host, and nothing
    /// else changes.
    @Test func noResultLeadsAway() {
        let seed = UInt64.random(in: .min ... .max)
        var random = SeededGenerator(seed: seed)
        let pieces = [
            "https://", "http://", "//", "api.music.apple.com", "API.MUSIC.APPLE.COM.", ":443", ":80", "@", "/", "\\",
            "\t",
            "?", "#", "evil.example", "a", "<", ">", "\"", "; url=", "'", ",", " ", "[::1]", "%61", ".", "..",
        ]
        for _ in 0..<TestSize.of(20_000, release: 400_000) {
            let count = Int.random(in: 1..<9, using: &random)
            let value = (0..<count).map { _ in pieces.randomElement(using: &random)! }.joined()
            let result = rewritten(value)
            guard result != value else { continue }
            #expect(result.hasPrefix("/"), "\(value), seed \(seed)")
            let added = result.hasPrefix("/./") ? 2 : 1
            #expect(value.hasSuffix(result.dropFirst(added)), "\(value), seed \(seed)")
            let second = result.utf8.dropFirst().first
            #expect(second.map { $0 > 0x20 && $0 != 0x2F && $0 != 0x5C } ?? true, "\(value), seed \(seed)")
            _ = (rewritten(value, "Link"), rewritten(value, "Refresh"))
        }
    }
}
