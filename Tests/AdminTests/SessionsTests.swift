import EventLoop
import Foundation
import TestSupport
import Testing

@testable import Admin

@Suite(.timeLimit(.minutes(10))) struct SessionsTests {
    private let start = Instant(nanoseconds: 100_000_000_000)

    @Test func aSessionLastsTwelveHours() {
        var sessions = Sessions()
        let name = Array(sessions.begin(at: start).utf8)
        #expect(name.count == 64)
        #expect(sessions.isOpen(name, at: start))
        #expect(sessions.isOpen(name, at: start + .seconds(12 * 3600 - 1)))
        #expect(!sessions.isOpen(name, at: start + .seconds(12 * 3600)))
    }

    @Test func noOtherNameOpensOne() {
        var sessions = Sessions()
        let name = sessions.begin(at: start)
        for wrong in ["", String(name.dropLast()), name + "0", name.uppercased() + " "] {
            #expect(!sessions.isOpen(Array(wrong.utf8), at: start))
        }
        #expect(!sessions.isOpen(nil, at: start))
        #expect(sessions.begin(at: start) != name)
    }

    @Test func theOldestGivesWay() {
        var sessions = Sessions()
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
        #expect(String(decoding: form.body, as: UTF8.self).contains("name=token"))
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
        let json = ("Content-Type", "application/json")
        #expect(try admin.purge(#"{"all":true}"#, [session, json] + browser.prefix(2)).status == 200)
        let bye = try admin.client.send("POST", "/logout", fields: [session])
        #expect(bye.status == 303 && bye.field("Location") == "/login")
        #expect(bye.field("Set-Cookie")?.hasPrefix("refrain_session=; ") == true)
        #expect(try admin.status("GET", "/stats", [session]) == 401)
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

    @Test func withoutATokenThereIsNoLogin() throws {
        let admin = try AdminUnderTest()
        #expect(try admin.status("GET", "/login") == 404)
        #expect(try login(admin, "x").status == 404)
    }

    @Test func aFormThatIsNotUnderstoodIsRefused() throws {
        let admin = try AdminUnderTest(token: "correct-horse")
        for body in ["tokn=x", "token", "token=%zz", "token=a&token=b"] {
            #expect(try admin.client.send("POST", "/login", body: Data(body.utf8)).status == 400, "\(body)")
        }
    }
}
