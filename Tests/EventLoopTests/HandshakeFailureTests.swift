import COpenSSL
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import EventLoop

/// How a listener is told that clients' handshakes failed.
@Suite(.timeLimit(.minutes(10))) struct HandshakeFailureTests: LoopSuite {
    let scene = LoopScene()

    private let authority: ThrowawayAuthority

    init() throws { authority = try ThrowawayAuthority() }

    /// The results in the order of their coming; nil for a handshake that is done.
    private final class Results: Sendable {
        let list = Mutex<[HandshakeFailure?]>([])
    }

    /// Connects one client; the result of its handshake.
    private func result(
        timeout: Duration = .seconds(60), _ connect: (TestServer) throws -> Any
    ) throws -> HandshakeFailure? {
        let results = Results()
        let tls = try ServerTLS(authority: authority, hosts: ["localhost"], offersHTTP2: true)
        let server = try TestServer(loop: loop, tls: tls) { recorder in
            recorder.stream?.onHandshake = { _, failure in results.list.withLock { $0.append(failure) } }
        }
        loop.sync { server.listener.handshakeTimeout = timeout }
        let client = try connect(server)
        #expect(loop.eventually { results.list.withLock { !$0.isEmpty } })
        withExtendedLifetime(client) {}
        loop.sync { server.listener.close() }
        return try #require(results.list.withLock { $0.count == 1 ? $0.first : nil })
    }

    private func result(
        of host: String, trusting authority: ThrowawayAuthority, protocols: [String] = ["http/1.1"]
    ) throws -> HandshakeFailure? {
        let client = try ClientTLS(trustAnchors: .pem(authority.certificatePEM()), protocols: protocols)
        return try result { try $0.client(tls: (client, host)) }
    }

    @Test func clientsThatRefuseTheCertificateAreToldFromOthers() throws {
        #expect(try result(of: "localhost", trusting: authority) == nil)
        let distrust = try #require(try result(of: "localhost", trusting: try ThrowawayAuthority()))
        #expect(distrust.kind == .untrusted && distrust.reason?.contains("alert") == true && distrust.host == nil)
        let name = try #require(try result(of: "other.example", trusting: authority))
        #expect(name.kind == .name && name.host == "other.example")
        let alpn = try #require(try result(of: "localhost", trusting: authority, protocols: ["foo"]))
        #expect(alpn.kind == .alpn)
    }

    /// A hello of TLS 1.2 or before, without extensions.
    private static func hello(version: UInt8, cipher: [UInt8]) -> [UInt8] {
        let body = [3, version] + [UInt8](repeating: 7, count: 32) + [0, 0, 2] + cipher + [1, 0]
        let message = [1, 0, 0, UInt8(body.count)] + body
        return [22, 3, 1, 0, UInt8(message.count)] + message
    }

    @Test(arguments: [
        (HandshakeFailure.Kind.version, hello(version: 2, cipher: [0xC0, 0x13])),
        (.cipher, hello(version: 3, cipher: [0, 5])),
        (.notTLS, Array("GET / HTTP/1.1\r\n".utf8)), (.notTLS, Array("SSH-2.0-OpenSSH_9.2p1 Debian\r\n".utf8)),
    ]) func bytesSayWhatIsWrong(kind: HandshakeFailure.Kind, bytes: [UInt8]) throws {
        let failure = try result { server in
            let client = try RawClient(port: server.port)
            try client.send(bytes)
            return client
        }
        #expect(failure?.kind == kind, "\(String(describing: failure))")
    }

    /// Health checks and connections that browsers open in advance are no failures of a client.
    @Test func silentClientsAreToldFromThoseThatStop() throws {
        let half = Array(Self.hello(version: 3, cipher: [0, 5]).prefix(20))
        #expect(
            try result { server in try RawClient(port: server.port).close() }?.kind == .silent)
        let left = try result { server in
            let client = try RawClient(port: server.port)
            try client.send(half)
            client.close()
            return client
        }
        #expect(left?.kind == .closed)
        #expect(try result(timeout: .milliseconds(50)) { try RawClient(port: $0.port) }?.kind == .silent)
        let late = try result(timeout: .seconds(3)) { server in
            let client = try RawClient(port: server.port)
            // The possible beginning of a method is a beginning too.
            try client.send("GE")
            return client
        }
        #expect(late?.kind == .late)
    }

    @Test func reasonsOfTheLibraryAreSorted() {
        #expect(HandshakeFailure.Kind(ofTLSReason: SSL_R_SSLV3_ALERT_CERTIFICATE_UNKNOWN) == .untrusted)
        #expect(HandshakeFailure.Kind(ofTLSReason: SSL_R_TLSV1_ALERT_PROTOCOL_VERSION) == .version)
        #expect(HandshakeFailure.Kind(ofTLSReason: SSL_R_SSLV3_ALERT_HANDSHAKE_FAILURE) == .cipher)
        #expect(HandshakeFailure.Kind(ofTLSReason: SSL_R_BAD_SIGNATURE) == .other)
        #expect(Set(HandshakeFailure.Kind.allCases.map(\.word)).count == HandshakeFailure.Kind.allCases.count)
    }
}
