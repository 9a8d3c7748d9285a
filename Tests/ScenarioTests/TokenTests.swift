import AppleMusic
import EventLoop
import Foundation
import Proxy
import Simulator
import Synchronization
import TestSupport
import Testing

/// Which credentials travel where.
@Suite(.timeLimit(.minutes(10))) struct TokenTests {
    @Test func theClientsAuthorizationNeverReachesTheOrigin() throws {
        let directory = try TemporaryFolder()
        let file = try directory.put("token-of-the-proxy\n", "token", mode: 0o600)
        let origin = try FakeOrigin { _ in FakeOrigin.Reply() }
        let proxy = try ProxyUnderTest(
            originPort: origin.port,
            credentials: Credentials(developer: try DeveloperTokens(tokenFile: file), musicUser: nil))
        defer { proxy.stop() }
        for target in ["/v1/catalog/us/albums/1", "/v1/me/storefront", "/v1/storefronts"] {
            _ = try proxy.client.send(
                "GET", target, fields: [("Authorization", "Bearer canary-client"), ("Music-User-Token", "canary-user")])
        }
        let requests = origin.requests
        #expect(requests.count == 3)
        for request in requests {
            #expect(request.field("authorization") == "Bearer token-of-the-proxy")
            #expect(!request.fields.contains { $0.value.contains("canary-client") })
            #expect((request.field("music-user-token") != nil) == request.target.hasPrefix("/v1/me"))
        }
    }

    @Test func aRejectedTokenIsReadAnewAndTheRequestTriedOnceMore() throws {
        let directory = try TemporaryFolder()
        let file = try directory.put("old", "token", mode: 0o600)
        let origin = try FakeOrigin { request in
            FakeOrigin.Reply(status: request.field("authorization") == "Bearer new" ? 200 : 401, body: "")
        }
        let proxy = try ProxyUnderTest(
            originPort: origin.port,
            credentials: Credentials(developer: try DeveloperTokens(tokenFile: file), musicUser: nil))
        defer { proxy.stop() }
        _ = try directory.put("new", "token", mode: 0o600)
        #expect(try proxy.client.send("GET", "/v1/catalog/us/albums/1").status == 200)
        #expect(origin.requests.map { $0.field("authorization") } == ["Bearer old", "Bearer new"])
    }

    @Test func aTokenThatStaysRejectedIsTriedNoMoreThanOnce() throws {
        let directory = try TemporaryFolder()
        let file = try directory.put("old", "token", mode: 0o600)
        let origin = try FakeOrigin { _ in FakeOrigin.Reply(status: 401, body: "") }
        let proxy = try ProxyUnderTest(
            originPort: origin.port,
            credentials: Credentials(developer: try DeveloperTokens(tokenFile: file), musicUser: nil))
        defer { proxy.stop() }
        #expect(try proxy.client.send("GET", "/v1/catalog/us/albums/1").status == 401)
        #expect(origin.requests.count == 1, "the file holds the same token, so trying again makes no sense")
    }

    /// Apple answers each DELETE in a library 401: it was sent twice, the token made anew, and the
    /// operator warned.
    @Test(arguments: ["DELETE", "POST", "PUT"]) func aWriteThatIsRefusedIsSentOnce(method: String) throws {
        let directory = try TemporaryFolder()
        let tokens = try DeveloperTokens(tokenFile: try directory.put("old", "token", mode: 0o600))
        let warnings = Warnings()
        let origin = try FakeOrigin { _ in FakeOrigin.Reply(status: 401, body: "") }
        let proxy = try ProxyUnderTest(
            originPort: origin.port, credentials: Credentials(developer: tokens, musicUser: nil),
            warn: { warnings.add($0) })
        defer { proxy.stop() }
        _ = try directory.put("new", "token", mode: 0o600)
        let target = "/v1/me/library/playlists/p.1"
        #expect(try proxy.client.send(method, target, fields: [("Music-User-Token", "a")]).status == 401)
        #expect(origin.requests.count == 1 && warnings.all.isEmpty && tokens.lastRefusal == nil)
        #expect(proxy.statistics[.upstreamErrors] == 0)
    }

    /// A token that had expired showed as misses like others, in no counter of errors.
    @Test(arguments: [401, 403]) func aTokenThatTheOriginRefusesIsAFailureOfItsOwnKind(status: Int) throws {
        let directory = try TemporaryFolder()
        let tokens = try DeveloperTokens(tokenFile: try directory.put("old", "token", mode: 0o600))
        let origin = try FakeOrigin { _ in FakeOrigin.Reply(status: status, body: "") }
        let proxy = try ProxyUnderTest(
            originPort: origin.port, credentials: Credentials(developer: tokens, musicUser: nil))
        defer { proxy.stop() }
        let reply = try proxy.client.send("GET", "/v1/catalog/us/albums/1")
        #expect(reply.status == status)
        #expect(reply.field("Cache-Status")?.contains("detail=upstream-refused") == true)
        #expect(proxy.statistics[.upstreamErrors] == 1 && proxy.statistics[because: .upstreamRefused] == 1)
        #expect(tokens.lastRefusal != nil)
        let explanation = try #require(proxy.explain("/v1/catalog/us/albums/1"))
        #expect(explanation.lastAnswer?.status == status && explanation.lastAnswer?.reason == .upstreamRefused)
        let user = try proxy.client.send("GET", "/v1/me/storefront", fields: [("Music-User-Token", "a")])
        #expect(user.field("Cache-Status")?.contains("upstream-refused") == (status == 401), "403 is about the user")
    }

    /// With personal traffic alone the proxy's own token was refused for hours, and no alert came.
    @Test func aTokenThatIsRefusedOnPersonalRequestsAloneIsAFailureToo() throws {
        let directory = try TemporaryFolder()
        let tokens = try DeveloperTokens(tokenFile: try directory.put("old", "token", mode: 0o600))
        let origin = try FakeOrigin { _ in FakeOrigin.Reply(status: 401, body: "") }
        let proxy = try ProxyUnderTest(
            originPort: origin.port, credentials: Credentials(developer: tokens, musicUser: nil))
        defer { proxy.stop() }
        let target = "/v1/me/library/songs"
        for _ in 0..<2 {
            let reply = try proxy.client.send("GET", target, fields: [("Music-User-Token", "a")])
            #expect(reply.status == 401)
            #expect(reply.field("Cache-Status")?.contains("detail=upstream-refused") == true)
        }
        #expect(proxy.statistics[because: .upstreamRefused] == 2 && proxy.statistics[.upstreamErrors] >= 2)
        #expect(tokens.lastRefusal != nil)
        let nobody = try proxy.client.send("GET", target)
        #expect(nobody.field("Cache-Status")?.contains("upstream-refused") == false, "it says nothing of the token")
        #expect(proxy.statistics[because: .upstreamRefused] == 2)
    }

    @Test func anErrorThatIsNotStoredIsRememberedForWhoAsksWhy() throws {
        let origin = try FakeOrigin { _ in FakeOrigin.Reply(status: 400, body: "") }
        let proxy = try ProxyUnderTest(originPort: origin.port)
        defer { proxy.stop() }
        #expect(try #require(proxy.explain("/v1/catalog/us/albums/1")).lastAnswer == nil)
        _ = try proxy.client.send("GET", "/v1/catalog/us/albums/1")
        let last = try #require(proxy.explain("/v1/catalog/us/albums/1")?.lastAnswer)
        #expect(last.status == 400 && last.reason == .status)
        #expect(proxy.explain("/v1/catalog/us/albums/2")?.lastAnswer == nil)
    }

    @Test func aForbiddenUserTokenIsTheAppsToRenew() throws {
        let body =
            #"{"errors":[{"status":"403","code":"40300","title":"Forbidden","detail":"Invalid authentication"}]}"#
        let origin = try FakeOrigin { _ in FakeOrigin.Reply(status: 403, body: body) }
        let proxy = try ProxyUnderTest(originPort: origin.port)
        defer { proxy.stop() }
        let reply = try proxy.client.send("GET", "/v1/me/storefront", fields: [("Music-User-Token", "dead")])
        #expect(reply.status == 403)
        #expect(reply.body == Data(body.utf8))
        #expect(origin.requests.count == 1)
    }

    /// An origin that echoes TRACE would hand the proxy's own token to whoever asks.
    @Test(arguments: ["TRACE", "TRACK", "track"]) func traceIsNotForwarded(method: String) throws {
        let origin = try FakeOrigin { _ in FakeOrigin.Reply() }
        let proxy = try ProxyUnderTest(originPort: origin.port)
        defer { proxy.stop() }
        let reply = try proxy.client.send(method, "/v1/test")
        #expect(reply.status == 405)
        #expect(reply.field("Allow")?.contains("GET") == true)
        #expect(origin.requests.isEmpty)
    }

    /// Any page can make a browser send requests to this machine, and rebind its own name to it.
    @Test func aWebPageDoesNotActWithTheOperatorsUserToken() throws {
        let directory = try TemporaryFolder()
        let token = try SecretFile.readToken(directory.put("operator", "user", mode: 0o600))
        let origin = try FakeOrigin { _ in FakeOrigin.Reply() }
        let named = CrossOrigin.only([PageOrigin("https://mine.example")])
        for (policy, fields, isSent) in [
            (CrossOrigin.any, [], true), (.any, [("Origin", "https://evil.example")], false),
            (named, [("Origin", "https://evil.example")], false), (named, [("Origin", "https://mine.example")], true),
            (.any, [("Sec-Fetch-Site", "cross-site")], false), (.any, [("Sec-Fetch-Site", "same-site")], false),
            (.any, [("Sec-Fetch-Site", "none")], true), (.any, [("Sec-Fetch-Site", "same-origin")], true),
        ] {
            let proxy = try ProxyUnderTest(
                originPort: origin.port, credentials: Credentials(developer: nil, musicUser: token), crossOrigin: policy
            )
            let reply = try proxy.client.send("GET", "/v1/me/storefront", fields: fields)
            #expect(reply.field("Cross-Origin-Resource-Policy") == "same-origin")
            #expect(reply.field("X-Content-Type-Options") == "nosniff")
            #expect((origin.requests.last?.field("music-user-token") == "operator") == isSent, "\(fields)")
            let client = try RawClient(port: UInt16(proxy.port))
            try client.send("GET /v1/me/storefront HTTP/1.1\r\nHost: rebound.example\r\nConnection: close\r\n\r\n")
            _ = client.read()
            client.close()
            #expect(origin.requests.last?.field("music-user-token") == nil)
            proxy.stop()
        }
    }

    /// Both went out: the client was shown the operator's library, and could write there.
    @Test(arguments: [
        ("Music-User-Token", "anna"), ("media-user-token", "anna"), ("Cookie", "a=b; media-user-token=anna"),
    ])
    func theOperatorsUserTokenStaysAtHomeWhereAUserIsNamed(name: String, value: String) throws {
        let directory = try TemporaryFolder()
        let token = try SecretFile.readToken(directory.put("operator", "user", mode: 0o600))
        let origin = try FakeOrigin { _ in FakeOrigin.Reply() }
        let proxy = try ProxyUnderTest(
            originPort: origin.port, credentials: Credentials(developer: nil, musicUser: token))
        defer { proxy.stop() }
        let targets = ["/v1/me/library/songs", "/v1/catalog/us/songs/1?include=library", "/v1/me/library?ids[songs]=1"]
        for (method, target) in zip(["GET", "GET", "POST"], targets) {
            _ = try proxy.client.send(method, target, fields: [(name, value)])
            let sent = try #require(origin.requests.last)
            #expect(!sent.fields.contains { $0.value.contains("operator") }, "\(method) \(target)")
            #expect(sent.fields.contains { $0.name == name.lowercased() && $0.value == value })
            _ = try proxy.client.send(method, target)
            #expect(origin.requests.last?.field("Music-User-Token") == "operator")
        }
    }

    @Test func personalTargetsStayOutOfTheLog() throws {
        let origin = try FakeOrigin { _ in FakeOrigin.Reply(hangsUp: true) }
        let proxy = try ProxyUnderTest(originPort: origin.port)
        let target = "/v1/me/library/search?term=canary-term"
        _ = try proxy.client.send("GET", target, fields: [("Music-User-Token", "canary-user")])
        _ = try proxy.client.send(
            "OPTIONS", target, fields: [("Origin", "https://a.example"), ("Access-Control-Request-Method", "GET")])
        _ = try proxy.client.send("GET", "/v1/catalog/us/albums/1?l=%22en", fields: [("User-Agent", "a\"b")])
        proxy.stop()
        let log = try proxy.accessLog()
        #expect(!log.contains("canary"))
        #expect(log.contains("\"GET /v1/me/library/search HTTP/1.1\" 502 "))
        #expect(log.contains("a\\u0022b"))
        #expect(log.split(separator: "\n").count == 3)
    }
}
