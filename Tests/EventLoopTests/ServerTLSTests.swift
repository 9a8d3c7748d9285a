import TestSupport
import Testing

@testable import EventLoop

@Suite struct ServerTLSTests {
    private final class Files {
        let folder: TemporaryFolder
        var certificate: String { folder.file("certificate.pem") }
        var key: String { folder.file("key.pem") }

        init(_ leaf: ThrowawayAuthority.Leaf) throws {
            folder = try TemporaryFolder()
            try write(leaf)
        }

        func write(_ leaf: ThrowawayAuthority.Leaf) throws {
            try folder.put(leaf.certificatePEM.utf8, "certificate.pem")
            try folder.put(leaf.keyPEM, "key.pem", mode: 0o600)
        }
    }

    @Test func readsFilesAndReadsThemAgain() throws {
        let (old, new) = (try ThrowawayAuthority(), try ThrowawayAuthority())
        let files = try Files(old.issue(hosts: ["localhost"]))
        let tls = try ServerTLS(certificateFile: files.certificate, keyFile: files.key)
        try withLoop { loop in
            let server = try TestServer(loop: loop, tls: tls)
            func isTrusted(_ authority: ThrowawayAuthority) throws -> Bool {
                let client = try ClientTLS(trustAnchors: .pem(authority.certificatePEM()))
                let recorder = try server.client(tls: (client, "localhost"))
                #expect(loop.eventually { !recorder.events.isEmpty })
                return loop.sync { recorder.events.first == .open }
            }
            #expect(try isTrusted(old) && !isTrusted(new))
            try files.write(new.issue(hosts: ["localhost"]))
            try tls.reload()
            #expect(try isTrusted(new) && !isTrusted(old))
            // A broken certificate leaves the old one in use.
            try files.folder.put("rubbish".utf8, "certificate.pem")
            #expect(throws: TLSError.self) { try tls.reload() }
            #expect(try isTrusted(new))
        }
    }

    @Test func refusesAKeyOfAnotherCertificate() throws {
        let authority = try ThrowawayAuthority()
        let leaf = try authority.issue(hosts: ["localhost"])
        let other = try authority.issue(hosts: ["localhost"])
        let files = try Files(ThrowawayAuthority.Leaf(certificatePEM: leaf.certificatePEM, keyPEM: other.keyPEM))
        #expect(throws: TLSError.self) { try ServerTLS(certificateFile: files.certificate, keyFile: files.key) }
    }

    @Test func saysWhichFileItMissed() throws {
        let error = try #require(throws: TLSError.self) {
            try ServerTLS(certificateFile: "/nonexistent/certificate.pem", keyFile: "/nonexistent/key.pem")
        }
        #expect(error.description.contains("/nonexistent/certificate.pem"))
    }
}
