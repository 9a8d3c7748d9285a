import TestSupport
import Testing

@testable import EventLoop

@Suite(.timeLimit(.minutes(10))) struct ClientTLSTests: LoopSuite {
    let scene = LoopScene()

    @Test(arguments: [
        ClientTLS.TrustAnchors.pem(""), .pem("no certificate here"), .file("/nonexistent.pem"), .file("/dev/null"),
    ])
    func refusesAnEmptyTrustStore(_ anchors: ClientTLS.TrustAnchors) {
        #expect(throws: TLSError.self) { try ClientTLS(trustAnchors: anchors) }
    }

    /// A file that was replaced after it had been read passed for the one in use.
    @Test func theFingerprintIsOfTheFileThatWasLoaded() throws {
        let folder = try TemporaryFolder()
        let file = try folder.put(try ThrowawayAuthority().certificatePEM().utf8, "ca.pem")
        let first = try CertificateFingerprint(ofFile: file)
        let client = try ClientTLS(trustAnchors: .file(file))
        try folder.put(try ThrowawayAuthority().certificatePEM().utf8, "ca.pem")
        #expect(client.fingerprint == first)
        #expect(try ClientTLS(trustAnchors: .file(file)).fingerprint == CertificateFingerprint(ofFile: file))
        #expect(try ClientTLS(trustAnchors: .pem(ThrowawayAuthority().certificatePEM())).fingerprint == nil)
        try folder.put([], "ca.pem")
        #expect(throws: TLSError.self) { try ClientTLS(trustAnchors: .file(file)) }
    }

    /// Falling back to the machine's authorities would trust more than the operator has asked for.
    @Test(arguments: [
        ["SSL_CERT_FILE": "/nonexistent.pem"], ["SSL_CERT_FILE": "/dev/null"], ["SSL_CERT_DIR": "/nonexistent"],
        ["SSL_CERT_DIR": "/dev/null"], ["SSL_CERT_DIR": "/proc/self/attr"],
        ["SSL_CERT_FILE": "/nonexistent.pem", "SSL_CERT_DIR": "/etc/ssl/certs"],
        ["SSL_CERT_DIR": "/etc/ssl/certs:/nonexistent"],
    ])
    func unreadableAuthoritiesOfTheEnvironmentAreRefused(_ environment: [String: String]) {
        #expect(throws: TLSError.self) { try ClientTLS(trustAnchors: .system) { environment[$0] } }
    }

    @Test(arguments: ["SSL_CERT_FILE", "SSL_CERT_DIR"])
    func authoritiesOfTheEnvironmentAreTrusted(_ variable: String) throws {
        let authority = try ThrowawayAuthority()
        let folder = try TemporaryFolder()
        let file = try folder.put(authority.certificatePEM().utf8, "any name.pem")
        try folder.put("no certificate".utf8, "README")
        let value = variable == "SSL_CERT_DIR" ? folder.path : file
        let client = try ClientTLS(trustAnchors: .system) { $0 == variable ? value : nil }
        for (issuer, isTrusted) in [(authority, true), (try ThrowawayAuthority(), false)] {
            let server = try TestServer(loop: loop, tls: ServerTLS(authority: issuer, hosts: ["localhost"]))
            let recorder = try server.client(tls: (client, "localhost"), sending: "ping")
            #expect(loop.eventually { recorder.received.count == 4 || recorder.isClosed })
            #expect(loop.sync { recorder.error == nil } == isTrusted)
        }
        withExtendedLifetime(folder) {}
    }
}
