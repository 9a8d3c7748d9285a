import Foundation
import TestSupport
import Testing

@testable import EventLoop
@testable import Proxy
@testable import Server

/// Connections of a listener that a reload has taken away or changed: they were served for as long
/// as their clients liked.
@Suite(.timeLimit(.minutes(10))) struct EndedListenerTests {
    private static let target = "/v1/catalog/us/albums/1"
    private static let request = String.get(target)

    /// A proxy with a listener that stays, and another one.
    private final class Scene {
        let proxy: ProxyUnderTest
        let address: SocketAddress
        private(set) var ending = 0

        init(
            _ origin: FakeOrigin? = nil, workers: Int = 1, grace: Duration = .seconds(600),
            drain: Duration = .seconds(600), path: String? = nil, headers: ProxyHeaders? = nil
        ) throws {
            var timeouts = ClientTimeouts.ofTests
            (timeouts.grace, timeouts.drain) = (grace, drain)
            proxy = try ProxyUnderTest(before: origin ?? FakeOrigin(), workers: workers, timeouts: timeouts)
            let address = try #require(path.map { SocketAddress(path: $0) } ?? SocketAddress("127.0.0.1:0"))
            try proxy.adopt { $0.listeners.append(ListenerSettings(address: address, tls: nil, headers: headers)) }
            self.address = proxy.addresses[1]
        }

        func connection(_ text: String = "") throws -> RawClient {
            let client = try address.path.map { try RawClient(path: $0) } ?? RawClient(port: address.port)
            if !text.isEmpty { try client.send(text) }
            return client
        }

        /// Reloads without the second listener, or with this one in its place.
        func change(to listener: ListenerSettings? = nil) throws {
            ending = try proxy.adopt { $0.listeners = [$0.listeners[0]] + (listener.map { [$0] } ?? []) }
        }
    }

    private static func isLast(_ answer: String) -> Bool {
        answer.hasPrefix("HTTP/1.1 200 OK\r\n") && answer.contains("Connection: close\r\n")
    }

    /// The next request may be on its way.
    @Test(arguments: [1, 2, 4]) func aRecentConnectionGetsOneMoreAnswer(workers: Int) throws {
        let scene = try Scene(workers: workers)
        let clients = try (0..<8).map { _ in try scene.connection(Self.request) }
        for client in clients { #expect(!client.readSome().isEmpty) }
        let other = try scene.proxy.connection(sending: Self.request)
        #expect(!other.readSome().isEmpty)
        try scene.change()
        #expect(scene.ending == clients.count)
        for client in clients {
            // Pipelined requests after the last are the client's to repeat.
            try client.send(Self.request + Self.request)
            let answer = client.readText()
            #expect(Self.isLast(answer) && answer.components(separatedBy: "HTTP/1.1 200").count == 2)
        }
        try other.send(Self.request)
        #expect(!other.readSomeText().contains("Connection: close"), "another listener's goes on")
    }

    @Test func idleConnectionsAndBegunHeadersAreClosed() throws {
        let scene = try Scene(grace: .milliseconds(100))
        let idle = try scene.connection(Self.request)
        #expect(!idle.readSome().isEmpty)
        let silent = try scene.connection()
        try scene.change()
        #expect(idle.read().isEmpty && idle.sawEnd)
        #expect(silent.read().isEmpty && silent.sawEnd)
        let headers = ProxyHeaders { _ in }
        let balanced = try Scene(grace: .milliseconds(100), headers: headers)
        let waiting = try balanced.connection("PROXY TCP4 ")
        waitUntil { balanced.proxy.statistics.connections.count == 1 }
        try balanced.change()
        #expect(balanced.ending == 1 && waiting.read().isEmpty)
    }

    @Test func aHeadAContentAndAnAnswerInTheMiddleAreFinished() throws {
        let mayAnswer = DispatchSemaphore(value: 0)
        let scene = try Scene(FakeOrigin(after: mayAnswer), grace: .milliseconds(50))
        let head = try scene.connection(String(Self.request.dropLast(4)))
        let start = "POST /v1/me/library HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nab"
        let content = try scene.connection(start)
        let answer = try scene.connection(Self.request)
        waitUntil { !scene.proxy.origin.requests.isEmpty && scene.proxy.statistics.connections.count == 3 }
        try scene.change()
        #expect(scene.ending == 3)
        for _ in 0..<4 { mayAnswer.signal() }
        #expect(Self.isLast(answer.readText()))
        try head.send(String(Self.request.suffix(4)))
        #expect(Self.isLast(head.readText()))
        try content.send("cd")
        #expect(content.readText().contains("Connection: close\r\n") && content.sawEnd)
    }

    @Test func whatIsLeftAfterTheTimeOfAStopIsCutOff() throws {
        let mayAnswer = DispatchSemaphore(value: 0)
        let scene = try Scene(FakeOrigin(after: mayAnswer), grace: .milliseconds(50), drain: .milliseconds(200))
        defer { mayAnswer.signal() }
        let client = try scene.connection(Self.request)
        waitUntil { !scene.proxy.origin.requests.isEmpty }
        try scene.change()
        #expect(client.read().isEmpty && (client.sawEnd || client.wasReset))
    }

    @Test func aPlainListenerThatBecomesTLSOrGetsHeadersEndsItsConnections() throws {
        let tls = try ServerTLS(authority: ThrowawayAuthority(), hosts: ["127.0.0.1"])
        for (tls, headers) in [(tls, nil), (nil, ProxyHeaders { _ in })] as [(ServerTLS?, ProxyHeaders?)] {
            let scene = try Scene()
            let client = try scene.connection(Self.request)
            #expect(!client.readSome().isEmpty)
            let asked = SocketAddress("127.0.0.1:0")!
            try scene.change(to: ListenerSettings(address: asked, tls: tls, headers: headers))
            #expect(scene.proxy.addresses[1] == scene.address && scene.ending == 1)
            try client.send(Self.request)
            #expect(Self.isLast(client.readText()))
        }
    }

    @Test func aListenerThatComesBackKeepsItsNewConnections() throws {
        let folder = try TemporaryFolder()
        let scene = try Scene(grace: .milliseconds(200), path: folder.file("socket"))
        let old = try scene.connection(Self.request)
        #expect(!old.readSome().isEmpty)
        try scene.change()
        try scene.change(to: ListenerSettings(address: scene.address, tls: nil))
        let new = try scene.connection(Self.request)
        #expect(!new.readSome().isEmpty)
        #expect(old.read().isEmpty && old.sawEnd)
        try new.send(Self.request)
        #expect(!new.readSomeText().contains("Connection: close"))
        // The other changes that follow at once find it in its new term.
        try scene.change(to: ListenerSettings(address: scene.address, tls: nil))
        #expect(scene.ending == 0)
    }

    @Test func aReloadThatFailsEndsNothing() throws {
        let (scene, other) = (try Scene(), try ProxyUnderTest(workers: 2))
        let client = try scene.connection(Self.request)
        #expect(!client.readSome().isEmpty)
        let taken = try #require(SocketAddress("127.0.0.1:\(other.port)"))
        #expect(throws: ListenError.self) { try scene.change(to: ListenerSettings(address: taken, tls: nil)) }
        try client.send(Self.request)
        #expect(!client.readSomeText().contains("Connection: close"))
    }

    /// Streams in hand are finished; the client is told to begin no others.
    @Test(.requires(.nghttp2)) func anHTTP2ConnectionGetsAGoodbye() throws {
        let scene = try HTTP2Scene { ($0.grace, $0.drain) = (.milliseconds(300), .seconds(600)) }
        let gate = scene.answerLater("{\"late\":1}")
        let (busy, idle) = (try scene.client(), try scene.client())
        busy.send(.head(HTTP2Frame.get("/v1/catalog/us/albums/2"), stream: 1))
        waitUntil { !scene.origin.requests.isEmpty && !idle.frames(.settings).isEmpty }
        let ending = try scene.proxy.adopt { $0.listeners.removeLast() }
        #expect(ending == 2)
        #expect(idle.end() == 0)
        gate.signal()
        #expect(busy.answer(1) == "{\"late\":1}")
        #expect(busy.end() == 0)
    }

    /// A handshake that has not ended by then has asked for nothing.
    @Test(.requires(.nghttp2)) func aHandshakeUnderWayEnds() throws {
        let scene = try HTTP2Scene { ($0.grace, $0.drain) = (.milliseconds(100), .seconds(600)) }
        let client = try RawClient(port: scene.port)
        waitUntil { scene.proxy.statistics.connections.count == 1 }
        try scene.proxy.adopt { $0.listeners.removeLast() }
        #expect(client.read().isEmpty)
        waitUntil { scene.proxy.statistics.connections.count == 0 }
    }
}
