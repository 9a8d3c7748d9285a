import Foundation
import Freshness
import Server
import TestSupport
import Testing

@testable import EventLoop
@testable import Proxy

/// A browser sends cookies with the forms of any site: a cookie alone lets only this host's pages,
/// and those that the operator names, change something.
@Suite(.timeLimit(.minutes(10))) struct CrossSiteTests {
    private typealias Fields = [(String, String)]

    private static let target = "/v1/me/library?ids%5Bsongs%5D=1"
    private static let cookie = ("Cookie", "a=b; media-user-token=anna")
    private static let named = CrossOrigin.only([PageOrigin("https://app.example.com")])
    private static let app = ("Origin", "https://app.example.com")
    private static let evil = ("Origin", "https://evil.example")
    private static func site(_ value: String) -> (String, String) { ("Sec-Fetch-Site", value) }

    /// The fields beside the cookie, and whether the write goes on.
    private static let writes: [(name: String, fields: Fields, isSent: Bool)] = [
        ("a form of another site", [evil, site("cross-site")], false),
        ("a form of a page without an origin", [("Origin", "null"), site("cross-site")], false),
        ("an older browser's", [evil], false),
        ("an older browser's without an origin", [("Origin", "null")], false),
        ("a neighbour's of the same site", [("Origin", "https://other.example.com"), site("same-site")], false),
        ("no browser's", [], false),
        ("a page of this host", [site("same-origin")], true),
        ("the user's own", [site("none")], true),
        ("a page of this host, with its origin", [("Origin", "https://any.example"), site("Same-Origin")], true),
        ("a page that is named", [app, site("same-site")], true),
        ("a page that is named, by an older browser", [app], true),
        ("two sites", [site("same-origin"), site("cross-site")], false),
        ("the same site twice", [site("none"), site("none")], false),
        ("a list of sites", [site("same-origin, none")], false),
        ("an empty site", [site("")], false),
        ("two origins", [app, evil], false),
        ("a list of origins", [("Origin", "https://app.example.com, https://evil.example")], false),
        ("another port", [("Origin", "https://app.example.com:8443")], false),
        ("by plain HTTP", [("Origin", "http://app.example.com")], false),
    ]

    @Test(arguments: writes.indices) func aCookieAloneChangesNothingForOtherSites(index: Int) throws {
        let (name, fields, isSent) = Self.writes[index]
        let proxy = try ProxyUnderTest(before: FakeOrigin(.init(status: 202)), crossOrigin: Self.named)
        for method in ["POST", "PUT", "PATCH", "DELETE", "PURGE"] {
            let before = proxy.origin.requests.count
            let reply = try proxy.client.send(
                method, Self.target, fields: fields + [Self.cookie], body: method == "POST" ? Data("x=1".utf8) : nil)
            #expect(reply.status == (isSent ? 202 : 403), "\(method) \(name)")
            #expect(proxy.origin.requests.count - before == (isSent ? 1 : 0), "\(method) \(name)")
            guard !isSent else { continue }
            #expect(reply.field("Cache-Status") == "refrain; detail=cross-site")
            let error = ((reply.json as? [String: Any])?["errors"] as? [[String: String]])?.first
            #expect(error?["status"] == "403" && error?["detail"]?.contains("Music-User-Token") == true)
        }
        #expect(proxy.statistics[because: .crossSite] == (isSent ? 0 : 5))
        #expect(proxy.statistics[.refused] == (isSent ? 0 : 5))
        let lines = try proxy.finalLog()
        #expect(lines.count == 5 && lines.allSatisfy { $0.contains(" cross-site ") == !isSent }, "\(lines)")
    }

    /// `*` is for those who bring what no browser sends by itself.
    @Test func everySiteIsNoSite() throws {
        let proxy = try ProxyUnderTest(before: FakeOrigin())
        for fields in [[Self.app], [Self.app, Self.site("cross-site")], [("Origin", "*")]] {
            #expect(try proxy.client.send("POST", Self.target, fields: fields + [Self.cookie]).status == 403)
        }
        #expect(proxy.origin.requests.isEmpty)
    }

    @Test(arguments: ["Music-User-Token", "media-user-token"]) func aTokenInAFieldIsNoCookie(name: String) throws {
        let proxy = try ProxyUnderTest(before: FakeOrigin(), crossOrigin: Self.named)
        let token = (name, "anna")
        for fields in [[token], [token, Self.cookie], [Self.cookie, token]] {
            for from in [[], [Self.app, Self.site("cross-site")], [Self.evil, Self.site("cross-site")]] {
                #expect(try proxy.client.send("POST", Self.target, fields: fields + from).status == 200)
            }
        }
        // Empty ones name nobody.
        let empty = try proxy.client.send("POST", Self.target, fields: [(name, ""), Self.cookie])
        #expect(empty.status == 403)
        let other = try proxy.client.send("POST", Self.target, fields: [(name, "ben"), Self.cookie])
        #expect(other.status == 400, "two users")
    }

    /// Pages of other sites cannot read the answers, so they may have them asked for.
    @Test(arguments: ["GET", "HEAD", "OPTIONS"]) func readingByACookieGoesOn(method: String) throws {
        let proxy = try ProxyUnderTest(before: FakeOrigin())
        let fields = [Self.cookie, Self.evil, Self.site("cross-site")]
        let reply = try proxy.client.send(method, "/v1/me/library/songs", fields: fields)
        #expect(reply.status == 200 && reply.field("Access-Control-Allow-Credentials") == nil)
        #expect(reply.field("Cross-Origin-Resource-Policy") == "same-origin")
        let write = try proxy.client.send(
            method, "/v1/me/library/songs", fields: fields + [("X-HTTP-Method-Override", "DELETE")])
        #expect(write.status == 403)
    }

    /// The cookie counts on any path: unknown routes may be a user's, too.
    @Test(arguments: ["/v1/me/library", "/v1/unknown", "/elsewhere", "/v1/catalog/us/songs/1"])
    func eachPathIsGuarded(target: String) throws {
        let proxy = try ProxyUnderTest(before: FakeOrigin())
        #expect(try proxy.client.send("POST", target, fields: [Self.cookie, Self.evil]).status == 403)
        #expect(try proxy.client.send("POST", target, fields: [("Cookie", "theme=dark"), Self.evil]).status == 200)
        #expect(proxy.origin.requests.count == 1)
    }

    /// Browsers leave `Sec-Fetch-Site` out by plain HTTP, and older ones by TLS, too.
    @Test(arguments: [
        ("http://music.example", "music.example", 200), ("https://music.example", "music.example", 200),
        ("https://music.example", "Music.Example:443", 200), ("http://music.example:80", "music.example", 200),
        ("https://music.example:8443", "music.example:8443", 200), ("http://127.0.0.1:8080", "127.0.0.1:8080", 200),
        ("https://music.example:8443", "music.example", 403), ("http://music.example", "music.example:443", 403),
        ("https://evil.example", "music.example", 403), ("https://music.example.evil.example", "music.example", 403),
        ("null", "null", 403), ("", "music.example", 403), ("music.example", "music.example", 403),
    ])
    func anOriginOfThisHostIsAPageOfThisHost(origin: String, host: String, status: Int) throws {
        let proxy = try ProxyUnderTest(before: FakeOrigin())
        let request =
            "DELETE \(Self.target) HTTP/1.1\r\nHost: \(host)\r\nOrigin: \(origin)\r\n"
            + "Cookie: media-user-token=anna\r\nConnection: close\r\n\r\n"
        #expect(try proxy.connection(sending: request).readText().hasPrefix("HTTP/1.1 \(status) "))
        #expect(proxy.origin.requests.count == (status == 200 ? 1 : 0))
    }

    @Test func theSameHoldsByHTTP2() throws {
        let scene = try HTTP2Scene()
        let client = try scene.client()
        let crumbs = [("cookie", "a=b"), ("cookie", "media-user-token=anna")]
        client.send(.head(HTTP2Scene.post + crumbs + [("sec-fetch-site", "cross-site")], stream: 1))
        #expect(client.answer(1).contains("403"))
        client.send(.head(HTTP2Scene.post + crumbs + [("sec-fetch-site", "same-origin")], stream: 3))
        #expect(client.answer(3).contains("POST"))
        client.send(.head(HTTP2Scene.post + crumbs + [("origin", "https://localhost")], stream: 5))
        #expect(client.answer(5).contains("POST"))
        // By plain HTTP anyone on the way can have written the page.
        client.send(.head(HTTP2Scene.post + crumbs + [("origin", "http://localhost")], stream: 7))
        #expect(client.answer(7).contains("403"))
        #expect(scene.origin.requests.count == 2)
    }

    /// The head suffices for the refusal: nothing of the content is kept.
    @Test func aLargeFormIsRefusedBeforeItsContent() throws {
        let proxy = try ProxyUnderTest(before: FakeOrigin())
        let client = try proxy.connection(
            sending: "POST \(Self.target) HTTP/1.1\r\nHost: a\r\nCookie: media-user-token=anna\r\n"
                + "Content-Length: 900000\r\n\r\nx=1")
        #expect(client.read(12) == Array("HTTP/1.1 403".utf8))
    }
}
