import COpenSSL
import Testing

@testable import EventLoop

/// Each kind of bad certificate is refused before a byte of the application has left.
@Suite(.timeLimit(.minutes(10))) struct CertificateTests: LoopSuite {
    let scene = LoopScene()

    struct Case: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let (reason, host): (String, String)
        let make: @Sendable (ThrowawayAuthority) throws -> ThrowawayAuthority.Leaf
        let weaken: @Sendable (OpaquePointer) -> Void

        /// - Parameters:
        ///   - reason: part of the error's text.
        ///   - host: the name that the client wants.
        init(
            _ name: String, _ reason: String, host: String = "localhost",
            weaken: @escaping @Sendable (OpaquePointer) -> Void = { _ in },
            _ make: @escaping @Sendable (ThrowawayAuthority) throws -> ThrowawayAuthority.Leaf
        ) {
            (testDescription, self.reason, self.host, self.weaken, self.make) = (
                name, reason, host, weaken, make
            )
        }
    }

    private static func leaf(
        _ hosts: [String] = ["localhost"],
        _ change: @escaping @Sendable (inout LeafProfile) -> Void = { _ in }
    ) -> @Sendable (ThrowawayAuthority) throws -> ThrowawayAuthority.Leaf {
        { authority in
            var profile = LeafProfile()
            profile.hosts = hosts
            change(&profile)
            return try profile.issue(by: authority.leaf)
        }
    }

    /// The client's security level refuses these; the server has to be talked into sending them.
    private static let anySecurity: @Sendable (OpaquePointer) -> Void = { SSL_CTX_set_security_level($0, 0) }

    static let cases: [Case] = [
        Case("expired", "certificate has expired", leaf { $0.notAfter = -60 }),
        Case("not yet valid", "not yet valid", leaf { $0.notBefore = 3600 }),
        Case("self-signed", "self-signed certificate") { _ in
            var profile = LeafProfile()
            profile.hosts = ["localhost"]
            return try profile.issue(by: nil)
        },
        Case("wrong host", "hostname mismatch", leaf(["example.com"])),
        Case("sub-domain", "hostname mismatch", host: "a.localhost.test", leaf(["localhost.test"])),
        Case("CN only", "hostname mismatch", leaf([]) { $0.commonName = "localhost" }),
        Case("address, name wanted", "hostname mismatch", leaf(["127.0.0.1"])),
        Case("name, address wanted", "IP address mismatch", host: "127.0.0.1", leaf(["localhost"])),
        Case(
            "address as a DNS name", "IP address mismatch", host: "127.0.0.1",
            leaf([]) { $0.alternativeNames = "DNS:127.0.0.1" }),
        Case("partial wildcard", "hostname mismatch", host: "foo.test.example", leaf(["f*.test.example"])),
        Case("wildcard for two labels", "hostname mismatch", host: "a.b.test.example", leaf(["*.test.example"])),
        // SEQUENCE { [2] "localhost\0.evil" }
        Case(
            "NUL in the name", "hostname mismatch", host: "localhost",
            leaf([]) { $0.alternativeNames = "DER:3011820F6C6F63616C686F7374002E6576696C" }),
        // `SSL_set1_host("")` would silently switch the check of the name off.
        Case("no name wanted", "no host name to verify", host: "", leaf()),
        Case("NUL in the wanted name", "no host name to verify", host: "localhost\0.evil", leaf()),
        Case("for clients only", "certificate purpose", leaf { $0.extendedKeyUsage = "clientAuth" }),
        Case("unknown authority", "unable to get local issuer") { _ in
            try ThrowawayAuthority(name: "unknown").issue(hosts: ["localhost"])
        },
        Case("unknown authority of the same name", "certificate signature failure") { _ in
            try ThrowawayAuthority().issue(hosts: ["localhost"])
        },
        Case("leaf that plays authority", "certificate") { authority in
            let middle = try authority.issue(hosts: ["localhost"])
            var profile = LeafProfile()
            profile.hosts = ["localhost"]
            profile.commonName = "below a leaf"
            let leaf = try profile.issue(by: middle)
            return ThrowawayAuthority.Leaf(
                certificatePEM: leaf.certificatePEM + middle.certificatePEM, keyPEM: leaf.keyPEM)
        },
        Case("1024-bit RSA", "key too weak", weaken: anySecurity, leaf { $0.key = .rsa(bits: 1024) }),
        Case("SHA-1", "digest algorithm too weak", weaken: anySecurity, leaf { $0.usesSHA1 = true }),
        Case(
            "TLS 1.1 only", "protocol version",
            weaken: { context in
                anySecurity(context)
                SSL_CTX_set_cipher_list(context, "ALL:@SECLEVEL=0")
                _ = copenssl_ctx_set_min_proto_version(context, TLS1_VERSION)
                _ = copenssl_ctx_set_max_proto_version(context, TLS1_1_VERSION)
            }, leaf()),
    ]

    @Test(arguments: cases)
    func isRefusedWithNothingSent(_ bad: Case) throws {
        let authority = try ThrowawayAuthority()
        let client = try ClientTLS(trustAnchors: .pem(authority.certificatePEM()))
        let tls = try ServerTLS(leaf: bad.make(authority), weaken: bad.weaken)
        let server = try TestServer(loop: loop, tls: tls) { _ in }
        let recorder = try server.client(tls: (client, bad.host), sending: "secret")
        loop.sync { recorder.stream?.send("secret") }
        #expect(loop.eventually { recorder.isClosed && server.recorders.allSatisfy(\.isClosed) })
        loop.sync {
            #expect(recorder.events == [.close] && recorder.received.isEmpty)
            #expect(recorder.tlsError?.contains(bad.reason) == true, "\(String(describing: recorder.error))")
            #expect(server.recorders.allSatisfy { $0.received.isEmpty })
            #expect(client.sessions.count == 0)
        }
    }

    /// The control: certificates that differ from the cases above in the fault alone are accepted.
    @Test(arguments: [
        ("localhost", "localhost"), ("LOCALHOST", "localhost"), ("a.test.example", "*.test.example"),
        ("127.0.0.1", "127.0.0.1"), ("::1", "::1"),
    ])
    func isAccepted(_ host: String, _ name: String) throws {
        let root = try ThrowawayAuthority()
        let intermediate = try ThrowawayAuthority(name: "between", parent: root)
        let leaf = try intermediate.issue(hosts: ["example.com", name])
        let chain = ThrowawayAuthority.Leaf(
            certificatePEM: leaf.certificatePEM + intermediate.certificatePEM(), keyPEM: leaf.keyPEM)
        let client = try ClientTLS(trustAnchors: .pem(root.certificatePEM()))
        let server = try TestServer(loop: loop, tls: ServerTLS(leaf: chain))
        let recorder = try server.client(tls: (client, host), sending: "fine")
        #expect(loop.eventually { recorder.received == Array("fine".utf8) || recorder.isClosed })
        loop.sync {
            #expect(recorder.error == nil && recorder.events.first == .open)
            #expect(recorder.stream?.isTLS == true && server.recorders[0].stream?.isTLS == true)
        }
    }
}
