import Foundation
import Proxy
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
    @Test func requestsOfDepartedClientsAreDropped() throws {
        let origin = try FakeOrigin { _ in FakeOrigin.Reply() }
        let budget = UpstreamBudget(rate: 20)
        let proxy = try ProxyUnderTest(originPort: origin.port, workers: 2, budget: budget)
        defer { proxy.stop() }
        for number in 0..<400 { try send(number, proxy).close() }
        let client = HTTPTestClient(port: proxy.port, from: 2)
        for number in 1000..<1005 { #expect(try client.send("GET", Self.album(number)).status == 200) }
        waitUntil { budget.snapshot.waiting == 0 }
        #expect(origin.requests.count < 300, "what nobody waits for is not asked")
    }

    /// Readers of large answers that take nothing held all connections to the origin for a minute.
    @Test func slowReadersHoldNoUpstreamConnections() throws {
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
