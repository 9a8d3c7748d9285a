import AppleMusic
import Foundation
import Proxy
import TestSupport
import Testing
import Upstream

/// Clients that bring their own developer tokens, which are none of each other's business.
@Suite(.timeLimit(.minutes(10))) struct ClientTokenTests {
    private static let album = "/v1/catalog/us/albums/310730204"

    private static func bearer(_ token: String) -> [(String, String)] { [("Authorization", "Bearer \(token)")] }

    /// An origin that knows the tokens `a` and `b`.
    @Sendable private static func answer(_ request: FakeOrigin.Request) -> FakeOrigin.Reply {
        guard ["Bearer a", "Bearer b"].contains(request.field("authorization")) else {
            return FakeOrigin.Reply(status: 401)
        }
        var reply = FakeOrigin.Reply(body: "{\"data\":[]}")
        reply.fields.append(("ETag", "\"1\""))
        if request.field("if-none-match") == "\"1\"" { (reply.status, reply.body) = (304, "") }
        return reply
    }

    /// Any client was given answers that others had fetched with their tokens.
    @Test func aTokenThatDoesNotWorkGetsNoHit() throws {
        let scene = try ScriptedScene(provesTokens: true, Self.answer)
        let client = scene.proxy.client
        let (a, b, none) = (Self.bearer("a"), Self.bearer("b"), Self.bearer("made-up"))
        #expect(try client.send("GET", Self.album, fields: a).status == 200)
        #expect(try client.send("GET", Self.album, fields: a).field("Cache-Status")?.contains("hit") == true)
        #expect(try client.send("GET", Self.album, fields: none).status == 401)
        #expect(try client.send("GET", Self.album).status == 401)
        #expect(try client.send("HEAD", Self.album).status == 401)
        #expect(scene.origin.requests.count == 4)
        // Another that works is given it once the origin has confirmed that.
        let first = try client.send("GET", Self.album, fields: b)
        #expect(first.status == 200 && first.field("Cache-Status")?.contains("fwd=request; fwd-status=304") == true)
        #expect(try client.send("GET", Self.album, fields: b).field("Cache-Status")?.contains("hit") == true)
        #expect(scene.origin.requests.count == 5)
    }

    @Test func aRefusalOfOneTokenLimitsNoOther() throws {
        let budget = UpstreamBudget()
        let scene = try ScriptedScene(provesTokens: true, budget: budget) { request in
            FakeOrigin.Reply(status: request.field("authorization") == "Bearer a" ? 429 : 200)
        }
        #expect(try scene.proxy.client.send("GET", Self.album, fields: Self.bearer("a")).status == 429)
        #expect(budget.snapshot.rate == nil)
        #expect(try scene.proxy.client.send("GET", Self.album, fields: Self.bearer("b")).status == 200)
        // Clients without a token share the answers that the origin gives to them.
        for isHit in [false, true] {
            #expect(try scene.proxy.client.send("GET", "/v1/catalog/us/albums/2").isHit == isHit)
        }
    }

    /// One user's dead token, or a playlist that a user deletes, made every hit of the app a fetch.
    @Test(arguments: [("GET", 403), ("DELETE", 401)])
    func aUsersFailureLeavesTheDeveloperTokenWorking(method: String, status: Int) throws {
        let scene = try ScriptedScene(provesTokens: true) { request in
            FakeOrigin.Reply(status: request.target.hasPrefix("/v1/me") ? status : 200)
        }
        let user = Self.bearer("app") + [("Music-User-Token", "dead")]
        for _ in 0..<5 {
            #expect(try scene.proxy.client.send("GET", Self.album, fields: Self.bearer("app")).status == 200)
            #expect(try scene.proxy.client.send(method, "/v1/me/library/playlists/p.1", fields: user).status == status)
        }
        #expect(scene.origin.requests.count { $0.target == Self.album } == 1)
    }

    /// The catalog answered a page 401 that the library had just let in: `Origin` did not go along.
    @Test func aTokenBoundToASiteWorksThereAlone() throws {
        let (site, other) = ("https://app.example.com", "https://other.example.com")
        // {"iss":"DEF123GHIJ","origin":["https://app.example.com"]}
        let claims = "eyJpc3MiOiJERUYxMjNHSElKIiwib3JpZ2luIjpbImh0dHBzOi8vYXBwLmV4YW1wbGUuY29tIl19"
        let bound = Self.bearer("eyJhbGciOiJFUzI1NiIsImtpZCI6IkFCQzEyM0RFRkcifQ.\(claims).Yw")
        let scene = try ScriptedScene(provesTokens: true) { request in
            FakeOrigin.Reply(status: request.field("origin") == site ? 200 : 401)
        }
        for _ in 0..<2 {
            #expect(try scene.proxy.client.send("GET", Self.album, fields: bound + [("Origin", site)]).status == 200)
            #expect(try scene.proxy.client.send("GET", Self.album, fields: bound + [("Origin", other)]).status == 401)
            #expect(try scene.proxy.client.send("GET", Self.album, fields: bound).status == 401)
        }
        #expect(scene.origin.requests.count { $0.field("origin") == site } == 1, "the second was a hit")
        #expect(scene.origin.requests.count == 5)
    }

    /// An answer that the origin chose for one site is not for all, whatever its fields say.
    @Test func answersUnderTheOriginsRulesAreNotStoredForASite() throws {
        let scene = try ScriptedScene(provesTokens: true) { _ in
            FakeOrigin.Reply(fields: [("Cache-Control", "public, max-age=60")])
        }
        let fields = Self.bearer("unreadable") + [("Origin", "https://a.example")]
        for _ in 0..<2 { #expect(try scene.proxy.client.send("GET", "/v1/unknown", fields: fields).status == 200) }
        #expect(scene.origin.requests.count == 2 && scene.origin.requests[1].field("origin") == "https://a.example")
    }

    /// An error of the origin does not show that a token works, so it opens no stored answer.
    @Test func staleAnswersAreForWorkingTokensAlone() throws {
        let scene = try ScriptedScene(provesTokens: true, Self.answer)
        _ = try scene.proxy.client.send("GET", Self.album, fields: Self.bearer("a"))
        scene.origin.answer { _ in FakeOrigin.Reply(status: 500) }
        #expect(try scene.proxy.client.send("GET", Self.album, fields: Self.bearer("x")).status == 500)
        #expect(try scene.proxy.client.send("GET", Self.album, fields: Self.bearer("a")).status == 200)
    }

    /// With the proxy's own token a client's field decided how fast all others were served.
    @Test func aClientsFieldDoesNotLowerTheSharedLimit() throws {
        let folder = try TemporaryFolder()
        let developer = try DeveloperTokens(tokenFile: folder.put("a.b.c", "token", mode: 0o600))
        let origin = try FakeOrigin { request in
            FakeOrigin.Reply(status: request.target.contains("refused") || request.field("x-odd") != nil ? 429 : 200)
        }
        let budget = UpstreamBudget()
        let proxy = try ProxyUnderTest(
            before: origin, credentials: Credentials(developer: developer, musicUser: nil), budget: budget)
        #expect(try proxy.client.send("GET", "/odd", fields: [("X-Odd", "1")]).status == 429)
        #expect(budget.snapshot.rate == nil)
        #expect(try proxy.client.send("GET", "/v1/catalog/us/albums/refused").status == 429)
        #expect(budget.snapshot.rate != nil)
    }
}
