import Foundation
import HTTP
import TestSupport
import Testing

@testable import AppleMusic
@testable import Proxy

@Suite struct ForwardedRequestTests {
    private static let subsets: [ForwardedFields.Subset] = [.all, .impersonal, .none]

    /// The request that goes to the origin for one with these field lines.
    private func forward(
        _ line: String, _ fields: String = "", subset: ForwardedFields.Subset = .all, developerToken: String? = "dev",
        userToken: String? = nil, refreshes: Bool = false, dropsAuthorization: Bool = false, origin: String? = nil,
        permitted: [String] = []
    ) throws -> String {
        let client = try ParsedRequest("\(line) HTTP/1.1\r\nHost: p\r\n\(fields)\r\n")
        let request = ForwardedRequest(
            head: client.head, bytes: client.bytes.span, canonical: try CanonicalTarget(client[client.head.target]),
            body: [], subset: subset, refreshes: refreshes, dropsAuthorization: dropsAuthorization,
            user: NamedUser(of: client.head, client.bytes.span), permitted: NamedFields(permitted))
        let serialised = request.head(
            .init(
                authority: Array("api.music.apple.com".utf8),
                developerToken: developerToken.map { SecretBytes(Array($0.utf8).span) },
                userToken: userToken.map { SecretBytes(Array($0.utf8).span) }, origin: origin.map { Array($0.utf8) },
                acceptsGzip: request.welcomesGzip, name: ViaChain.Name(10)))
        return String(decoding: serialised, as: UTF8.self)
    }

    @Test func theDeveloperTokenReplacesTheClients() throws {
        let field = "Authorization: Bearer client\r\n"
        let text = try forward("GET /v1/test", field)
        #expect(text.hasPrefix("GET /v1/test HTTP/1.1\r\nHost: api.music.apple.com\r\n"))
        #expect(text.contains("Authorization: Bearer dev\r\n") && !text.contains("client"))
        #expect(!text.contains("Host: p\r"))
        #expect(try forward("GET /v1/test", field, developerToken: nil).contains(field))
        let withKey = try forward("GET /v1/test", field, developerToken: nil, dropsAuthorization: true)
        #expect(!withKey.contains("client"), "a key for the proxy does not reach the origin")
    }

    /// Whatever the client accepts: it is answered from the stored answer.
    @Test(arguments: [
        ("GET /v1/catalog/us/albums/1", ForwardedFields.Subset.none, true),
        ("HEAD /v1/catalog/us/albums/1", .none, false), ("GET /v1/catalog/us/albums/1", .impersonal, false),
        ("GET /v1/catalog/us/albums/1", .all, false), ("GET /v1/me/library/songs", .none, true),
    ])
    func gzipIsWelcomeWhereTheOperatorsRuleCounts(
        line: String, subset: ForwardedFields.Subset, isWelcome: Bool
    ) throws {
        let sent = try forward(line, "Accept-Encoding: deflate\r\n", subset: subset)
        #expect(sent.contains("\r\nAccept-Encoding: \(isWelcome ? "gzip" : "identity")\r\n"))
        #expect(!sent.contains("deflate"))
    }

    @Test func hopByHopFieldsAndThoseThatConnectionNamesEndHere() throws {
        let text = try forward(
            "GET /test",
            "Connection: close, X-Secret, Range, Authorization\r\nRange: bytes=0-1\r\nX-Secret: 1\r\nTE: trailers\r\n"
                + "Upgrade: h2c\r\nKeep-Alive: 5\r\nProxy-Authorization: x\r\nX-Kept: 2\r\n")
        #expect(text.contains("X-Kept: 2\r\n"))
        for gone in ["X-Secret", "Range", "TE:", "Upgrade", "Keep-Alive", "Proxy-Authorization", "close"] {
            #expect(!text.contains(gone), "\(gone)")
        }
        // The token is for the origin, not for the next hop, whatever `Connection` says.
        #expect(text.contains("Authorization: Bearer dev\r\n"))
        let own = "Connection: authorization\r\nAuthorization: Bearer client\r\n"
        #expect(try forward("GET /test", own, developerToken: nil).contains("\r\nAuthorization: Bearer client\r\n"))
    }

