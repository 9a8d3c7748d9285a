import Cache
import Foundation
import Proxy
import Server
import Synchronization
import TestSupport
import Testing

@Suite struct CollapsingTests {
    private static let album = "/v1/catalog/us/albums/310730204"

    private static func answer(_ body: String, _ fields: String = "") -> [UInt8] {
        Array(
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\(fields)Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
                .utf8)
    }

    /// The answers to this many clients at once, each with its own connection.
    private func herd(
        _ count: Int, _ proxy: ProxyUnderTest, _ target: String = album, whileWaiting: () -> Void
    ) -> [HTTPTestClient.Reply] {
        let replies = Mutex<[HTTPTestClient.Reply]>([])
        let group = DispatchGroup()
        for _ in 0..<count {
            group.enter()
            Thread.detachNewThread {
                let client = HTTPTestClient(port: proxy.port)
                if let reply = try? client.send("GET", target) { replies.withLock { $0.append(reply) } }
                client.close()
                group.leave()
            }
        }
        whileWaiting()
        group.waitOrFail()
        return replies.withLock { $0 }
    }

    @Test func aHerdCausesOneUpstreamRequestAcrossLoops() throws {
        let gate = ScriptedOrigin.Gate()
        let origin = try ScriptedOrigin([.request, .wait(gate), .send(Self.answer("{\"data\":[]}")), .hold])
        // The last of them may be answered in another second than the first.
        let proxy = try ProxyUnderTest(
            originPort: Int(origin.port), workers: 3, timeOfDay: TimeOfDay { 1_790_000_000 })
        defer { proxy.stop() }
        let replies = herd(60, proxy) {
            waitUntil { proxy.statistics[.misses] == 60 }
            gate.open()
        }
        #expect(replies.count == 60)
        #expect(replies.allSatisfy { $0.status == 200 && $0.body == Data("{\"data\":[]}".utf8) })
        #expect(origin.requests.joined().count == 1)
        #expect(proxy.statistics[.collapsed] == 59)
        let collapsed = "refrain; fwd=uri-miss; fwd-status=200; collapsed; stored; ttl=86400"
        #expect(replies.filter { $0.field("Cache-Status") == collapsed }.count == 59)
    }

    /// One team was told that another had asked too much.
    @Test func anErrorForOneTokenIsNotForAnother() throws {
        let gate = ScriptedOrigin.Gate()
        let origin = try ScriptedOrigin([
            .perform { request in
                guard request.contains("Bearer one") else { return [.send(Self.answer("{}"))] }
                return [.wait(gate), .send("HTTP/1.1 503 Service Unavailable\r\nContent-Length: 4\r\n\r\nbusy")]
            }
        ])
        defer { origin.stop() }
        let proxy = try ProxyUnderTest(originPort: Int(origin.port))
        defer { proxy.stop() }
        let clients = try (0..<2).map { _ in try RawClient(port: UInt16(proxy.port)) }
        for (index, (client, team)) in zip(clients, ["one", "two"]).enumerated() {
            try client.send(
                "GET \(Self.album) HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(team)\r\nConnection: close\r\n\r\n")
            waitUntil { proxy.statistics[.misses] == index + 1 }
        }
        // Neither waits for the request of the other.
        waitUntil { proxy.statistics[.upstreamRequests] == 2 }
        gate.open()
        let texts = clients.map { String(decoding: $0.readToEnd().bytes, as: UTF8.self) }
        #expect(texts[0].hasPrefix("HTTP/1.1 503 ") && texts[1].hasPrefix("HTTP/1.1 200 "), "\(texts)")
    }

