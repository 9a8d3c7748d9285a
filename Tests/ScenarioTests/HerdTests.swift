import AppleMusic
import Cache
import Foundation
import Proxy
import Server
import Synchronization
import TestSupport
import Testing

@testable import EventLoop

/// A thousand clients want the same at once (HARDENING F12): what nobody has, what runs out, what
/// cannot be stored; the first of them leaves, or the origin forgets its request.
@Suite(.serialized, .timeLimit(.minutes(10))) struct HerdTests {
    private static var clients: Int { TestSize.of(150, release: 1_000) }
    private static let target = "/v1/catalog/us/albums/1"

    private func herd(_ proxy: ProxyUnderTest, _ count: Int = clients, _ target: String = target) throws -> [RawClient]
    {
        try (0..<count).map { _ in
            let client = try RawClient(port: UInt16(proxy.port))
            try client.send("GET \(target) HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            return client
        }
    }

    /// How many of them got which status.
    private func statuses(_ clients: [RawClient]) -> [String: Int] {
        Dictionary(grouping: clients) { client in
            String(String(decoding: client.read(), as: UTF8.self).dropFirst(9).prefix(3))
        }.mapValues(\.count)
    }

    private func waitForMisses(_ proxy: ProxyUnderTest, _ count: Int) {
        waitUntil(within: 60) { proxy.statistics[.misses] >= count }
        #expect(proxy.statistics[.misses] >= count)
    }

    @Test func aColdKeyIsAskedForOnceAndTheFirstMayLeave() throws {
        let gate = ScriptedOrigin.Gate()
        let answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"
        let origin = try ScriptedOrigin([.request, .wait(gate), .send(answer), .hold])
        let proxy = try ProxyUnderTest(originPort: Int(origin.port), workers: 2)
        defer { proxy.stop() }
        let leader = try herd(proxy, 1)
        waitForMisses(proxy, 1)
        let others = try herd(proxy)
        waitForMisses(proxy, Self.clients + 1)
        for client in leader { client.reset() }
        gate.open()
        #expect(statuses(others) == ["200": Self.clients])
        #expect(origin.requests.joined().count == 1)
    }

    @Test func anAnswerThatRanOutIsAskedForOnceByAll() throws {
        let clock = ManualClock(1_790_000_000)
        let origin = try FakeOrigin { _ in
            usleep(100_000)
            return FakeOrigin.Reply()
        }
        var policy = Policy()
        policy[.albums] = .fixed(60, stale: 0)
        let proxy = try ProxyUnderTest(
            originPort: origin.port, workers: 2, policy: policy, timeOfDay: TimeOfDay { clock.unixSeconds })
        defer { proxy.stop() }
        #expect(statuses(try herd(proxy, 1)) == ["200": 1])
        clock.advance(seconds: 61)
        #expect(statuses(try herd(proxy)) == ["200": Self.clients])
        #expect(origin.requests.count == 2)
    }

    /// The origin never answers the first: after five seconds one of those who wait asks anew.
    @Test func whoWaitsForARequestThatHangsIsFreed() throws {
        let answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"
        let origin = try ScriptedOrigin([.request, .hold], [.request, .send(answer), .hold])
        let proxy = try ProxyUnderTest(originPort: Int(origin.port), workers: 2)
        defer { proxy.stop() }
        let leader = try herd(proxy, 1)
        waitForMisses(proxy, 1)
        #expect(statuses(try herd(proxy)) == ["200": Self.clients])
        #expect(origin.requests.joined().count == 2)
        for client in leader { client.close() }
    }

    /// All whose fields chose another answer than the first's asked each for itself.
    @Test func aHerdOfTenKindsAsksTenTimes() throws {
        let origin = try FakeOrigin { request in
            usleep(200_000)
            return FakeOrigin.Reply(
                fields: [("Vary", "X-Kind"), ("Cache-Control", "max-age=600")], body: request.field("x-kind") ?? "")
        }
        let proxy = try ProxyUnderTest(originPort: origin.port, workers: 2)
        defer { proxy.stop() }
        let clients = try (0..<Self.clients).map { number in
            let client = try RawClient(port: UInt16(proxy.port))
            let kind = "X-Kind: kind-\(number % 10)\r\n"
            try client.send("GET /elsewhere/1 HTTP/1.1\r\nHost: a\r\n\(kind)Connection: close\r\n\r\n")
            return client
        }
        for (number, client) in clients.enumerated() {
            #expect(String(decoding: client.read(), as: UTF8.self).hasSuffix("kind-\(number % 10)"))
        }
        #expect(origin.requests.count == 10)
    }

    /// What cannot be stored is asked for by each; they do not queue behind one another.
    @Test func whatCannotBeStoredMakesNoQueue() throws {
        let origin = try DelayingOrigin(delay: .milliseconds(20))
        defer { origin.stop() }
        let proxy = try ProxyUnderTest(originPort: origin.port, workers: 2)
        defer { proxy.stop() }
        #expect(statuses(try herd(proxy, Self.clients, "/elsewhere/1")) == ["200": Self.clients])
        #expect(origin.most > 8, "at most \(origin.most) were at the origin at once")
    }
}

/// Answers each request after a while with what must not be stored, and counts how many wait at
/// once.
private final class DelayingOrigin {
    private final class Answering: Service, Sendable {
        let load = Mutex((now: 0, most: 0))
        let delay: Duration

        init(_ delay: Duration) { self.delay = delay }

        func handle(_ connection: ClientConnection) {
            load.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
            _ = connection.context.loop.schedule(after: delay) {
                self.load.withLock { $0.now -= 1 }
                connection.respond(content: [0x7B, 0x7D]) { buffer in
                    buffer.appendStatusLine(200)
                    buffer.append("Cache-Control: no-store\r\nContent-Length: 2\r\n")
                }
            }
        }
    }

    private let service: Answering
    private let host: ServiceHost

    init(delay: Duration) throws {
        let service = Answering(delay)
        self.service = service
        host = try ServiceHost(
            label: "origin", listener: ListenerSettings(address: SocketAddress("127.0.0.1:0")!, tls: nil)
        ) { _ in service }
    }

    var port: Int { Int(host.address.port) }
    var most: Int { service.load.withLock { $0.most } }
    func stop() { host.stop() }
}