    /// One client's fields must not shape an answer that others will get.
    @Test func sharedRequestsCarryNoFieldsThatSayWhoAsks() throws {
        let text = try forward(
            "GET /v1/catalog/us/albums/1",
            "Accept: text/html\r\nUser-Agent: app\r\nAccept-Language: de\r\nCookie: a=b\r\nIf-None-Match: \"x\"\r\n"
                + "Range: bytes=0-1\r\nX-Any: 1\r\n", subset: .none)
        for gone in ["text/html", "app", "Accept-Language", "Cookie", "If-None-Match", "Range", "X-Any"] {
            #expect(!text.replacingOccurrences(of: "api.music.apple.com", with: "").contains(gone), "\(gone)")
        }
        // Under the rules of the origin.
        let personal = "Cookie: a=b\r\nOrigin: https://a.example\r\nX-Any: 1\r\n"
        let followed = try forward("GET /test", personal, subset: .impersonal)
        #expect(followed.contains("X-Any: 1\r\n"))
        #expect(!followed.contains("Cookie") && !followed.contains("Origin"))
        let fields = "X-Client-Version: 3\r\nX-Users: 7\r\nX-Apple-Store-Front: 1\r\nAccept-Language: de\r\n"
        #expect(try forward("GET /test", fields, subset: .impersonal).contains(fields))
    }

    /// It opens the proxy, and it would shape or reach an answer for others.
    @Test(arguments: subsets)
    func aKeyInAFieldOfItsOwnDoesNotReachTheOrigin(subset: ForwardedFields.Subset) throws {
        for name in ["X-Refrain-Key", "x-refrain-key", "X-REFRAIN-KEY"] {
            let text = try forward("GET /v1/test", "\(name): canary\r\nX-Any: 1\r\n", subset: subset)
            #expect(!text.contains("canary") && !text.lowercased().contains("x-refrain"), "\(name)")
        }
    }

    /// The page's own and the token's came to the origin both.
    @Test func theSiteOfThePageIsNotNamed() throws {
        func sent(_ subset: ForwardedFields.Subset, _ token: String? = "dev", for origin: String? = nil) throws
            -> String
        {
            let page = "Origin: https://page.example\r\n"
            return try forward("GET /test", page, subset: subset, developerToken: token, origin: origin)
        }
        for subset in Self.subsets {
            let text = try sent(subset, for: "https://app.example")
            #expect(text.contains("Origin: https://app.example\r\n") && !text.contains("page.example"))
            #expect(try !sent(subset).contains("Origin") && !sent(subset, nil).contains("Origin"))
        }
    }

    /// An origin that believes them answers another request, or another user, than the keyed one.
    @Test(arguments: [
        "X-HTTP-Method-Override: DELETE", "X-Http-Path-Override: /", "X-Original-URL: /v1/me", "x-forwarded-host: evil",
        "X_Forwarded_Host: evil", "Forwarded: host=evil", "X-Forwarded-For: 1.2.3.4", "X-Forwarded: x",
        "X-Rewrite-URL: /v1/me", "X-Remote-User: anna", "Remote_User: anna", "X-Real-IP: 1.2.3.4",
        "True-Client-IP: 1.2.3.4", "X-Middleware-Subrequest: x", "Proxy: http://evil", "X-Client-Cert: x",
    ])
    func gatewayFieldsAreForwardedOnlyIfNamed(field: String) throws {
        let name = String(field.prefix { $0 != ":" })
        for subset in Self.subsets {
            let text = try forward("GET /test", field + "\r\n", subset: subset)
            #expect(!text.lowercased().contains(name.lowercased() + ":"))
        }
        for target in ["/test", "/v1/test"] {
            let text = try forward("GET \(target)", field + "\r\n", permitted: [name])
            #expect(text.contains(field + "\r\n"))
        }
    }

