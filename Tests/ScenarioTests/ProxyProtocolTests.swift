import Foundation
import TestSupport
import Testing

@testable import EventLoop
@testable import Proxy
@testable import Server

/// Connections that a load balancer hands on, over real sockets, plain and with TLS.
@Suite(.timeLimit(.minutes(10))) struct ProxyProtocolTests {
    private static let request = String.get("/v1/catalog/us/albums/1", closes: true)
    private static let header = "PROXY TCP4 203.0.113.9 10.0.0.1 40000 443\r\n"
    private static let binary: [UInt8] =
        [0x0D, 0x0A, 0x0D, 0x0A, 0, 0x0D, 0x0A, 0x51, 0x55, 0x49, 0x54, 0x0A, 0x21, 0x11, 0, 15]
        + [203, 0, 113, 9, 10, 0, 0, 1, 0x9C, 0x40, 0x01, 0xBB] + [0x04, 0, 0]

    /// A proxy that listens for a load balancer, and once more for everyone.
    private final class Scene {
        let proxy: ProxyUnderTest
        /// The lines of the operator's log.
        let log = Warnings()
        let authority: ThrowawayAuthority
        private(set) var port: UInt16 = 0

        init(isTLS: Bool = false, perAddress: Int = .max, _ change: (inout ClientTimeouts) -> Void = { _ in }) throws {
            var timeouts = ClientTimeouts.ofTests
            change(&timeouts)
            authority = try ThrowawayAuthority()
            proxy = try ProxyUnderTest(before: FakeOrigin(.init(body: "{\"album\":1}")), timeouts: timeouts)
            let tls = isTLS ? try ServerTLS(authority: authority, hosts: ["127.0.0.1"]) : nil
            let headers = ProxyHeaders { [log] line in log.add(line) }
            try proxy.adopt { settings in
                settings.bounds.connectionsPerAddress = perAddress
                settings.listeners.append(
                    ListenerSettings(address: SocketAddress("127.0.0.1:0")!, tls: tls, headers: headers))
            }
            port = proxy.addresses[1].port
        }

        func connection(_ bytes: [UInt8]) throws -> RawClient {
            let client = try RawClient(port: port)
            try client.send(bytes)
            return client
        }

        func connection(_ text: String) throws -> RawClient { try connection(Array(text.utf8)) }

        var refused: Int { proxy.statistics.connections.refusedHeaderCount }
    }

    @Test func theClientIsWhoTheHeaderSays() throws {
        let scene = try Scene()
        let headers = [
            Array(Self.header.utf8), Array("PROXY TCP6 2001:db8::7 ::1 1 2\r\n".utf8), Self.binary,
            Array("PROXY UNKNOWN\r\n".utf8),
            Array(Self.binary[..<12]) + [0x20, 0, 0, 0],
        ]
        for header in headers {
            let client = try scene.connection(header + Array(Self.request.utf8))
            #expect(client.readText().hasSuffix("{\"album\":1}"))
        }
        #expect(
            try scene.proxy.loggedClients() == ["203.0.113.9", "2001:db8::7", "203.0.113.9", "127.0.0.1", "127.0.0.1"])
        #expect(scene.log.all.isEmpty)
    }

    @Test(arguments: [request, "PROXY TCP4 1.2.3.4"]) func whoBeginsWithSomethingElseGetsNoAnswer(bytes: String) throws
    {
        let scene = try Scene()
        let client = try scene.connection(bytes)
        client.finishSending()
        #expect(client.read().isEmpty && (client.sawEnd || client.wasReset))
        waitUntil { scene.log.all.count == 1 }
        #expect(scene.log.all.first?.hasPrefix("a connection from 127.0.0.1 was closed: ") == true)
        #expect(scene.refused == 1)
        #expect(try scene.proxy.loggedClients().isEmpty && scene.proxy.origin.requests.isEmpty)
    }

    @Test func aMissingHeaderHasTheDeadlineOfAHead() throws {
        let scene = try Scene { $0.head = .milliseconds(200) }
        let client = try scene.connection("PROXY TCP4 ")
        #expect(client.readToEnd().bytes.isEmpty && (client.sawEnd || client.wasReset))
        waitUntil { !scene.log.all.isEmpty }
        #expect(scene.log.all.first?.contains("late") == true)
    }

    /// A client that connects and sends nothing, such as a port check, causes no warning.
    @Test func aConnectionWithoutAByteIsNotLogged() throws {
        let scene = try Scene()
        for _ in 0..<5 { try RawClient(port: scene.port).close() }
        #expect(try scene.connection(Self.header + Self.request).readText().hasSuffix("{\"album\":1}"))
        #expect(scene.log.all.isEmpty && scene.refused == 0)
        #expect(try scene.proxy.loggedClients() == ["203.0.113.9"])
    }

    @Test func connectionsCountByTheAddressThatIsSaid() throws {
        let scene = try Scene(perAddress: 2)
        func connect(_ host: String) throws -> RawClient {
            try scene.connection("PROXY TCP4 \(host) 10.0.0.1 1 2\r\n" + String.get("/v1/catalog/us/albums/1"))
        }
        let kept = try ["203.0.113.1", "203.0.113.1", "203.0.113.2"].map(connect)
        for client in kept { #expect(!client.readSome().isEmpty) }
        let refused = try connect("203.0.113.1")
        #expect(refused.read().isEmpty && (refused.sawEnd || refused.wasReset))
        let other = try connect("203.0.113.3")
        #expect(!other.readSome().isEmpty)
        for client in kept + [other] { client.close() }
    }

    @Test func otherListenersTrustNoHeader() throws {
        let scene = try Scene()
        let client = try scene.proxy.connection(sending: Self.header + Self.request)
        #expect(client.readText().hasPrefix("HTTP/1.1 400 "))
        #expect(try scene.proxy.loggedClients() == ["127.0.0.1"])
    }

    @Test func withTLSTheHeaderComesBeforeTheHandshake() throws {
        let scene = try Scene(isTLS: true)
        for inPieces in [false, true] {
            let balancer = try LoadBalancer(
                to: scene.port, header: inPieces ? Self.binary : Array(Self.header.utf8), inPieces: inPieces)
            let edge = try ProxyUnderTest(
                originPort: Int(balancer.port),
                upstreamTLS: ClientTLS(trustAnchors: .pem(scene.authority.certificatePEM())))
            #expect(try edge.client.send("GET", "/v1/catalog/us/albums/1").body == Data("{\"album\":1}".utf8))
            balancer.stop()
        }
        // A handshake without a header is none, and neither is a header inside of TLS.
        let client = try scene.connection([0x16, 0x03, 0x01, 0x02, 0x00, 0x01])
        #expect(client.readToEnd().bytes.isEmpty)
        #expect(try scene.proxy.loggedClients() == ["203.0.113.9", "203.0.113.9"])
    }

    /// A reload goes over to headers, and away from them, on the same socket.
    @Test func aReloadChangesWhatAListenerExpects() throws {
        let scene = try Scene()
        let address = SocketAddress("127.0.0.1:0")!
        // The count of refused connections outlives the listener that refused them.
        #expect(try scene.connection(Self.request).readText().isEmpty)
        try scene.proxy.adopt { $0.listeners[1] = ListenerSettings(address: address, tls: nil) }
        #expect(scene.proxy.addresses[1].port == scene.port)
        #expect(scene.refused == 1)
        #expect(try scene.connection(Self.request).readText().hasSuffix("{\"album\":1}"))
        try scene.proxy.adopt {
            $0.listeners[1] = ListenerSettings(address: address, tls: nil, headers: ProxyHeaders { _ in })
        }
        #expect(try scene.connection(Self.header + Self.request).readText().hasSuffix("{\"album\":1}"))
        #expect(try scene.proxy.loggedClients() == ["127.0.0.1", "203.0.113.9"])
    }

    /// One that has not said whose it is does not hold up the end.
    @Test func aStopDoesNotWaitLongForHeaders() throws {
        let scene = try Scene { $0.grace = .milliseconds(100) }
        let client = try scene.connection("PROXY ")
        usleep(50_000)
        let start = Instant.now()
        #expect(scene.proxy.stop() == 0)
        #expect(Instant.now() - start < .seconds(Patience.seconds(5)))
        #expect(client.readToEnd().bytes.isEmpty)
    }
}
