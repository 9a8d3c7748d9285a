import AppleMusic
import Foundation
import Proxy
import TestSupport
import Testing

/// Which credentials travel where.
@Suite(.timeLimit(.minutes(10))) struct TokenTests {
    private let directory: TemporaryFolder
    private let tokens: DeveloperTokens
    private let warnings = Warnings()

    init() throws {
        directory = try TemporaryFolder()
        tokens = try DeveloperTokens(tokenFile: try directory.put("old", "token", mode: 0o600))
    }

    /// A proxy whose developer token is in a file.
    private func proxy(_ origin: FakeOrigin) throws -> ProxyUnderTest {
        try ProxyUnderTest(
            before: origin, credentials: Credentials(developer: tokens, musicUser: nil),
            warn: { [warnings] in warnings.add($0) })
    }

    /// One before an origin that answers each request with this status.
    private func proxy(_ status: Int) throws -> ProxyUnderTest {
        try proxy(FakeOrigin(.init(status: status, body: "")))
    }

    @Test func aRejectedTokenIsReadAgainAndTheRequestRetried() throws {
        let origin = try FakeOrigin { request in
            FakeOrigin.Reply(status: request.field("authorization") == "Bearer new" ? 200 : 401, body: "")
        }
        let proxy = try proxy(origin)
        _ = try directory.put("new", "token", mode: 0o600)
        #expect(try proxy.client.send("GET", "/v1/catalog/us/albums/1").status == 200)
        #expect(origin.requests.map { $0.field("authorization") } == ["Bearer old", "Bearer new"])
    }

    /// Apple answers each DELETE in a library 401: it was sent twice, and the operator warned.
    @Test func aWriteThatIsRefusedIsSentOnce() throws {
        let proxy = try proxy(401)
        _ = try directory.put("new", "token", mode: 0o600)
        let target = "/v1/me/library/playlists/p.1"
        #expect(try proxy.client.send("DELETE", target, fields: [("Music-User-Token", "a")]).status == 401)
        #expect(proxy.origin.requests.count == 1 && warnings.all.isEmpty && tokens.lastRefusal == nil)
        #expect(proxy.statistics[.upstreamErrors] == 0)
    }

    /// A token that had expired showed as misses like others, in no counter of errors.
    @Test(arguments: [401, 403]) func aTokenThatTheOriginRefusesIsAFailureOfItsOwnKind(status: Int) throws {
        let proxy = try proxy(status)
        let reply = try proxy.client.send("GET", "/v1/catalog/us/albums/1")
        #expect(reply.status == status)
        #expect(reply.field("Cache-Status")?.contains("detail=upstream-refused") == true)
        #expect(proxy.origin.requests.count == 1, "the file holds the same token still")
        #expect(proxy.statistics[.upstreamErrors] == 1 && proxy.statistics[because: .upstreamRefused] == 1)
        #expect(tokens.lastRefusal != nil)
        let explanation = try #require(proxy.explain("/v1/catalog/us/albums/1"))
        #expect(explanation.lastAnswer?.status == status && explanation.lastAnswer?.reason == .upstreamRefused)
        let user = try proxy.client.send("GET", "/v1/me/storefront", fields: [("Music-User-Token", "a")])
        #expect(user.field("Cache-Status")?.contains("upstream-refused") == (status == 401), "403 is about the user")
    }

    /// A wrong key id gave apps a 401 without a word, and the log did not say which key it was.
    @Test func aWrongKeyIsSaidToTheAppAndItsIdToTheOperator() throws {
        let signer = try DeveloperTokenSigner(
            key: SigningKey(pem: SigningKey.generatePEM()), keyID: "WRONGKEYID", teamID: "TEAM123456", lifetime: 3600)
        let signed = try DeveloperTokens(signer: signer, at: Int64(Date().timeIntervalSince1970))
        let origin = try FakeOrigin(.init(status: 401, body: ""))
        let proxy = try ProxyUnderTest(
            before: origin, credentials: Credentials(developer: signed, musicUser: nil),
            warn: { [warnings] in warnings.add($0) })
        for target in ["/v1/catalog/us/albums/1", "/v1/me/library/songs"] {
            let reply = try proxy.client.send("GET", target, fields: [("Music-User-Token", "a")])
            #expect(reply.status == 401 && reply.field("Cache-Status")?.contains("upstream-refused") == true)
            let error = try #require(((reply.json as? [String: Any])?["errors"] as? [[String: String]])?.first)
            #expect(error["status"] == "401" && error["code"] == "40100" && error["title"] == "Unauthorized")
            #expect(error["detail"]?.contains("refused this proxy's own developer token") == true)
        }
        let line = "upstream: refuses the developer token (401) of key id WRONGKEYID, team id TEAM123456: "
        #expect(warnings.all.count == 1 && warnings.all[0].hasPrefix(line), "\(warnings.all)")
        #expect(!warnings.all.joined().contains("eyJ"))
    }

    /// A 403 may be about more than the token, and says so itself.
    @Test func whatTheOriginSaysOfARefusedTokenIsPassedOn() throws {
        func body(_ proxy: ProxyUnderTest) throws -> String {
            let reply = try proxy.client.send("GET", "/v1/catalog/us/albums/1")
            #expect(reply.status == 403)
            return String(decoding: reply.body, as: UTF8.self)
        }
        #expect(try body(proxy(FakeOrigin(.init(status: 403, body: "blocked")))) == "blocked")
        #expect(try body(proxy(403)).contains("\"40300\""))
    }

    /// With personal traffic alone the proxy's own token was refused for hours, and no alert came.
    @Test func aTokenRefusedOnPersonalRequestsIsAFailure() throws {
        let proxy = try proxy(401)
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

    /// Any page can make a browser send requests to this machine, and rebind its own name to it.
    @Test func aWebPageDoesNotActWithTheOperatorsUserToken() throws {
        let token = try SecretFile.readToken(directory.put("operator", "user", mode: 0o600))
        let origin = try FakeOrigin()
        let named = CrossOrigin.only([PageOrigin("https://mine.example")])
        for (policy, fields, isSent) in [
            (CrossOrigin.any, [], true), (.any, [("Origin", "https://evil.example")], false),
            (named, [("Origin", "https://evil.example")], false), (named, [("Origin", "https://mine.example")], true),
            (.any, [("Sec-Fetch-Site", "cross-site")], false), (.any, [("Sec-Fetch-Site", "same-site")], false),
            (.any, [("Sec-Fetch-Site", "none")], true), (.any, [("Sec-Fetch-Site", "same-origin")], true),
        ] {
            let credentials = Credentials(developer: nil, musicUser: token)
            let proxy = try ProxyUnderTest(before: origin, credentials: credentials, crossOrigin: policy)
            let reply = try proxy.client.send("GET", "/v1/me/storefront", fields: fields)
            #expect(reply.field("Cross-Origin-Resource-Policy") == "same-origin")
            #expect(reply.field("X-Content-Type-Options") == "nosniff")
            #expect((origin.requests.last?.field("music-user-token") == "operator") == isSent, "\(fields)")
            _ = try proxy.connection(
                sending: "GET /v1/me/storefront HTTP/1.1\r\nHost: rebound.example\r\nConnection: close\r\n\r\n"
            ).read()
            #expect(proxy.origin.requests.last?.field("music-user-token") == nil)
        }
    }

    /// Both went out: the client was shown the operator's library, and could write there.
    @Test func theOperatorsUserTokenIsNotSentForANamedUser() throws {
        let token = try SecretFile.readToken(directory.put("operator", "user", mode: 0o600))
        let proxy = try ProxyUnderTest(before: FakeOrigin(), credentials: Credentials(developer: nil, musicUser: token))
        let targets = ["/v1/me/library/songs", "/v1/catalog/us/songs/1?include=library", "/v1/me/library?ids[songs]=1"]
        for (method, target) in zip(["GET", "GET", "POST"], targets) {
            let cookie = [("Cookie", "a=b; media-user-token=anna"), ("Sec-Fetch-Site", "none")]
            _ = try proxy.client.send(method, target, fields: cookie)
            let sent = try #require(proxy.origin.requests.last)
            #expect(!sent.fields.contains { $0.value.contains("operator") }, "\(method) \(target)")
            #expect(sent.field("Cookie") == "media-user-token=anna")
            _ = try proxy.client.send(method, target)
            #expect(proxy.origin.requests.last?.field("Music-User-Token") == "operator")
        }
    }
}