    private static let parent = "traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01\r\n"

    /// Trace fields go on to systems that this project does not know, so their size is bounded.
    @Test(arguments: subsets)
    func aTraceGoesAlongAsOneParentAndOneStateOf512Bytes(subset: ForwardedFields.Subset) throws {
        let line = "GET /v1/test"
        func state(_ count: Int) -> String { "tracestate: \(String(repeating: "a", count: count))\r\n" }
        let most = try forward(line, Self.parent + state(512), subset: subset)
        #expect(most.contains(Self.parent + state(512)))
        for tooMuch in [state(513), state(3) + state(3)] {
            let text = try forward(line, Self.parent + tooMuch, subset: subset)
            #expect(text.contains(Self.parent) && !text.contains("tracestate"))
        }
        for parents in [Self.parent + Self.parent, "traceparent: x\r\n", ""] {
            #expect(try !forward(line, parents + state(3), subset: subset).contains("trace"))
        }
        let refresh = try forward(line, Self.parent, subset: subset, refreshes: true)
        #expect(!refresh.contains("traceparent"), "refreshes are not traced")
    }

    /// `Referer`, `User-Agent`, `Accept-Language` and fields of apps told Apple about a user.
    @Test func theAPIGetsTheFieldsThatItNeedsAndNoOthers() throws {
        let needed =
            "Accept: application/json\r\nContent-Type: application/json\r\nContent-Encoding: gzip\r\n"
            + "Cache-Control: no-cache\r\nIf-None-Match: \"x\"\r\nRange: bytes=0-1\r\n"
        let others =
            "Referer: https://a.example/b\r\nUser-Agent: app\r\nAccept-Language: de\r\nX-Any: 1\r\nFrom: a@b.example\r\n"
            + "X-Forwarded-For: 1.2.3.4\r\nOrigin: https://a.example\r\nDNT: 1\r\nSec-CH-UA: x\r\n"
        for request in ["GET /v1/me/library", "POST /v1/me/library", "POST /elsewhere", "GET /v1/unknown"] {
            let text = try forward(request, others + needed)
            #expect(text.contains("\r\n" + needed + "User-Agent: refrain\r\n"), "\(text)")
            for field in others.split(separator: "\r\n") where !field.hasPrefix("User-Agent") {
                #expect(!text.contains(field), "\(request)")
            }
        }
    }

