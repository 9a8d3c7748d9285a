import TestSupport
import Testing

@testable import EventLoop

@Suite(.timeLimit(.minutes(10))) struct ServerTLSTests: LoopSuite {
    let scene = LoopScene()

    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func write(_ leaf: ThrowawayAuthority.Leaf) throws {
        try folder.put(leaf.certificatePEM.utf8, "certificate.pem")
        try folder.put(leaf.keyPEM, "key.pem", mode: 0o600)
    }

    private func tls() throws -> ServerTLS {
        try ServerTLS(certificateFile: folder.file("certificate.pem"), keyFile: folder.file("key.pem"))
    }

    @Test func readsItsFilesOnce() throws {
        let (old, new) = (try ThrowawayAuthority(), try ThrowawayAuthority())
        func isTrusted(_ authority: ThrowawayAuthority, by tls: ServerTLS) throws -> Bool {
            let client = try ClientTLS(trustAnchors: .pem(authority.certificatePEM()))
            let recorder = try TestServer(loop: loop, tls: tls).client(tls: (client, "localhost"))
            #expect(loop.eventually { !recorder.events.isEmpty })
            return loop.sync { recorder.events.first == .open }
        }
        try write(old.issue(hosts: ["localhost"]))
        let first = try tls()
        try write(new.issue(hosts: ["localhost"]))
        #expect(try isTrusted(old, by: first))
        let second = try tls()
        #expect(try isTrusted(new, by: second) && !isTrusted(old, by: second))
        #expect(first.fingerprint != second.fingerprint)
        #expect(try second.fingerprint == CertificateFingerprint(ofFile: folder.file("certificate.pem")))
        try folder.put("rubbish".utf8, "certificate.pem")
        #expect(throws: TLSError.self) { try tls() }
        #expect(throws: TLSError.self) { try CertificateFingerprint(ofFile: folder.file("certificate.pem")) }
    }

    @Test func saysWhichFileItMissed() throws {
        let error = try #require(throws: TLSError.self) {
            try ServerTLS(certificateFile: "/nonexistent/certificate.pem", keyFile: "/nonexistent/key.pem")
        }
        #expect(error.description.contains("/nonexistent/certificate.pem"))
    }

    /// The error was `private key: key values mismatch`, of a chain that began with its
    /// intermediate.
    @Test func aChainThatDoesNotBeginWithItsLeafSaidOnlyMismatch() throws {
        let root = try ThrowawayAuthority(name: "root")
        let middle = try ThrowawayAuthority(name: "middle", parent: root)
        let leaf = try middle.issue(hosts: ["localhost"])
        func fault(_ chain: String...) throws -> String {
            try write(ThrowawayAuthority.Leaf(certificatePEM: chain.joined(), keyPEM: leaf.keyPEM))
            return try #require(throws: TLSError.self) { try tls() }.description
        }
        let (file, key) = (folder.file("certificate.pem"), folder.file("key.pem"))
        let (rootPEM, middlePEM) = (root.certificatePEM(), middle.certificatePEM())
        #expect(
            try fault(middlePEM, leaf.certificatePEM)
                == "\(file): the first certificate is /CN=middle; the key \(key) belongs to certificate 2 "
                + "(/CN=throwaway): the server's own has to be first")
        let third = try fault(rootPEM, middlePEM, leaf.certificatePEM)
        #expect(third.contains("is /CN=root; the key \(key) belongs to certificate 3 (/CN=throwaway)"), "\(third)")
        #expect(
            try fault(middlePEM, rootPEM)
                == "the key \(key) does not belong to the first certificate of \(file) (/CN=middle)")
    }
}
