import TestSupport
import Testing

@testable import EventLoop

@Suite struct ServerTLSTests: LoopSuite {
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

    @Test func readsFilesAndReadsThemAgain() throws {
        let (old, new) = (try ThrowawayAuthority(), try ThrowawayAuthority())
        try write(old.issue(hosts: ["localhost"]))
        let tls = try tls()
        let server = try TestServer(loop: loop, tls: tls)
        func isTrusted(_ authority: ThrowawayAuthority) throws -> Bool {
            let client = try ClientTLS(trustAnchors: .pem(authority.certificatePEM()))
            let recorder = try server.client(tls: (client, "localhost"))
            #expect(loop.eventually { !recorder.events.isEmpty })
            return loop.sync { recorder.events.first == .open }
        }
        #expect(try isTrusted(old) && !isTrusted(new))
        try write(new.issue(hosts: ["localhost"]))
        try tls.reload()
        #expect(try isTrusted(new) && !isTrusted(old))
        // A broken certificate leaves the old one in use.
        try folder.put("rubbish".utf8, "certificate.pem")
        #expect(throws: TLSError.self) { try tls.reload() }
        #expect(try isTrusted(new))
    }

    @Test func saysWhichFileItMissed() throws {
        let error = try #require(throws: TLSError.self) {
            try ServerTLS(certificateFile: "/nonexistent/certificate.pem", keyFile: "/nonexistent/key.pem")
        }
        #expect(error.description.contains("/nonexistent/certificate.pem"))
    }
}
