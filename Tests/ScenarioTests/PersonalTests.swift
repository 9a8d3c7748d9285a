import Foundation
import Freshness
import Proxy
import Synchronization
import TestSupport
import Testing

/// Personal answers: kept per user where the operator says so, and never one byte of another's,
/// whatever is tried.
@Suite(.timeLimit(.minutes(10))) struct PersonalTests {
    private static let songs = "/v1/me/library/songs"

    private static let keeping = Policy(.personal, .fixed(600, stale: 600))

    /// Says whose token it saw, and how many answers it has given.
    private func origin() throws -> FakeOrigin {
        let count = Mutex(0)
        return try FakeOrigin { request in
            let number = count.withLock { count in
                count += 1
                return count
            }
            let token = Self.user(of: request) ?? "nobody"
            return FakeOrigin.Reply(
                status: request.method == "DELETE" ? 204 : 200,
                fields: [
                    ("Content-Type", "application/json"), ("Cache-Control", "public, max-age=600"),
                    ("ETag", "\"same-for-all\""), ("Last-Modified", "Tue, 01 Jan 2019 00:00:00 GMT"),
                ],
                body: request.method == "DELETE" ? "" : "{\"user\":\"\(token)\",\"number\":\(number)}")
        }
    }

    /// By whichever of its names the token came.
    fileprivate static func user(of request: FakeOrigin.Request) -> String? {
        let pairs = (request.field("Cookie") ?? "").split(separator: "; ")
        let cookie = pairs.first { $0.hasPrefix("media-user-token=") }?.dropFirst("media-user-token=".count)
        return request.field("Music-User-Token") ?? request.field("Media-User-Token") ?? cookie.map(String.init)
    }

    private func get(_ proxy: ProxyUnderTest, _ user: String, _ target: String = songs) throws -> HTTPTestClient.Reply {
        try proxy.client.send("GET", target, fields: [("Music-User-Token", user)])
    }

    /// Answers that the proxy makes itself have lines too.
    @Test(arguments: [("Range", "bytes=99999-", 416), ("Cache-Control", "only-if-cached", 504)])
    func noPersonalTargetIsLogged(name: String, value: String, status: Int) throws {
        let policy = status == 504 ? Policy(.personal, .upstream) : Self.keeping
        let proxy = try ProxyUnderTest(before: origin(), policy: policy)
        let target = "/v1/me/library/songs/i.private"
        if status == 416 { _ = try get(proxy, "anna", target) }
        let fields = [("Music-User-Token", "anna"), (name, value)]
        #expect(try proxy.client.send("GET", target, fields: fields).status == status)
        let lines = try proxy.finalLog()
        #expect(lines.count == (status == 416 ? 2 : 1) && !lines.joined().contains("i.private"), "\(lines)")
    }

    /// Others are answered while the origin is asked.
    @Test func aPersonalAnswerIsLoggedByItsOwnRoute() throws {
        let gate = ScriptedOrigin.Gate()
        let answer = ScriptedOrigin.Step.send(.ok("{}"))
        let origin = try ScriptedOrigin([.request, .wait(gate), answer, .hold], [.request, answer, .hold])
        let proxy = try ProxyUnderTest(scripted: origin, policy: Self.keeping)
        let client = try proxy.connection(sending: .get(Self.songs, "Music-User-Token: anna\r\n"))
        waitUntil { proxy.statistics[.upstreamRequests] > 0 }
        _ = try proxy.client.send("GET", "/v1/catalog/us/albums/1")
        gate.open()
        #expect(client.read(12) == Array("HTTP/1.1 200".utf8))
        let lines = try proxy.finalLog()
        #expect(lines.filter { $0.contains("\"GET /v1/me/library") }.count == 1, "\(lines)")
    }

    /// It went to Apple without the user's token, and what came was everyone's.
    @Test func theStationOfAUserIsPersonal() throws {
        let proxy = try ProxyUnderTest(before: origin())
        let targets = ["/v1/catalog/us/stations/ra.u-0a1b", "/v1/catalog/us/stations?ids=ra.1,ra.u-0a1b"]
        for target in targets + targets {
            for user in ["anna", "ben"] {
                let reply = try get(proxy, user, target)
                #expect(String(decoding: reply.body, as: UTF8.self).contains(user))
                #expect(reply.field("Cache-Control") == "private, no-store")
            }
        }
        #expect(proxy.origin.requests.count == 8)
    }

    /// Users of web players were not recognised: nothing was kept, and writes ended nothing.
    @Test func theTokenOfAWebPlayerIsThatOfTheSameUser() throws {
        let proxy = try ProxyUnderTest(before: origin(), policy: Self.keeping)
        _ = try get(proxy, "carl")
        let first = try get(proxy, "anna")
        let players = [("media-user-token", "anna")]
        #expect(try proxy.client.send("GET", Self.songs, fields: players).body == first.body)
        #expect(proxy.origin.requests.count == 2)
        _ = try proxy.client.send("PUT", "/v1/me/ratings/songs/1", fields: players)
        #expect(try get(proxy, "anna").body == Data("{\"user\":\"anna\",\"number\":4}".utf8))
        let cookie = [("Cookie", "media-user-token=ben"), ("Sec-Fetch-Site", "same-origin")]
        _ = try get(proxy, "ben")
        _ = try proxy.client.send("DELETE", "/v1/me/ratings/songs/1", fields: cookie)
        let passed = try proxy.client.send("GET", Self.songs, fields: cookie)
        #expect(passed.body == Data(#"{"user":"ben","number":7}"#.utf8))
        #expect(try get(proxy, "ben").body == Data("{\"user\":\"ben\",\"number\":8}".utf8))
        #expect(try get(proxy, "carl").isHit, "of another user than those who wrote")
    }

    /// The user's token stayed here, and the answer without the attribute was kept a day for all.
    @Test(arguments: [TTLRule.off, .fixed(600, stale: 600)]) func anAttributeOfAUserIsForThatUser(
        personal: TTLRule
    ) throws {
        let policy = Policy(.personal, personal)
        let proxy = try ProxyUnderTest(before: origin(), policy: policy)
        for user in ["anna", "ben", "anna"] {
            let target = "/v1/catalog/us/artists?ids=77&extend%5Bartists%5D=name%2CinLibrary"
            let reply = try get(proxy, user, target)
            #expect((reply.json as? [String: Any])?["user"] as? String == user)
            #expect(reply.field("Cache-Control") == "private, no-store")
        }
        #expect(proxy.origin.requests.count == (personal == .off ? 3 : 2))
    }

    /// Thousands of requests of several users at once, in any order, with every field that might
    /// confuse one with another: no user ever gets an answer that was made for another.
    @Test(arguments: [1, 2, 3] as [UInt64]) func noInterleavingShowsOneUsersAnswerToAnother(seed: UInt64) throws {
        let proxy = try ProxyUnderTest(before: origin(), workers: 2, policy: Self.keeping)
        let problems = Mutex<[String]>([])
        let hits = Mutex(0)
        concurrently(6) { worker in
            var random = SeededGenerator(seed: seed &* 100 &+ UInt64(worker))
            let client = HTTPTestClient(port: proxy.port)
            for _ in 0..<TestSize.of(500, release: 2_500) {
                let request = PersonalRequest.random(using: &random)
                guard let reply = try? client.send(request.method, request.target, fields: request.fields) else {
                    problems.withLock { $0.append("no answer: \(request)") }
                    continue
                }
                if let problem = request.problem(with: reply) { problems.withLock { $0.append(problem) } }
                if reply.isHit { hits.withLock { $0 += 1 } }
            }
        }
        #expect(problems.withLock { $0 } == [], "seed \(seed)")
        #expect(hits.withLock { $0 } > 100, "the cache was at work")
        let others = proxy.origin.requests.filter { $0.target == "/v1/other" }
        try #require(!others.isEmpty)
        #expect(others.allSatisfy { Self.user(of: $0) == nil })
        let shared = proxy.origin.requests.filter { $0.target == "/v1/catalog/us/songs/1" }
        #expect(!shared.isEmpty && shared.allSatisfy { $0.field("Music-User-Token") == nil })
        #expect(shared.filter { $0.method == "GET" }.allSatisfy { $0.field("Cookie") == nil })
    }

    private typealias Request = (method: String, target: String, fields: [(String, String)])

    private static let anna = [("Music-User-Token", "anna")]
    private static let ben = [("Music-User-Token", "ben")]
    private static let write = ("PUT", "/v1/me/ratings/songs/1", anna)
    private static let dead = ("GET", "/v1/me/dead", anna)

    /// Each cause of the reason `personal` that REFERENCE names, and no other: requests, and
    /// whether the reason is given for the last of them.
    private static let cases: [(name: String, requests: [Request], isReason: Bool)] = [
        ("nothing personal is kept", [("GET", songs, anna)], true),
        ("the user is named", [("GET", songs, anna)], false),
        ("the user has just written", [write, ("GET", songs, anna)], true),
        ("another user has just written", [write, ("GET", songs, ben)], false),
        ("the user's token was just refused", [dead, ("GET", songs, anna)], true),
        ("another user's token was just refused", [dead, ("GET", songs, ben)], false),
        ("no user is named", [("GET", songs, [])], true),
        ("the token is empty", [("GET", songs, [("Music-User-Token", "")])], true),
        // Any cookie was a cause, which no page said.
        ("a cookie alone names the user", [("GET", songs, [("Cookie", "media-user-token=anna")])], true),
        ("a cookie names the same user", [("GET", songs, anna + [("Cookie", "a=b; media-user-token=anna")])], false),
        ("another cookie", [("GET", songs, anna + [("Cookie", "theme=dark")])], false),
        ("a token on an unknown route", [("GET", "/v1/unknown", anna)], true),
        ("a token outside of the API", [("GET", "/elsewhere", anna)], true),
        ("no token outside of the API", [("GET", "/elsewhere", [])], false),
        ("a token in the catalog is dropped", [("GET", "/v1/catalog/us/songs/1", anna)], false),
    ]

    @Test(arguments: cases.indices) func theReasonIsPersonal(index: Int) throws {
        let (name, requests, isReason) = Self.cases[index]
        let origin = try FakeOrigin { FakeOrigin.Reply(status: $0.target.contains("dead") ? 403 : 200) }
        // In the first case nothing is kept.
        let policy = index > 0 ? Policy(.personal, .fixed(600, stale: 0)) : Policy()
        let proxy = try ProxyUnderTest(before: origin, policy: policy)
        var before = 0
        for request in requests {
            before = proxy.statistics[because: .personal]
            _ = try proxy.client.send(request.method, request.target, fields: request.fields)
        }
        #expect((proxy.statistics[because: .personal] > before) == isReason, "\(name)")
    }
}

