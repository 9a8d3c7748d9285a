import Foundation
import Testing

@testable import EventLoop
@testable import Proxy

/// Requests that the proxy answers itself: the client and the log are told why.
@Suite(.timeLimit(.minutes(10))) struct RefusalTests {
    private static let album = "/v1/catalog/us/albums/1"

    /// "A client key is needed" was said of wrong keys too, and the log did not tell the rate.
    @Test func aWrongClientKeyIsNotAMissingOneAndNoRate() throws {
        let keys = try ClientKeys(text: "app 0123456789abcdef 1/s\n")
        let proxy = try ProxyUnderTest(before: FakeOrigin(), clientKeys: keys, logFormat: .json)
        // Enough nodes that a second request is too early on the slowest machine.
        proxy.settings.shared.nodes.alive = 4000
        let key = ("X-Refrain-Key", "0123456789abcdef")
        for (fields, status, reason, detail) in [
            ([], 401, "client-key-missing", "A client key is required"),
            ([("Authorization", "Basic abc")], 401, "client-key-missing", "A client key is required"),
            ([("X-Refrain-Key", "0123456789abcdeg")], 401, "client-key-unknown", "The client key in X-Refrain-Key"),
            ([("Authorization", "Bearer eyJ.a.b")], 401, "client-key-unknown", "The token in Authorization"),
            ([key], 200, "absent", ""), ([key], 429, "client-rate", "1 request a second"),
        ] {
            let reply = try proxy.client.send("GET", Self.album, fields: fields)
            #expect(reply.status == status)
            if !detail.isEmpty { #expect(String(decoding: reply.body, as: UTF8.self).contains(detail)) }
            #expect(reply.field("Cache-Status")?.contains(status == 200 ? "uri-miss" : "detail=\(reason)") == true)
        }
        #expect(proxy.statistics[because: .clientKeyUnknown] == 2 && proxy.statistics[.refused] == 5)
        let lines = try proxy.finalJSONLog()
        #expect(
            lines.compactMap { $0["reason"]?.stringValue } == [
                "client-key-missing", "client-key-missing", "client-key-unknown", "client-key-unknown", "absent",
                "client-rate",
            ])
        // They were lines of hyphens.
        #expect(lines.allSatisfy { $0["method"]?.stringValue == "GET" && $0["target"]?.stringValue == Self.album })
        #expect(lines.map { $0["client"]?.stringValue } == [nil, nil, nil, nil, "app", "app"])
    }

    private static let invalid: [(String, String, [(String, String)], Int, String, String)] = [
        ("TRACE", album + "?key=secret", [], 405, album, "trace"),
        ("track", album, [], 405, album, "trace"),
        (
            "POST", "/v1/me/library/songs/i.secret", [("X-HTTP-Method-Override", "GET")], 400,
            "/v1/me/library/{type}/{id}", "method-override"
        ),
        (
            "GET", "/v1/me/library/songs", [("Music-User-Token", "secret"), ("media-user-token", "other")], 400,
            "/v1/me/library/{type}", "user-tokens"
        ),
        ("GET", album + "/../2?key=secret", [], 400, album + "/../...", "target"),
        (
            "OPTIONS", album, [("Origin", "https://a.example"), ("Access-Control-Request-Method", "GET")], 400,
            album, "preflight-content"
        ),
        (
            "GET", album, [("Via", (100...115).map { "1.1 refrain-0123456789abc\($0)" }.joined(separator: ", "))],
            508, album, "loop"
        ),
    ]

    /// The log had neither the line of the request nor its fault.
    @Test func theLogSaysWhyARequestIsInvalid() throws {
        let proxy = try ProxyUnderTest(before: FakeOrigin(), logFormat: .json)
        for (method, target, fields, status, _, cause) in Self.invalid {
            let content = method == "OPTIONS" ? Data("a".utf8) : nil
            let reply = try proxy.client.send(method, target, fields: fields, body: content)
            let allows = reply.field("Allow")?.contains("GET") == true
            #expect(reply.status == status && allows == (status == 405), "\(method) \(cause)")
        }
        #expect(proxy.origin.requests.isEmpty && proxy.statistics[.upstreamErrors] == 0)
        let lines = try proxy.finalJSONLog()
        try #require(lines.count == Self.invalid.count)
        for (line, (method, _, _, _, logged, cause)) in zip(lines, Self.invalid) {
            let words = ["method", "target", "reason", "detail"].map { line[$0]?.stringValue }
            #expect(words == [method, logged, "invalid-request", cause])
        }
    }

    /// Each of them went to the origin with the operator's token.
    @Test func pathsOutsideOfTheAPICanBeRefused() throws {
        let proxy = try ProxyUnderTest(before: FakeOrigin())
        #expect(try proxy.client.send("GET", "/.env").status == 200)
        try proxy.adopt { $0.service.servesOther = false }
        for target in ["/.env", "/v1", "/v10/catalog", "/", "/v2/me", "/wp-login.php?a=b"] {
            let answer = try proxy.client.send("GET", target)
            #expect(answer.status == 404, "\(target)")
            #expect(String(decoding: answer.body, as: UTF8.self).contains("under /v1/"))
            #expect(answer.field("Cache-Status") == "refrain; detail=off", "as it is explained")
        }
        #expect(try proxy.client.send("POST", "/.git/config", body: Data([1])).status == 404)
        #expect(try proxy.client.send("GET", "/v1/catalog/us/songs/1").status == 200)
        #expect(proxy.origin.requests.map(\.target) == ["/.env", "/v1/catalog/us/songs/1"])
        let explained = proxy.explain("/.env")
        #expect(explained?.action == .refuse && explained?.reason == .off && explained?.asksOrigin == .never)
        let log = try proxy.finalLog()
        #expect(log.contains { $0.contains("\"GET /wp-login.php HTTP/1.1\" 404 ") }, "\(log)")
    }

    @Test func aPreflightThatIsRefusedIsSeenInTheLog() throws {
        let proxy = try ProxyUnderTest(
            before: FakeOrigin(), crossOrigin: .only([PageOrigin("https://a.example")]), logFormat: .json)
        for (site, method) in [("https://a.example", "GET"), ("https://b.example", "GET"), ("https://a.example", "X")] {
            let fields = [("Origin", site), ("Access-Control-Request-Method", method)]
            let reply = try proxy.client.send("OPTIONS", "/" + Self.album + "?secret=1", fields: fields)
            #expect(reply.status == 204 && (reply.field("Access-Control-Allow-Origin") == site) == site.contains("a.e"))
        }
        let lines = try proxy.finalJSONLog()
        #expect(lines.map { $0["detail"]?.stringValue } == [nil, "origin-not-allowed", "method-not-allowed"])
        for member in ["outcome", "reason"] { #expect(lines.allSatisfy { $0[member]?.stringValue == "preflight" }) }
        #expect(lines.allSatisfy { $0["target"]?.stringValue == Self.album })
    }

    /// The log did not say which address a page was denied; private parts stay out of it.
    @Test(arguments: [
        ("/v1/me/library/songs/i.private?secret=1", "/v1/me/library/{type}/{id}"), ("/v1/new/private", "other"),
    ])
    func aPreflightAboutWhatIsPrivateIsLoggedByItsRoute(target: String, logged: String) throws {
        let proxy = try ProxyUnderTest(before: FakeOrigin(), logFormat: .json)
        let fields = [("Origin", "https://a.example"), ("Access-Control-Request-Method", "GET")]
        let preflight = try proxy.client.send(
            "OPTIONS", target, fields: fields + [("Access-Control-Request-Headers", "music-user-token")])
        #expect(preflight.status == 204 && preflight.field("Access-Control-Allow-Origin") == "*")
        let allowed = preflight.field("Access-Control-Allow-Headers")
        #expect(allowed?.contains("Music-User-Token") == true && allowed?.hasSuffix(", *") == true)
        #expect(proxy.origin.requests.isEmpty)
        #expect(try proxy.finalJSONLog().map { $0["target"]?.stringValue } == [logged])
    }

    /// The client got an empty 401, and the log said that Apple refused a token that did not exist.
    @Test func aMissingDeveloperTokenIsReported() throws {
        let scene = try ScriptedScene { request in
            FakeOrigin.Reply(status: request.target.contains("words") ? 400 : 401, body: "")
        }
        let proxy = scene.proxy
        for target in [Self.album, "/v1/me/library/songs"] {
            let reply = try proxy.client.send("GET", target)
            #expect(reply.status == 401 && String(decoding: reply.body, as: UTF8.self).contains("No developer token: "))
            #expect(reply.field("Cache-Status")?.contains("fwd-status=401") == true)
        }
        #expect(scene.warnings.all.count { $0.contains("requires a developer token (401)") } == 1)
        #expect(!scene.warnings.all.contains { $0.contains("refuses") })
        #expect(try proxy.client.send("GET", "/v1/catalog/us/albums/words").body.isEmpty, "another error is as it was")
        let bearer = [("Authorization", "Bearer a")]
        #expect(try proxy.client.send("GET", Self.album, fields: bearer).body.isEmpty, "the app's own token is refused")
    }

    /// A read that a field makes of a POST went to the origin as a write.
    @Test(arguments: ["X-HTTP-Method-Override", "x-http-method", "X_Method_Override"])
    func aMethodThatAFieldOverridesIsNotSent(name: String) throws {
        let proxy = try ProxyUnderTest(before: FakeOrigin())
        for method in ["POST", "PUT", "DELETE"] {
            let reply = try proxy.client.send(method, "/v1/me/library?ids[songs]=1", fields: [(name, "GET")])
            #expect(reply.status == 400 && reply.field("Cache-Status") == "refrain; detail=invalid-request")
        }
        #expect(proxy.origin.requests.isEmpty)
        #expect(try proxy.client.send("GET", Self.album, fields: [(name, "DELETE")]).status == 200)
        try proxy.adopt { $0.service.forwardedFields = NamedFields([name]) }
        #expect(try proxy.client.send("POST", "/v1/me/library", fields: [(name, "GET")]).status == 200)
        #expect(proxy.origin.requests.last?.field(name) == "GET", "the operator lets it through")
    }

    /// The upstream leads back to the proxy itself by another one: one request became 114.
    @Test(arguments: [("GET", "/v1/catalog/us/songs?ids=1,2"), ("POST", "/v1/me/library/songs"), ("PUT", "/elsewhere")])
    func aRequestThatComesBackIsRefused(method: String, target: String) throws {
        // Each is the other's origin.
        let one = try ProxyUnderTest(originPort: 1)
        let two = try ProxyUnderTest(originPort: one.port)
        try one.adopt { settings in
            settings.upstream.endpoint = Endpoint(isTLS: false, host: "127.0.0.1", port: UInt16(two.port))
        }
        let answer = try one.client.send(method, target, fields: [("Music-User-Token", "u")])
        #expect(answer.status == 508)
        let requests = one.statistics[.requests] + two.statistics[.requests]
        #expect(requests == 3, "there, to the other, and back")
    }

    /// The same went out four times within four seconds.
    @Test(arguments: [429, 503]) func whatTheOriginWantsLaterIsNotAskedForAgain(status: Int) throws {
        let origin = try FakeOrigin(.init(status: status, fields: [("Retry-After", "3600")], body: "later"))
        let proxy = try ProxyUnderTest(before: origin, policy: Policy(.songs, .fixed(600, stale: 0)))
        for round in 1...3 {
            let answer = try proxy.client.send("GET", "/v1/catalog/us/songs/1")
            #expect(answer.status == status)
            #expect((3500...3600).contains(Int(answer.field("Retry-After") ?? "") ?? 0))
            #expect(origin.requests.count == 1, "round \(round)")
        }
        let other = try proxy.client.send("GET", "/v1/catalog/us/songs/2")
        #expect(origin.requests.count == (status == 429 ? 1 : 2), "a limit is about all, trouble about one")
        #expect(other.status == status)
    }
}
