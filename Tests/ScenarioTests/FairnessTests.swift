import Foundation
import Glibc
import Proxy
import Synchronization
import TestSupport
import Testing

@testable import Upstream

/// One client's many requests, and what another client gets meanwhile.
@Suite(.timeLimit(.minutes(10))) struct FairnessTests {
    private static func album(_ number: Int) -> String { "/v1/catalog/us/albums/\(number)" }

    private static func request(_ number: Int) -> String { "GET \(album(number)) HTTP/1.1\r\nHost: a\r\n\r\n" }

    private func send(_ number: Int, _ proxy: ProxyUnderTest) throws -> RawClient {
        let client = try RawClient(port: UInt16(proxy.port))
        try client.send(Self.request(number))
        return client
    }

    /// With 70 distinct misses a second from one address and `upstream_rate 20/s`, every miss of
    /// any other client became a 503.
    @Test func clientThatAsksForMuchDoesNotStarveAnother() throws {
        let origin = try FakeOrigin { _ in FakeOrigin.Reply() }
        let proxy = try ProxyUnderTest(originPort: origin.port, workers: 2, budget: UpstreamBudget(rate: 20))
        defer { proxy.stop() }
        let greedy = try (0..<340).map { try send($0, proxy) }
        waitUntil { proxy.statistics[.misses] == 340 }
        let client = HTTPTestClient(port: proxy.port, from: 2)
        for number in 1000..<1008 { #expect(try client.send("GET", Self.album(number)).status == 200) }
        #expect(origin.requests.count < 340, "each would have waited for all of the other's")
        for client in greedy { client.close() }
    }

    /// The same, when it does not even wait for its answers.
    @Test func whatIsAskedByAClientThatHangsUpIsDropped() throws {
        let origin = try FakeOrigin { _ in FakeOrigin.Reply() }
        let budget = UpstreamBudget(rate: 20)
        let proxy = try ProxyUnderTest(originPort: origin.port, workers: 2, budget: budget)
        defer { proxy.stop() }
        for number in 0..<400 { try send(number, proxy).close() }
        let client = HTTPTestClient(port: proxy.port, from: 2)
        for number in 1000..<1005 { #expect(try client.send("GET", Self.album(number)).status == 200) }
        waitUntil { budget.snapshot.waiting == 0 }
        #expect(budget.snapshot.waiting == 0)
        #expect(origin.requests.count < 300, "what nobody waits for is not asked")
    }

    /// A request that was sent goes on, and its answer is stored.
    @Test func whatWasSentForAClientThatHangsUpIsStored() throws {
        let gate = ScriptedOrigin.Gate()
        let answer = Array("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}".utf8)
        let origin = try ScriptedOrigin([.request, .wait(gate), .send(answer), .hold])
        defer { origin.stop() }
        let proxy = try ProxyUnderTest(originPort: Int(origin.port))
        defer { proxy.stop() }
        let leaving = try send(1, proxy)
        waitUntil { origin.requests.joined().count == 1 }
        // On the loopback the end is with the proxy once this returns, before the answer is.
        leaving.close()
        gate.open()
        waitUntil { proxy.statistics[.stored] == 1 }
        #expect(try proxy.client.send("GET", Self.album(1)).field("Cache-Status")?.contains("hit") == true)
    }

    /// Where others wait for the same, the leader's leaving is not theirs.
    @Test func thoseWhoWaitForWhatAnotherAskedGetItThoughThatOneLeaves() throws {
        let origin = try FakeOrigin { _ in FakeOrigin.Reply() }
        let budget = UpstreamBudget(rate: 1)
        let proxy = try ProxyUnderTest(originPort: origin.port, workers: 2, budget: budget)
        defer { proxy.stop() }
        #expect(try proxy.client.send("GET", Self.album(1)).status == 200)
        let leader = try send(2, proxy)
        waitUntil { budget.snapshot.waiting == 1 }
        let waiter = try send(2, proxy)
        waitUntil { proxy.statistics[.misses] == 3 }
        leader.close()
        #expect(String(decoding: waiter.read(12), as: UTF8.self) == "HTTP/1.1 200")
    }

    /// The 1,001st client that waited for one key got a 503.
    @Test func threeThousandClientsOfOneColdKeyGetTheAnswer() throws {
        let gate = ScriptedOrigin.Gate()
        let answer = Array("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}".utf8)
        let origin = try ScriptedOrigin([.request, .wait(gate), .send(answer), .hold])
        defer { origin.stop() }
        let proxy = try ProxyUnderTest(originPort: Int(origin.port), workers: 2)
        defer { proxy.stop() }
        let count = min(Patience.isSanitized ? 1_200 : 3_000, Self.mostConnections)
        if count < 3_000 { LeftOut.note("\(3_000 - count) of 3,000 clients of one key (open files, or a sanitizer)") }
        // All connect before the first asks: one that has waited for five seconds asks for itself.
        let clients = try (0..<count).map { _ in try RawClient(port: UInt16(proxy.port)) }
        for client in clients { try client.send(Self.request(1)) }
        waitUntil(within: 60) { proxy.statistics[.misses] == count }
        gate.open()
        let answered = clients.count { String(decoding: $0.read(12), as: UTF8.self) == "HTTP/1.1 200" }
        #expect(answered == count)
        #expect(origin.requests.joined().count == 1)
    }

    /// Each takes a descriptor at both ends; other tests need some too.
    private static var mostConnections: Int {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        return max(0, (Int(clamping: limit.rlim_cur) - 2_000) / 2)
    }

    /// Readers of large answers that take nothing held all connections to the origin for a minute.
    @Test func slowReadersDoNotHoldTheConnectionsToTheOrigin() throws {
        let large = [UInt8](repeating: 32, count: 48 << 20)
        let origin = try ScriptedOrigin([
            .perform { request in
                let isLarge = request.contains("/large")
                let content = isLarge ? large : Array("{}".utf8)
                return [.send("HTTP/1.1 200 OK\r\nContent-Length: \(content.count)\r\n\r\n"), .send(content)]
            }
        ])
        defer { origin.stop() }
        let proxy = try ProxyUnderTest(
            originPort: Int(origin.port), adjusting: { $0.maxConnections = 2 })
        defer { proxy.stop() }
        let readers = try (0..<2).map { number in
            let reader = try RawClient(port: UInt16(proxy.port), receiveBuffer: 4096)
            try reader.send("GET /large/\(number) HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(reader.read(12).count == 12)
            return reader
        }
        let client = HTTPTestClient(port: proxy.port, from: 2)
        for number in 0..<3 { #expect(try client.send("GET", Self.album(number)).status == 200) }
        for reader in readers { reader.close() }
    }
}