/// One request of one of a few users, with fields that try to be taken for another's.
private struct PersonalRequest {
    let user: String?
    let method: String
    let target: String
    let fields: [(String, String)]

    static func random(using random: inout SeededGenerator) -> PersonalRequest {
        // Few enough to share kept answers in a brief run, and the hundred of HARDENING F19.
        let users = (0..<TestSize.of(5, release: 100)).map { "user-\($0)" }
        let targets =
            [
                "/v1/me/library/songs", "/v1/me/library/songs?limit=5", "/v1/me/storefront", "/v1/me/recent/played",
                "/v1/catalog/us/songs/1?include=library", "/v1/catalog/us/songs/1", "/v1/me//library/songs",
                "/v1/me/library/songs?l=en", "/v1/%6De/library/songs", "/v1/other",
            ] + (0..<TestSize.of(0, release: 40)).map { "/v1/me/library/albums/l.\($0)" }
        let user = Int.random(in: 0..<12, using: &random) == 0 ? nil : users.randomElement(using: &random)
        let other = users.randomElement(using: &random)!
        let tricks: [(String, String)] = [
            ("Cookie", "media-user-token=\(other)"), ("Media-User-Token", other), ("X-Music-User-Token", other),
            ("If-None-Match", "\"same-for-all\""), ("If-Modified-Since", "Tue, 01 Jan 2030 00:00:00 GMT"),
            ("Range", "bytes=0-"), ("Cache-Control", "max-stale"), ("Cache-Control", "only-if-cached"),
            ("Authorization", "Bearer \(other)"), ("Connection", "Music-User-Token"), ("Vary", "Music-User-Token"),
            ("X-HTTP-Method-Override", "GET"), ("X-Original-URL", "/v1/me/library/songs"),
            ("Forwarded", "for=\(other)"),
        ]
        var fields = user.map { [("mUsIc-UsEr-ToKeN", $0)] } ?? []
        for _ in 0..<Int.random(in: 0..<3, using: &random) { fields.append(tricks.randomElement(using: &random)!) }
        let methods = ["GET", "GET", "GET", "GET", "GET", "GET", "GET", "HEAD", "PUT", "DELETE"]
        return PersonalRequest(
            user: user, method: methods.randomElement(using: &random)!, target: targets.randomElement(using: &random)!,
            fields: fields)
    }

    private var isShared: Bool { target == "/v1/catalog/us/songs/1" }

    /// The origin gets no user's token there; a client that sends one gets an answer of its own.
    private var isOfNoKnownRoute: Bool { target == "/v1/other" }

    private var isAnyones: Bool { isOfNoKnownRoute && named == nil }

    /// The user whose token it carries, under whatever name; where there are several it is refused.
    private var named: String? {
        PersonalTests.user(
            of: FakeOrigin.Request(
                method: method, target: target, fields: fields.map { ($0.0.lowercased(), $0.1) }, body: []))
    }

    /// Describes the fault of the answer; nil if it has none.
    func problem(with reply: HTTPTestClient.Reply) -> String? {
        if !isShared, !isAnyones, reply.status < 400, reply.field("Cache-Control") != "private, no-store" {
            return "not marked as private: \(self): \(reply.fields)"
        }
        guard [200, 206].contains(reply.status), method != "HEAD", !reply.body.isEmpty,
            let seen = (reply.json as? [String: Any])?["user"] as? String
        else { return nil }
        let expected = isShared || isOfNoKnownRoute ? "nobody" : named ?? "nobody"
        return seen == expected ? nil : "\(seen)'s answer to \(self): \(reply.fields)"
    }
}