    /// Outside Apple's catalog fields of clients go along, and one of them may be why it failed.
    @Test func oneClientsFieldDoesNotFailThoseWhoWaited() throws {
        let gate = ScriptedOrigin.Gate()
        let answer = Self.answer("{\"data\":[]}", "Cache-Control: max-age=60\r\n")
        let origin = try ScriptedOrigin([.request, .wait(gate), .close], [.request, .send(answer), .hold])
        let proxy = try ProxyUnderTest(originPort: Int(origin.port), workers: 2)
        defer { proxy.stop() }
        let leader = Mutex<Int?>(nil)
        let isOver = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            let client = HTTPTestClient(port: proxy.port)
            let status = try? client.send("GET", "/shop/1", fields: [("X-Strange", "1")]).status
            leader.withLock { $0 = status }
            isOver.signal()
        }
        waitUntil { proxy.statistics[.misses] == 1 }
        let replies = herd(8, proxy, "/shop/1") {
            waitUntil { proxy.statistics[.misses] == 9 }
            gate.open()
        }
        isOver.waitOrFail()
        #expect(leader.withLock { $0 } == 502)
        #expect(replies.map(\.status) == Array(repeating: 200, count: 8))
        #expect(origin.requests.joined().count == 2)
    }

    /// All waiters share the error, and not a cookie that was made for one.
    @Test func aCookieInASharedErrorReachesOneClient() throws {
        let gate = ScriptedOrigin.Gate()
        let origin = try ScriptedOrigin([
            .request, .wait(gate),
            .send("HTTP/1.1 503 Service Unavailable\r\nSet-Cookie: id=leader\r\nContent-Length: 4\r\n\r\nbusy"), .hold,
        ])
        let proxy = try ProxyUnderTest(originPort: Int(origin.port), workers: 2)
        defer { proxy.stop() }
        let replies = herd(10, proxy) {
            waitUntil { proxy.statistics[.misses] == 10 }
            gate.open()
        }
        #expect(replies.allSatisfy { $0.status == 503 && $0.body == Data("busy".utf8) })
        #expect(origin.requests.joined().count == 1)
        #expect(replies.filter { $0.field("Set-Cookie") != nil }.count == 1)
        #expect(replies.filter { $0.field("Cache-Status")?.contains("; collapsed") == true }.count == 9)
        #expect(proxy.statistics[.collapsed] == 9, "the counter says what the field says")
    }

    /// The answer under way may be older than one that this client has seen.
    @Test func noCacheDoesNotWaitForAnother() throws {
        let gate = ScriptedOrigin.Gate()
        let script: [ScriptedOrigin.Step] = [
            .request, .wait(gate), .send(Self.answer("{}", "Cache-Control: max-age=60\r\n")), .hold,
        ]
        let origin = try ScriptedOrigin(script, script)
        let proxy = try ProxyUnderTest(originPort: Int(origin.port))
        defer { proxy.stop() }
        let clients = try (0..<2).map { _ in try RawClient(port: UInt16(proxy.port)) }
        try clients[0].send("GET /elsewhere HTTP/1.1\r\nHost: a\r\n\r\n")
        waitUntil { proxy.statistics[.upstreamRequests] == 1 }
        try clients[1].send("GET /elsewhere HTTP/1.1\r\nHost: a\r\nCache-Control: no-cache\r\n\r\n")
        // Both are there: a connection that is free by then would carry the second one.
        waitUntil { proxy.statistics[.misses] == 2 && origin.requests.joined().count == 2 }
        for _ in 0..<2 { gate.open() }
        for client in clients { #expect(client.read(12) == Array("HTTP/1.1 200".utf8)) }
    }

    /// A request that found nothing, and then no other to wait for because the answer had just
    /// come, does not ask again.
    @Test func clientsThatArriveWithTheAnswerAskNothing() throws {
        let origin = try FakeOrigin { _ in FakeOrigin.Reply(body: "{\"data\":[]}") }
        let folder = try TemporaryFolder()
        let cache = ResponseCache(
            memory: MemoryTier(maxBytes: 16 << 20),
            store: FileTier.open(path: folder.file("cache.sqlite"), maxBytes: 64 << 20) { _ in })
        let proxy = try ProxyUnderTest(originPort: origin.port, workers: 3, cache: cache)
        defer { proxy.stop() }
        let count = TestSize.of(100, full: 300)
        concurrently(12) { _ in
            let client = HTTPTestClient(port: proxy.port)
            for number in 0..<count { _ = try? client.send("GET", "/v1/catalog/us/albums/\(number)") }
            client.close()
        }
        #expect(origin.requests.count == count)
    }
}