    @Test func aFieldThatSaysWhereAUserIsIsNeverBesideAToken() throws {
        let names = ["X-Forwarded-For", "X-App-Version", "User-Agent"]
        let fields = "X-App-Version: 7\r\nUser-Agent: app\r\nX-Forwarded-For: 1.2.3.4\r\n"
        func sent(_ request: String) throws -> String {
            try forward(request, fields, userToken: "operator", permitted: names)
        }
        for request in ["GET /v1/me/library", "POST /v1/me/library", "GET /v1/catalog/us/songs/1?include=library"] {
            let text = try sent(request)
            #expect(text.contains("X-App-Version: 7\r\nUser-Agent: app\r\n") && !text.contains("1.2.3.4"))
            #expect(!text.contains("User-Agent: refrain"))
        }
        for request in ["POST /v1/catalog/us/songs", "GET /elsewhere"] { #expect(try sent(request).contains(fields)) }
    }

    @Test func theTokenAloneGoesToPersonalRoutesAlone() throws {
        for field in ["Music-User-Token: anna", "media-user-token: anna", "Cookie: a=b; media-user-token=anna; c=d"] {
            let fields = field + "\r\n"
            for target in ["/v1/test", "/v1/catalog/us/songs/1"] {
                #expect(try !forward("GET \(target)", fields).contains("anna"), "\(field)")
            }
            #expect(try forward("GET /v1/me/library/songs", fields).contains("anna"), "\(field)")
            #expect(try !forward("GET /v1/storefronts", fields, userToken: "operator").contains("operator"))
        }
        // They went to the origin with personal requests, as did the session of the admin listener.
        let field = "Cookie: refrain_session=canary; media-user-token=\"anna\"; c=d\r\n"
        let text = try forward("GET /v1/me/library", field, userToken: "operator")
        #expect(text.contains("\r\nCookie: media-user-token=anna\r\n"))
        #expect(!text.contains("canary") && !text.contains("c=d") && !text.contains("Music-User-Token"))
        for request in ["GET /v1/catalog/us/songs/1", "GET /elsewhere", "POST /v1/catalog/us/songs", "POST /a"] {
            #expect(try !forward(request, field).contains("Cookie"), "\(request)")
        }
    }

    /// The API knows one name of the field, and the web player's host the other.
    @Test func aUserIsNamedOnceUnderTheNamesThatTheClientUsed() throws {
        func tokens(_ fields: String) throws -> [String] {
            let text = try forward("GET /v1/me/library", fields, userToken: "operator")
            return text.split(separator: "\r\n").map(String.init).filter { $0.lowercased().contains("user-token") }
        }
        let own = "Music-User-Token: anna"
        #expect(try tokens("") == ["Music-User-Token: operator"])
        #expect(try tokens("Music-User-Token:\r\n") == ["Music-User-Token: operator"])
        #expect(try tokens(own + "\r\n") == [own])
        #expect(try tokens(own + "\r\n" + own + "\r\n") == [own])
        #expect(try tokens("Media-User-Token: anna\r\n") == [own, "media-user-token: anna"])
        #expect(try tokens("Media-User-Token: anna\r\n" + own + "\r\n") == [own, "media-user-token: anna"])
    }

    /// A spelling that shares another's key could get a different answer, and be stored for both.
    @Test func theCanonicalTargetIsWhatIsSent() throws {
        for subset in [ForwardedFields.Subset.none, .impersonal] {
            let text = try forward("GET /v1/catalog/us/%61lbums/?ids=2%2C1&include=b,a", subset: subset)
            #expect(text.hasPrefix("GET /v1/catalog/us/albums?ids=2,1&include=a,b HTTP/1.1\r\n"), "\(text)")
        }
    }

    /// Two proxies that led to each other lost the chain with each request that one of them made.
    @Test func aRequestOfTheProxysOwnBearsTheChainOfTheClientsRequest() throws {
        let client = try ParsedRequest(fields: "Via: 1.1 refrain-000000000000000b")
        let own = ForwardedRequest(
            for: try CanonicalTarget("/v1/catalog/us/songs?ids=1,2"), authorization: nil,
            via: ViaChain(client.head, client.bytes.span))
        let sent = own.head(.init(authority: Array("a".utf8), name: ViaChain.Name(10)))
        let text = String(decoding: sent, as: UTF8.self)
        #expect(text.hasSuffix("Via: 1.1 refrain-000000000000000b, 1.1 refrain-000000000000000a\r\n\r\n"), "\(text)")
    }

    /// A library search came back in another order than the client had asked for.
    @Test(arguments: [
        ("GET", "/v1/me/library/search", ForwardedFields.Subset.none), ("GET", "/v1/me/library/songs", .impersonal),
        ("GET", "/v1/catalog/us/songs/1", .all), ("POST", "/v1/me/library", .all),
    ])
    func theQueryOfOneClientAloneGoesOutAsItWasWritten(method: String, path: String, subset: ForwardedFields.Subset)
        throws
    {
        let query = "?types=b,a&term=a%20b&include%5bx%5D=c,b,c&&a=1"
        let text = try forward("\(method) /\(path)/\(query)", subset: subset)
        #expect(text.hasPrefix("\(method) \(path)\(query) HTTP/1.1\r\n"), "\(text)")
    }
}
