import COpenSSL
import Testing

@testable import EventLoop

/// Each kind of bad certificate is refused before a byte of the application has left.
@Suite struct CertificateTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let name: String
        /// The host that the client wants.
        var host = "localhost"
        let make: @Sendable (ThrowawayAuthority) throws -> ThrowawayAuthority.Leaf
        /// Part of the error's text.
        let reason: String
        var weaken: @Sendable (OpaquePointer) -> Void = { _ in }

        var testDescription: String { name }
    }

    private static func leaf(
        _ hosts: [String] = ["localhost"], _ change: @escaping @Sendable (inout LeafProfile) -> Void = { _ in }
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
        Case(name: "expired", make: leaf { $0.notAfter = -60 }, reason: "certificate has expired"),
        Case(name: "not yet valid", make: leaf { $0.notBefore = 3600 }, reason: "not yet valid"),
        Case(
            name: "self-signed",
            make: { _ in
                var profile = LeafProfile()
                profile.hosts = ["localhost"]
                return try profile.issue(by: nil)
            }, reason: "self-signed certificate"),
        Case(name: "wrong host", make: leaf(["example.com"]), reason: "hostname mismatch"),
        Case(name: "sub-domain", host: "a.localhost.test", make: leaf(["localhost.test"]), reason: "hostname mismatch"),
        Case(name: "CN only", make: leaf([]) { $0.commonName = "localhost" }, reason: "hostname mismatch"),
        Case(name: "address, name wanted", make: leaf(["127.0.0.1"]), reason: "hostname mismatch"),
        Case(
            name: "name, address wanted", host: "127.0.0.1", make: leaf(["localhost"]),
            reason: "IP address mismatch"),
        Case(
            name: "address as a DNS name", host: "127.0.0.1",
            make: leaf([]) { $0.alternativeNames = "DNS:127.0.0.1" }, reason: "IP address mismatch"),
        Case(
            name: "partial wildcard", host: "foo.test.example", make: leaf(["f*.test.example"]),
            reason: "hostname mismatch"),
        Case(
            name: "wildcard for two labels", host: "a.b.test.example", make: leaf(["*.test.example"]),
            reason: "hostname mismatch"),
        Case(
            name: "NUL in the name", host: "localhost",
            // SEQUENCE { [2] "localhost\0.evil" }
            make: leaf([]) { $0.alternativeNames = "DER:3011820F6C6F63616C686F7374002E6576696C" },
            reason: "hostname mismatch"),
        Case(
            name: "for clients only", make: leaf { $0.extendedKeyUsage = "clientAuth" }, reason: "certificate purpose"),
        Case(
            name: "unknown authority",
            make: { _ in try ThrowawayAuthority(name: "unknown").issue(hosts: ["localhost"]) },
            reason: "unable to get local issuer"),
        Case(
            name: "unknown authority of the same name",
            make: { _ in try ThrowawayAuthority().issue(hosts: ["localhost"]) }, reason: "certificate signature failure"
        ),
        Case(
            name: "intermediate of an unknown authority",
            make: { _ in
                let intermediate = try ThrowawayAuthority(name: "between", parent: ThrowawayAuthority(name: "unknown"))
                let leaf = try intermediate.issue(hosts: ["localhost"])
                return ThrowawayAuthority.Leaf(
                    certificatePEM: leaf.certificatePEM + intermediate.certificatePEM(), keyPEM: leaf.keyPEM)
            }, reason: "unable to get local issuer"),
        Case(
            name: "leaf that plays authority",
            make: { authority in
                let middle = try authority.issue(hosts: ["localhost"])
                var profile = LeafProfile()
                profile.hosts = ["localhost"]
                profile.commonName = "below a leaf"
                let leaf = try profile.issue(by: middle)
                return ThrowawayAuthority.Leaf(
                    certificatePEM: leaf.certificatePEM + middle.certificatePEM, keyPEM: leaf.keyPEM)
            }, reason: "certificate"),
        Case(
            name: "1024-bit RSA", make: leaf { $0.key = .rsa(bits: 1024) }, reason: "key too weak",
            weaken: anySecurity),
        Case(
            name: "SHA-1", make: leaf { $0.usesSHA1 = true }, reason: "digest algorithm too weak", weaken: anySecurity),
        Case(
            name: "TLS 1.1 only", make: leaf(), reason: "protocol version",
            weaken: { context in
                anySecurity(context)
                SSL_CTX_set_cipher_list(context, "ALL:@SECLEVEL=0")
                _ = copenssl_ctx_set_min_proto_version(context, TLS1_VERSION)
                _ = copenssl_ctx_set_max_proto_version(context, TLS1_1_VERSION)
            }),
    ]

    @Test(arguments: cases)
    func isRefusedWithNothingSent(_ bad: Case) throws {
        let authority = try ThrowawayAuthority()
        let client = try ClientTLS(trustAnchors: .pem(authority.certificatePEM()))
        let tls = try ServerTLS(leaf: bad.make(authority), weaken: bad.weaken)
        try withLoop { loop in
            let server = try TestServer(loop: loop, tls: tls) { _ in }
            let recorder = Recorder()
            recorder.onOpen = { $0.send("secret") }
            let stream = try connect(loop, port: server.port, tls: (client, bad.host), recorder)
            loop.sync { stream.send("secret") }
            #expect(loop.eventually { recorder.isClosed && server.recorders.allSatisfy(\.isClosed) })
            loop.sync {
                #expect(recorder.events == [.close] && recorder.received.isEmpty)
                guard case .tls(let text) = recorder.error else {
                    Issue.record("\(String(describing: recorder.error))")
                    return
                }
                #expect(text.contains(bad.reason), "\(text)")
                #expect(server.recorders.allSatisfy { $0.received.isEmpty })
                #expect(client.sessionCount == 0)
            }
        }
    }

    /// The control: what differs from the cases above in nothing but the fault is accepted.
    @Test(arguments: [("localhost", "localhost"), ("a.test.example", "*.test.example"), ("127.0.0.1", "127.0.0.1")])
    func isAccepted(_ host: String, _ name: String) throws {
        let root = try ThrowawayAuthority()
        let intermediate = try ThrowawayAuthority(name: "between", parent: root)
        let leaf = try intermediate.issue(hosts: [name])
        let chain = ThrowawayAuthority.Leaf(
            certificatePEM: leaf.certificatePEM + intermediate.certificatePEM(), keyPEM: leaf.keyPEM)
        let client = try ClientTLS(trustAnchors: .pem(root.certificatePEM()))
        try withLoop { loop in
            let server = try TestServer(loop: loop, tls: ServerTLS(leaf: chain))
            let recorder = Recorder()
            recorder.onOpen = { $0.send("fine") }
            _ = try connect(loop, port: server.port, tls: (client, host), recorder)
            #expect(loop.eventually { recorder.received == Array("fine".utf8) || recorder.isClosed })
            #expect(loop.sync { recorder.error } == nil)
        }
    }
}
