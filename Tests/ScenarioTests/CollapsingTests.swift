import Cache
import Foundation
import Server
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct CollapsingTests {
    private static let album = "/v1/catalog/us/albums/310730204"

    /// One team was told that another had asked too much.
    @Test func anErrorForOneTokenIsNotForAnother() throws {
        let gate = ScriptedOrigin.Gate()
        let origin = try ScriptedOrigin([
            .perform { request in
                guard request.contains("Bearer one") else { return [.send(.ok("{}"))] }
                return [.wait(gate), .send("HTTP/1.1 503 Service Unavailable\r\nContent-Length: 4\r\n\r\nbusy")]
            }
        ])
        let proxy = try ProxyUnderTest(scripted: origin)
        let clients = try ["one", "two"].enumerated().map { index, team in
            let field = "Authorization: Bearer \(team)\r\n"
            let client = try proxy.connection(sending: .get(Self.album, field, closes: true))
            waitUntil { proxy.statistics[.misses] == index + 1 }
            return client
        }
        // Neither waits for the request of the other.
        waitUntil { proxy.statistics[.upstreamRequests] == 2 }
        gate.open()
        let texts = clients.map { $0.readText() }
        #expect(texts[0].hasPrefix("HTTP/1.1 503 ") && texts[1].hasPrefix("HTTP/1.1 200 "), "\(texts)")
    }

    /// Outside Apple's catalog fields of clients go along, and one of them may be why it failed.
    @Test func anErrorThatAFieldDrewIsNotForThoseWithoutIt() throws {
        let (strange, plain) = (ScriptedOrigin.Gate(), ScriptedOrigin.Gate())
        let answer = String.ok("{\"data\":[]}", "Cache-Control: max-age=60\r\n")
        let origin = try ScriptedOrigin([
            .perform { $0.contains("X-Strange") ? [.wait(strange), .close] : [.wait(plain), .send(answer), .hold] }
        ])
        let proxy = try ProxyUnderTest(scripted: origin, workers: 2)
        let fields = ["X-Strange: 1\r\n"] + [String](repeating: "", count: 8)
        let clients = try fields.map { try proxy.connection(sending: .get("/shop/1", $0, closes: true)) }
        waitUntil { proxy.statistics[.misses] == 9 && proxy.statistics[.upstreamRequests] == 2 }
        strange.open()
        plain.open()
        #expect(clients[0].readText().hasPrefix("HTTP/1.1 502 "))
        for client in clients.dropFirst() { #expect(client.readText().hasPrefix("HTTP/1.1 200 ")) }
        #expect(origin.requests.joined().count == 2)
    }

    /// One connection that the origin closed failed all who waited for it.
    @Test func thoseWhoWaitedTryOnceMoreTogether() throws {
        let gate = ScriptedOrigin.Gate()
        let answer = String.ok("{\"data\":[]}", "Cache-Control: max-age=60\r\n")
        let origin = try ScriptedOrigin([.request, .wait(gate), .close], [.request, .send(answer), .hold])
        let proxy = try ProxyUnderTest(scripted: origin, workers: 2)
        let clients = try (0..<9).map { index in
            let client = try proxy.connection(sending: .get("/shop/1", "X-Strange: 1\r\n", closes: true))
            waitUntil { proxy.statistics[.misses] == index + 1 }
            return client
        }
        gate.open()
        #expect(clients[0].readText().hasPrefix("HTTP/1.1 502 "))
        for client in clients.dropFirst() { #expect(client.readText().hasPrefix("HTTP/1.1 200 ")) }
        #expect(origin.requests.joined().count == 2)
    }

    /// A waiter got the answer to a request that had passed other proxies than its own.
    @Test func requestsWithDifferentChainsAreNotJoined() throws {
        let gate = ScriptedOrigin.Gate()
        let origin = try ScriptedOrigin([.perform { _ in [.wait(gate), .send(.ok("{\"data\":[]}"))] }])
        let proxy = try ProxyUnderTest(scripted: origin, workers: 2)
        let chains = ["", "Via: 1.1 refrain-000000000000000b\r\n", "Via: 1.1 other\r\n"]
        let clients = try (chains + chains).enumerated().map { index, field in
            let client = try proxy.connection(sending: .get(Self.album, field, closes: true))
            waitUntil { proxy.statistics[.misses] == index + 1 }
            return client
        }
        waitUntil { proxy.statistics[.upstreamRequests] == 2 }
        for _ in 0..<2 { gate.open() }
        for client in clients { #expect(client.readText().hasPrefix("HTTP/1.1 200 ")) }
        #expect(origin.requests.joined().count { $0.contains("refrain-000000000000000b, ") } == 1)
        #expect(origin.requests.joined().count == 2, "of other programs' names nothing goes along")
    }

    /// Requests with other fields waited for an answer that was not for them.
    @Test func requestsWithDifferentForwardedFieldsAreNotJoined() throws {
        let gate = ScriptedOrigin.Gate()
        let answer = String.ok("{\"data\":[]}", "Cache-Control: max-age=60\r\n")
        let origin = try ScriptedOrigin([.perform { _ in [.wait(gate), .send(answer)] }])
        let proxy = try ProxyUnderTest(scripted: origin, workers: 2)
        let trace = "traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b716920333"
        let fields = ["Accept-Language: de\r\n", "Accept-Language: en\r\n"]
        let clients = try (0..<6).map { index in
            let field = fields[index % 2] + "\(trace)\(index)-01\r\n"
            let client = try proxy.connection(sending: .get("/shop/1", field, closes: true))
            waitUntil { proxy.statistics[.misses] == index + 1 }
            return client
        }
        waitUntil { proxy.statistics[.upstreamRequests] == 2 }
        for _ in 0..<2 { gate.open() }
        for client in clients { #expect(client.readText().hasPrefix("HTTP/1.1 200 ")) }
        let sent = origin.requests.joined()
        #expect(sent.count == 2 && fields.allSatisfy { field in sent.count { $0.contains(field) } == 1 })
    }

    /// All waiters share the error, and not a cookie that was made for one.
    @Test func aCookieInASharedErrorReachesOneClient() throws {
        let gate = ScriptedOrigin.Gate()
        let origin = try ScriptedOrigin([
            .request, .wait(gate),
            .send("HTTP/1.1 503 Service Unavailable\r\nSet-Cookie: id=leader\r\nContent-Length: 4\r\n\r\nbusy"), .hold,
        ])
        let proxy = try ProxyUnderTest(scripted: origin, workers: 2)
        let clients = try (0..<10).map { _ in try proxy.connection(sending: .get(Self.album, closes: true)) }
        waitUntil { proxy.statistics[.misses] == 10 }
        gate.open()
        let texts = clients.map { $0.readText() }
        #expect(texts.allSatisfy { $0.hasPrefix("HTTP/1.1 503 ") && $0.hasSuffix("\r\n\r\nbusy") })
        #expect(origin.requests.joined().count == 1)
        #expect(texts.count { $0.contains("Set-Cookie: ") } == 1 && texts.count { $0.contains("; collapsed") } == 9)
        #expect(proxy.statistics[.collapsed] == 9, "the counter says what the field says")
    }

    /// A request that missed, and whose leader has just finished, does not ask again.
    @Test func clientsThatArriveWithTheAnswerAskNothing() throws {
        let folder = try TemporaryFolder()
        let cache = ResponseCache(file: folder.file("cache.sqlite"))
        let proxy = try ProxyUnderTest(before: FakeOrigin(.init(body: "{\"data\":[]}")), workers: 3, cache: cache)
        let count = TestSize.of(100, full: 300)
        concurrently(12) { _ in
            let client = HTTPTestClient(port: proxy.port)
            for number in 0..<count { _ = try? client.send("GET", "/v1/catalog/us/albums/\(number)") }
        }
        #expect(proxy.origin.requests.count == count)
    }
}
