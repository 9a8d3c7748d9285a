import Foundation
import Freshness
import Server
import TestSupport
import Testing

/// A thousand clients want one answer at once (HARDENING F12); the first of them leaves.
@Suite(.serialized, .timeLimit(.minutes(10))) struct HerdTests {
    private static var clients: Int { TestSize.of(150, release: 1_000) }

    private func herd(_ proxy: ProxyUnderTest, _ count: Int = clients) throws -> [RawClient] {
        try (0..<count).map { _ in
            try proxy.connection(sending: .get("/v1/catalog/us/albums/1", closes: true))
        }
    }

    @Test func aColdKeyIsAskedForOnce() throws {
        let gate = ScriptedOrigin.Gate()
        let origin = try ScriptedOrigin([.request, .wait(gate), .send(.ok("{\"data\":[]}")), .hold])
        // The last of them may be answered in another second than the first.
        let proxy = try ProxyUnderTest(scripted: origin, workers: 3, timeOfDay: TimeOfDay { 1_790_000_000 })
        let leader = try herd(proxy, 1)
        waitUntil { proxy.statistics[.misses] == 1 }
        let others = try herd(proxy)
        waitUntil { proxy.statistics[.misses] == Self.clients + 1 }
        for client in leader { client.reset() }
        gate.open()
        let status = "\r\nCache-Status: refrain; fwd=uri-miss; fwd-status=200; collapsed; stored; ttl=86400\r\n"
        for text in others.map({ $0.readText() }) {
            #expect(text.hasPrefix("HTTP/1.1 200 ") && text.hasSuffix("{\"data\":[]}"), "\(text)")
            #expect(text.contains(status), "\(text)")
        }
        #expect(origin.requests.joined().count == 1 && proxy.statistics[.collapsed] == Self.clients)
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
        let proxy = try ProxyUnderTest(before: origin, workers: 2)
        let clients = try (0..<24).map { number in
            try proxy.connection(sending: .get("/elsewhere/1", "X-Kind: kind-\(number % 4)\r\n", closes: true))
        }
        waitUntil { proxy.statistics[.misses] == clients.count }
        mayAnswer.signal()
        for (number, client) in clients.enumerated() { #expect(client.readText().hasSuffix("kind-\(number % 4)")) }
        #expect(origin.requests.count == 4)
    }

    @Test func anAnswerThatRanOutIsAskedForOnceByAll() throws {
        let gate = ScriptedOrigin.Gate()
        let origin = try ScriptedOrigin([.request, .wait(gate), .send(.ok("{\"data\":[]}")), .hold])
        let lifetime = Lifetime(freshFor: 10, keepFor: 1000)
        let proxy = try ProxyUnderTest(
            scripted: origin, workers: 2,
            cache: .holdingOld("/v1/catalog/us/albums/1", lifetime, fields: "ETag: \"a\"\r\n"))
        let clients = try herd(proxy, 24)
        waitUntil { proxy.statistics[.misses] == clients.count }
        gate.open()
        for client in clients { #expect(client.readText().hasSuffix("{\"data\":[]}")) }
        #expect(origin.requests.joined().count == 1)
    }
}
