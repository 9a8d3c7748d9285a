import Foundation
import Glibc
import HTTP
import TestSupport
import Testing

@testable import Admin
@testable import AppleMusic
@testable import EventLoop
@testable import Server

@Suite(.timeLimit(.minutes(10))) struct SessionsTests {
    private let start = Instant(nanoseconds: 100_000_000_000)

    @Test func aSessionIsOpenByItsNameForTwelveHours() {
        var sessions = Sessions()
        let name = sessions.begin(at: start)
        #expect(name.count == 64)
        for wrong in ["", String(name.dropLast()), name + "0", name.uppercased() + " "] {
            #expect(!sessions.isOpen(Array(wrong.utf8), at: start))
        }
        #expect(!sessions.isOpen(nil, at: start))
        for (seconds, isOpen) in [(0, true), (12 * 3600 - 1, true), (12 * 3600, false)] {
            #expect(sessions.isOpen(Array(name.utf8), at: start + .seconds(seconds)) == isOpen)
        }
        #expect(sessions.begin(at: start) != name)
        sessions = Sessions()
        let names = (0...Sessions.most).map { _ in Array(sessions.begin(at: start).utf8) }
        #expect(!sessions.isOpen(names[0], at: start))
        for name in names.dropFirst() { #expect(sessions.isOpen(name, at: start)) }
        sessions.end(names[1])
        #expect(!sessions.isOpen(names[1], at: start) && sessions.isOpen(names[2], at: start))
    }

    // MARK: Over HTTP

    private func login(
        _ admin: AdminUnderTest, _ token: String, _ fields: [(String, String)] = []
    ) throws -> HTTPTestClient.Reply {
        try admin.client.send("POST", "/login", fields: fields, body: Data("token=\(token)".utf8))
    }

    @Test func aBrowserLogsInAndOut() throws {
        let admin = try AdminUnderTest(token: "correct horse")
        let form = try admin.client.send("GET", "/login")
        #expect(form.status == 200 && form.field("Content-Type") == "text/html; charset=utf-8")
        #expect(form.text.contains("name=token"))
        let browser = [
            ("Origin", "http://127.0.0.1:\(admin.port)"), ("Sec-Fetch-Site", "same-origin"),
            ("Content-Type", "application/x-www-form-urlencoded"),
        ]
        let reply = try login(admin, "correct+horse", browser)
        #expect(reply.status == 303 && reply.field("Location") == "/")
        let cookie = try #require(reply.field("Set-Cookie"))
        #expect(cookie.hasSuffix("; HttpOnly; SameSite=Strict; Path=/; Max-Age=43200"))
        let session = ("Cookie", "a=b; " + String(cookie.prefix { $0 != ";" }))
        #expect(try admin.status("GET", "/stats", [session]) == 200)
        #expect(try admin.status("GET", "/stats", [session, ("Origin", "http://evil.example")]) == 403)
        #expect(try admin.purge(#"{"all":true}"#, [session] + browser).status == 415)
        let json = ("Content-Type", "application/json; charset=utf-8")
        #expect(try admin.purge(#"{"all":true}"#, [session, json] + browser.prefix(2)).status == 200)
        let bye = try admin.client.send("POST", "/logout", fields: [session])
        #expect(bye.status == 303 && bye.field("Location") == "/login")
        #expect(bye.field("Set-Cookie")?.hasPrefix("refrain_session=; ") == true)
        #expect(try admin.status("GET", "/stats", [session]) == 401)
    }

    /// A browser that had shown the old token stayed in for twelve hours.
    @Test func sessionsOutlivedTheTokenThatTheyWereBegunWith() throws {
        let admin = try AdminUnderTest(token: "correct-horse")
        func session(_ token: String) throws -> (String, String) {
            let cookie = try #require(try login(admin, token).field("Set-Cookie"))
            return ("Cookie", String(cookie.prefix { $0 != ";" }))
        }
        let old = try session("correct-horse")
        #expect(try admin.status("GET", "/stats", [old]) == 200)
        admin.access.change(to: SecretBytes(Array("battery-staple".utf8).span))
        #expect(try admin.status("GET", "/stats", [old]) == 401)
        #expect(try admin.status("GET", "/stats", [session("battery-staple")]) == 200)
        #expect(try admin.status("GET", "/stats", [old]) == 401)
    }

    /// The cookie of a page that came by TLS could go out in clear text.
    @Test(
        arguments: [
            ([("Origin", "https://ops.example.com")], true), ([("Origin", "http://ops.example.com")], false),
            ([], false),
            // The page knows best.
            ([("Origin", "http://ops.example.com"), ("X-Forwarded-Proto", "https")], false),
            ([("Origin", "https://ops.example.com"), ("X-Forwarded-Proto", "http")], true),
            ([("X-Forwarded-Proto", "HTTPS, http")], true), ([("X-Forwarded-Proto", "http, https")], false),
            ([("Forwarded", "for=1.2.3.4; proto=https;host=x, for=5.6.7.8;proto=http")], true),
            ([("Forwarded", "proto=\"https\"")], true), ([("Forwarded", "for=1.2.3.4;proto=http")], false),
        ] as [([(String, String)], Bool)])
    func aSessionThatBeganByTLSStaysThere(fields: [(String, String)], isSecure: Bool) throws {
        let admin = try AdminUnderTest(token: "correct-horse")
        func post(_ target: String, _ content: String) throws -> String {
            let client = try RawClient(port: UInt16(admin.port))
            let lines = fields.map { "\($0.0): \($0.1)\r\n" }.joined()
            try client.send(
                "POST \(target) HTTP/1.1\r\nHost: ops.example.com\r\n\(lines)Sec-Fetch-Site: same-origin\r\n"
                    + "Authorization: Bearer correct-horse\r\nContent-Type: application/x-www-form-urlencoded\r\n"
                    + "Content-Length: \(content.utf8.count)\r\nConnection: close\r\n\r\n\(content)")
            return String(decoding: client.read(), as: UTF8.self)
        }
        for (target, content) in [("/login", "token=correct-horse"), ("/logout", "")] {
            let reply = try post(target, content)
            #expect(reply.hasPrefix("HTTP/1.1 303") && reply.contains("\r\nSet-Cookie: refrain_session="), "\(reply)")
            #expect(reply.contains("; HttpOnly; Secure; SameSite=Strict;") == isSecure, "\(reply)")
        }
    }

    @Test func severalSitesAreAnothers() throws {
        let admin = try AdminUnderTest(token: "correct-horse")
        let sites = [("Sec-Fetch-Site", "same-origin"), ("Sec-Fetch-Site", "same-origin")]
        #expect(try login(admin, "correct-horse", sites).status == 403)
        let own = ("Origin", "http://127.0.0.1:\(admin.port)")
        #expect(try login(admin, "correct-horse", [own, own]).status == 403)
    }

    @Test func wrongTokensAndOtherSitesBringNoCookie() throws {
        let admin = try AdminUnderTest(token: "correct-horse")
        for origin in ["http://evil.example", "null"] {
            #expect(try login(admin, "correct-horse", [("Origin", origin)]).status == 403, "\(origin)")
        }
        let reply = try login(admin, "wrong")
        #expect(reply.status == 401 && reply.field("Set-Cookie") == nil)
        #expect(reply.field("WWW-Authenticate") == "Bearer realm=\"refrain\"")
    }

    /// Guessing in parallel is no faster than one at a time.
    @Test func manyWrongTokensAtOnceAreNotAnswered() throws {
        let admin = try AdminUnderTest(token: "correct-horse")
        let request = "GET /stats HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer wrong\r\n\r\n"
        let clients = try (0...AdminAuthorizer.mostDelayed).map { _ in try RawClient(port: UInt16(admin.port)) }
        for client in clients { try client.send(request) }
        let answers = clients.map { String(decoding: $0.read(12), as: UTF8.self) }
        #expect(answers.contains(""))
        #expect(answers.contains("HTTP/1.1 401"))
    }

    /// A wait for another answer takes no place of the waits for guesses, and the other way round.
    @Test func otherAnswersThatWaitLeaveGuessesLate() throws {
        let admin = try AdminUnderTest(token: "correct-horse", explain: { @Sendable _, _ in })
        func client(_ target: String, _ token: String) throws -> RawClient {
            let client = try RawClient(port: UInt16(admin.port))
            try client.send("GET \(target) HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(token)\r\n\r\n")
            return client
        }
        let explained = try (0..<AdminAuthorizer.mostDelayed).map { _ in
            try client("/explain?url=/v1/catalog/us/songs/1", "correct-horse")
        }
        defer { withExtendedLifetime(explained) {} }
        let guess = try client("/stats", "wrong")
        #expect(String(decoding: guess.read(12), as: UTF8.self) == "HTTP/1.1 401")
        let guesses = try (0..<2 * AdminAuthorizer.mostDelayed).map { _ in try client("/stats", "wrong") }
        #expect(try admin.status("GET", "/stats", [("Authorization", "Bearer correct-horse")]) == 200)
        withExtendedLifetime(guesses) {}
    }

    @Test func formsAreRefusedWithoutATokenOrSense() throws {
        let open = try AdminUnderTest()
        #expect(try open.status("GET", "/login") == 404)
        #expect(try login(open, "x").status == 404)
        let admin = try AdminUnderTest(token: "correct-horse")
        for body in ["tokn=x", "token", "token=%zz", "token=a&token=b"] {
            #expect(try admin.client.send("POST", "/login", body: Data(body.utf8)).status == 400, "\(body)")
        }
    }
}

/// The order and the reasons of refusals, without a socket.
@Suite struct AdminAuthorizerTests {
    private let purge = AdminEndpoint.table.first { $0.path == "/purge" }
    private let stats = AdminEndpoint.table.first { $0.path == "/stats" }

    private func status(
        _ request: AdminRequest, _ endpoint: AdminEndpoint?, token: String? = nil,
        _ entry: AdminAuthorizer.Entry = .admitted, isOwner: Bool = true
    ) -> Int? {
        let authorizer = AdminAuthorizer(AdminAccess(token: token.map { SecretBytes(Array($0.utf8).span) }))
        return authorizer.refusal(of: request, to: endpoint, entry, owner: { isOwner ? .trusted : .other(1001) })?
            .status
    }

    private func request(
        _ method: HTTP.Method = .get, host: String = "127.0.0.1:8081", isLoopback: Bool = true, origin: String? = nil,
        fetchSite: String? = nil, contentType: String? = nil
    ) -> AdminRequest {
        AdminRequest(
            method: method, host: host, addressesLoopback: isLoopback, origin: origin, fetchSite: fetchSite,
            contentType: contentType)
    }

    @Test func onlyTheOwnerOrTheTokenMayAsk() {
        #expect(status(request(.post), purge) == nil)
        #expect(status(request(.post), purge, isOwner: false) == 403)
        #expect(status(request(), stats, isOwner: false) == nil)
        let authorizer = AdminAuthorizer(AdminAccess(token: nil))
        let refusal = authorizer.refusal(of: request(.post), to: purge, .admitted, owner: { .other(1001) })
        let words = String(decoding: refusal?.content ?? [], as: UTF8.self)
        #expect(words.contains("this connection is of user 1001: "), "\(words)")
        #expect(status(request(.post), purge, token: "t", isOwner: false) == nil)
        for endpoint in AdminEndpoint.table {
            let expected = endpoint.audience == .anyone ? nil : 401
            let method = endpoint.methods[0]
            #expect(status(request(method), endpoint, token: "t", .nothing) == expected, "\(endpoint.path)")
        }
        #expect(status(request(), nil, token: "t", .nothing) == 401, "not even which paths there are")
    }

    @Test func pagesForeignHostsAndMethodsAreJudged() {
        var page = request()
        page.wantsPage = true
        #expect(status(page, stats, token: "t", .nothing) == 303)
        let foreign = request(host: "evil.example", isLoopback: false)
        #expect(status(foreign, stats) == 421)
        #expect(status(foreign, stats, token: "t") == nil)
        #expect(status(request(.put), purge) == 405)
        #expect(status(request(.head), stats) == nil)
        #expect(status(request(), nil) == nil, "the service answers that there is nothing")
    }

    /// "http://" was taken for granted: no page could change anything through a server with TLS.
    @Test func aServerInFrontMayHaveEndedTLS() {
        for (origin, host) in [
            ("https://ops.example.com", "ops.example.com"), ("https://ops.example.com:8443", "ops.example.com:8443"),
            ("https://ops.example.com", "OPS.example.com:443"), ("http://ops.example.com", "ops.example.com"),
        ] {
            let page = request(
                .post, host: host, isLoopback: false, origin: origin, fetchSite: "same-origin",
                contentType: "application/json")
            #expect(status(page, purge, token: "t") == nil, "\(origin)")
            #expect(page.isSecure == origin.hasPrefix("https"))
            // A page that has bound its own name to this address gets no further than before.
            #expect(status(page, purge) == 421, "\(origin)")
        }
        let other = request(host: "ops.example.com", origin: "https://ops.example.com:8443")
        #expect(status(other, stats, token: "t") == 403)
    }

    @Test func originsAndContentTypesOfBrowsersAreJudged() {
        #expect(status(request(origin: "http://127.0.0.1:8081"), stats) == nil)
        #expect(status(request(host: "LocalHost:1", origin: "HTTP://localhost:1"), stats) == nil)
        for site in ["same-origin", "none"] { #expect(status(request(fetchSite: site), stats) == nil, "\(site)") }
        for origin in [
            "http://127.0.0.1", "http://127.0.0.1:80810", "https://127.0.0.1", "app://127.0.0.1:8081", "null", "",
        ] {
            #expect(status(request(origin: origin), stats) == 403, "\(origin)")
            #expect(status(request(origin: origin), stats, token: "t") == 403, "\(origin)")
        }
        for site in ["same-site", "cross-site", "", "same-origin, none"] {
            #expect(status(request(origin: "http://127.0.0.1:8081", fetchSite: site), stats) == 403, "\(site)")
        }
        // Forms of other sites can send three other types without a preflight.
        let origin = "http://127.0.0.1:8081"
        #expect(status(request(.post, origin: origin, contentType: "application/json"), purge) == nil)
        #expect(status(request(.post, origin: origin, contentType: "text/plain"), purge) == 415)
        for type in [nil, "text/plain", "application/x-www-form-urlencoded", "multipart/form-data"] {
            #expect(status(request(.post, fetchSite: "same-origin", contentType: type), purge) == 415)
        }
        #expect(status(request(.post, contentType: "application/x-www-form-urlencoded"), purge) == nil, "curl's own")
    }
}

@Suite struct SocketTableTests {
    private static let title =
        "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"

    private func row(
        _ local: String, _ remote: String, state: String = "01", user: String = "1000", inode: String = "4711"
    ) -> String {
        "   7: \(local) \(remote) \(state) 00000000:00000000 00:00000000 00000000  \(user)        0 \(inode) 1 0000 20 4\n"
    }

    private func owner(_ rows: String..., local: String = "127.0.0.1:50000") -> UInt32? {
        SocketTable.owner(
            of: SocketAddress(local)!,
            connectedTo: SocketAddress(local.hasPrefix("[") ? "[::1]:8081" : "127.0.0.1:8081")!,
            in: Array((Self.title + rows.joined()).utf8))
    }

    private let client = "0100007F:C350"
    private let server = "0100007F:1F91"

    @Test func findsTheSocketOfThePeer() {
        let others = row(server, client, user: "7") + row("0100007F:C351", server, user: "8")
        #expect(owner(others, row(client, server)) == 1000)
        #expect(owner(others) == nil)
        #expect(owner() == nil)
        let loopback = "00000000000000000000000001000000"
        #expect(owner(row("\(loopback):C350", "\(loopback):1F91"), local: "[::1]:50000") == 1000)
        let mapped = "0000000000000000FFFF00000100007F"
        #expect(owner(row("\(mapped):C350", "\(mapped):1F91")) == 1000)
    }

    /// The kernel lists a socket that its process has closed under user 0: it must not pass for
    /// root's.
    @Test func closedAndUnknownPeersHaveNoRights() {
        #expect(owner(row(client, server, user: "0", inode: "0")) == nil)
        for state in ["04", "05", "06", "08"] {
            #expect(owner(row(client, server, state: state, user: "0")) == nil, "\(state)")
        }
        #expect(owner(row(client, server, user: "0")) == 0)
        let server = SocketAddress("127.0.0.1:8081")
        let absent = ConnectionPeer(address: SocketAddress("127.0.0.1:1"), localAddress: server, unixUserID: nil)
        #expect(PeerOwner(absent) != .trusted)
        #expect(PeerOwner(ConnectionPeer(address: nil, localAddress: nil, unixUserID: nil)) != .trusted)
        #expect(PeerOwner(ConnectionPeer(address: nil, localAddress: nil, unixUserID: geteuid() + 12_345)) != .trusted)
        #expect(PeerOwner(ConnectionPeer(address: nil, localAddress: nil, unixUserID: 0)) == .trusted)
        #expect(PeerOwner(ConnectionPeer(address: nil, localAddress: nil, unixUserID: geteuid())) == .trusted)
    }

    @Test(arguments: [
        "nonsense\n", "   7:\n", "   7: 0100007F:C350 0100007F:1F91 01\n",
        "   7: 0100007F:C350 0100007F:1F91 01 0 0 0 x 0 4711 1\n",
        "   7: 0100007G:C350 0100007F:1F91 01 0 0 0 1000 0 4711 1\n",
        "   7: 0100007F 0100007F:1F91 01 0 0 0 1000 0 4711 1\n",
        "   7: 0100007F:C350 0100007F:1F91 01 0 0 0 99999999999999999999 0 4711 1\n",
    ]) func malformedRowsAreSkipped(_ line: String) {
        #expect(owner(line) == nil)
    }
}
