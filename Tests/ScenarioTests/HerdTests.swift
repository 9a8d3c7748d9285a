import Cache
import Foundation
import Proxy
import Server
import TestSupport
import Testing

/// A thousand clients want the same answer at once (HARDENING F12), which is not stored or has
/// expired; the first of them leaves.
@Suite(.serialized, .timeLimit(.minutes(10))) struct HerdTests {
    private static var clients: Int { TestSize.of(150, release: 1_000) }

    private func herd(_ proxy: ProxyUnderTest, _ count: Int = clients) throws -> [RawClient] {
        try (0..<count).map { _ in
            try proxy.connection(
                sending: "GET /v1/catalog/us/albums/1 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        }
    }

    /// How many of them got which status.
    private func statuses(_ clients: [RawClient]) -> [String: Int] {
        Dictionary(grouping: clients) { client in
            String(client.readText().dropFirst(9).prefix(3))
        }.mapValues(\.count)
    }

    private func waitForMisses(_ proxy: ProxyUnderTest, _ count: Int) {
        waitUntil(within: 60) { proxy.statistics[.misses] >= count }
        #expect(proxy.statistics[.misses] >= count)
    }

    @Test func aColdKeyIsAskedForOnce() throws {
        let gate = ScriptedOrigin.Gate()
        let answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"
        let origin = try ScriptedOrigin([.request, .wait(gate), .send(answer), .hold])
        let proxy = try ProxyUnderTest(originPort: Int(origin.port), workers: 2)
        let leader = try herd(proxy, 1)
        waitForMisses(proxy, 1)
        let others = try herd(proxy)
        waitForMisses(proxy, Self.clients + 1)
        for client in leader { client.reset() }
        gate.open()
        #expect(statuses(others) == ["200": Self.clients])
        #expect(origin.requests.joined().count == 1)
    }

    /// The fields of each waiter decide whether the answer is for it.
    @Test func aHerdOfSeveralKindsGetsAnAnswerForEach() throws {
        let mayAnswer = DispatchSemaphore(value: 0)
        let origin = try FakeOrigin { request in
            mayAnswer.waitOrFail()
            mayAnswer.signal()
            return FakeOrigin.Reply(
                fields: [("Vary", "X-Kind"), ("Cache-Control", "max-age=600")], body: request.field("x-kind") ?? "")
        }
        let proxy = try ProxyUnderTest(originPort: origin.port, workers: 2)
        let clients = try (0..<24).map { number in
            let kind = "X-Kind: kind-\(number % 4)\r\n"
            return try proxy.connection(
                sending: "GET /elsewhere/1 HTTP/1.1\r\nHost: a\r\n\(kind)Connection: close\r\n\r\n")
        }
        waitForMisses(proxy, clients.count)
        mayAnswer.signal()
        for (number, client) in clients.enumerated() { #expect(client.readText().hasSuffix("kind-\(number % 4)")) }
        #expect(origin.requests.count == 4)
    }

    @Test func anAnswerThatRanOutIsAskedForOnceByAll() throws {
        let clock = ManualClock(1_790_000_000)
        let origin = try FakeOrigin { _ in
            usleep(100_000)
            return FakeOrigin.Reply()
        }
        let policy = Policy(.albums, .fixed(60, stale: 0))
        let proxy = try ProxyUnderTest(
            originPort: origin.port, workers: 2, policy: policy, timeOfDay: TimeOfDay { clock.unixSeconds })
        #expect(statuses(try herd(proxy, 1)) == ["200": 1])
        clock.advance(seconds: 61)
        #expect(statuses(try herd(proxy)) == ["200": Self.clients])
        #expect(origin.requests.count == 2)
    }
}
