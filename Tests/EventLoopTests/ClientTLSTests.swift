import Foundation
import Testing

@testable import EventLoop

@Suite struct ClientTLSTests {
    @Test(arguments: ["", "no certificate here"])
    func refusesAnEmptyTrustStore(_ text: String) {
        #expect(throws: TLSError.self) { try ClientTLS(trustAnchors: .pem(text)) }
    }

    @Test func refusesAFileThatIsNotThere() {
        #expect(throws: TLSError.self) { try ClientTLS(trustAnchors: .file("/nonexistent.pem")) }
        #expect(throws: TLSError.self) { try ClientTLS(trustAnchors: .file("/dev/null")) }
    }

    /// Falling back to the machine's authorities would trust more than the operator has asked for.
    @Test(arguments: [
        ["SSL_CERT_FILE": "/nonexistent.pem"], ["SSL_CERT_FILE": "/dev/null"], ["SSL_CERT_DIR": "/nonexistent"],
        ["SSL_CERT_DIR": "/dev/null"], ["SSL_CERT_DIR": "/proc/self/attr"],
        ["SSL_CERT_FILE": "/nonexistent.pem", "SSL_CERT_DIR": "/etc/ssl/certs"],
        ["SSL_CERT_DIR": "/etc/ssl/certs:/nonexistent"],
    ])
    func refusesWhatTheEnvironmentNamesAndCannotBeRead(_ environment: [String: String]) {
        #expect(throws: TLSError.self) { try ClientTLS(trustAnchors: .system) { environment[$0] } }
    }

    @Test(arguments: ["SSL_CERT_FILE", "SSL_CERT_DIR"])
    func trustsWhatTheEnvironmentNames(_ variable: String) throws {
        let authority = try ThrowawayAuthority()
        let directory = FileManager.default.temporaryDirectory.appending(path: "anchors-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let file = directory.appending(path: "any name.pem")
        try authority.certificatePEM().write(to: file, atomically: true, encoding: .utf8)
        try "no certificate".write(to: directory.appending(path: "README"), atomically: true, encoding: .utf8)
        let value = variable == "SSL_CERT_DIR" ? directory.path : file.path
        let client = try ClientTLS(trustAnchors: .system) { $0 == variable ? value : nil }
        try withLoop { loop in
            for (issuer, isTrusted) in [(authority, true), (try ThrowawayAuthority(), false)] {
                let server = try TestServer(loop: loop, tls: ServerTLS(authority: issuer, hosts: ["localhost"]))
                let recorder = Recorder()
                recorder.onOpen = { $0.send("ping") }
                _ = try connect(loop, port: server.port, tls: (client, "localhost"), recorder)
                #expect(loop.eventually { recorder.received.count == 4 || recorder.isClosed })
                #expect(loop.sync { recorder.error == nil } == isTrusted)
            }
        }
    }

    /// `SSL_set1_host("")` would silently switch the check of the name off.
    @Test(arguments: ["", "localhost\0.evil"])
    func refusesANameThatWouldNotBeChecked(_ host: String) throws {
        let authority = try ThrowawayAuthority()
        let client = try ClientTLS(trustAnchors: .pem(authority.certificatePEM()))
        try withLoop { loop in
            let server = try TestServer(loop: loop, tls: ServerTLS(authority: authority, hosts: ["localhost"]))
            let recorder = Recorder()
            _ = try connect(loop, port: server.port, tls: (client, host), recorder)
            #expect(loop.eventually { recorder.isClosed })
            #expect(loop.sync { recorder.events == [.close] && recorder.error != nil })
        }
    }
}
