import Dispatch
import TestSupport
import Testing

@testable import Proxy
@testable import Server

/// Every answer that went out to a client counts once by its status, its outcome and its client.
@Suite(.timeLimit(.minutes(10))) struct AnswerCountTests {
    private static let album = "/v1/catalog/us/albums/1"

    private static func words(_ counts: AnswerCounts) -> [String] { counts.byStatus.map { "\($0.name) \($0.count)" } }

    /// Answers `albums` and refuses all else.
    private static func origin() throws -> FakeOrigin {
        try FakeOrigin { request in
            guard request.target == album else { return FakeOrigin.Reply(status: 503) }
            return FakeOrigin.Reply(body: #"{"data":[{"id":"1","type":"albums"}]}"#)
        }
    }

    @Test func fifteenOfForty() throws {
        let keys = try ClientKeys(text: "phone 0123456789abcdef\nweb fedcba9876543210\n")
        let proxy = try ProxyUnderTest(before: Self.origin(), clientKeys: keys)
        for number in 0..<40 {
            let key = number < 30 ? "0123456789abcdef" : "fedcba9876543210"
            let target = number % 8 < 3 ? "/v1/catalog/us/songs/\(number)" : Self.album
            _ = try proxy.client.send("GET", target, fields: [("X-Refrain-Key", key)])
        }
        let statistics = proxy.statistics
        #expect(Self.words(statistics.answers) == ["200 25", "503 15"])
        #expect(statistics.answers.byClass == [0, 25, 0, 0, 15])
        #expect(statistics.answers.byClass(.hit) == [0, 24, 0, 0, 0], "one asked the origin")
        #expect(statistics.answers.byClass(.miss) == [0, 1, 0, 0, 15], "the origin's own errors")
        let clients = statistics.clients().map { client in [2, 4, 5].map { client.answers(ofClass: $0) } }
        #expect(clients == [[18, 0, 12], [7, 0, 3]])
        let savings = statistics.savings
        #expect([.withoutProxy, .sent, .saved, .hits, .extra].map { savings[$0] } == [40, 16, 24, 24, 0])
    }

    /// Preflights, strangers, requests that are no message, and contents that are too large.
    @Test func whatIsRefusedBeforeItIsReadCountsOnce() throws {
        let keys = try ClientKeys(text: "phone 0123456789abcdef\n")
        let proxy = try ProxyUnderTest(before: Self.origin(), clientKeys: keys)
        let key = [("X-Refrain-Key", "0123456789abcdef")]
        #expect(try proxy.client.send("GET", Self.album, fields: key).status == 200)
        #expect(try proxy.client.send("HEAD", Self.album, fields: key).status == 200)
        #expect(try proxy.client.send("GET", Self.album).status == 401)
        let preflight = [("Origin", "http://a.example"), ("Access-Control-Request-Method", "GET")]
        #expect(try proxy.client.send("OPTIONS", Self.album, fields: preflight).status == 204)
        for (text, status) in [
            ("GET \(Self.album)\u{1} HTTP/1.1\r\n\r\n", 400),
            (
                "POST /v1/me/library HTTP/1.1\r\nHost: a\r\nX-Refrain-Key: 0123456789abcdef\r\n"
                    + "Transfer-Encoding: chunked\r\n\r\nzz\r\n", 400
            ),
        ] {
            #expect(try proxy.connection(sending: text).readText().hasPrefix("HTTP/1.1 \(status) "))
        }
        let answers = proxy.statistics.answers
        #expect(Self.words(answers) == ["200 2", "204 1", "400 2", "401 1"])
        #expect(answers.byClass(nil) == [0, 1, 0, 0, 0] && answers.byClass(.refused) == [0, 0, 0, 3, 0])
        let requests = proxy.statistics[.requests]
        #expect(answers.byClass.reduce(0, +) == requests + 1, "all requests and a preflight")
        let client = try #require(proxy.statistics.clients().first)
        #expect(client.requests == 3 && client.answers(ofClass: 2) == 2 && client.answers(ofClass: 4) == 1)
        #expect(proxy.statistics.savings[.withoutProxy] == 2)
    }

    @Test(.requires(.nghttp2)) func eachStreamCountsOnce() throws {
        let scene = try HTTP2Scene()
        scene.origin.answer { FakeOrigin.Reply(status: $0.target.contains("songs") ? 503 : 404) }
        let client = try scene.client()
        let streams = (0..<6).map { UInt32(2 * $0 + 1) }
        client.get(streams) { "/v1/catalog/us/\($0 < 5 ? "songs" : "albums")/\($0)" }
        for stream in streams { _ = client.answer(stream) }
        #expect(Self.words(scene.proxy.statistics.answers) == ["404 4", "503 2"])
    }

    /// The origin is asked once, and the others join.
    @Test func joiningSavesRequests() throws {
        let gate = DispatchSemaphore(value: 0)
        let proxy = try ProxyUnderTest(before: FakeOrigin(FakeOrigin.Reply(body: #"{"data":[]}"#), after: gate))
        let clients = try (0..<4).map { _ in try proxy.connection(sending: .get(Self.album, closes: true)) }
        waitUntil { proxy.statistics[.misses] == 4 }
        gate.signal()
        for client in clients { #expect(client.readText().hasPrefix("HTTP/1.1 200 ")) }
        waitUntil { proxy.statistics.savings[.withoutProxy] == 4 }
        let savings = proxy.statistics.savings
        #expect([.sent, .saved, .joining, .hits, .extra].map { savings[$0] } == [1, 3, 3, 0, 0])
    }
}
