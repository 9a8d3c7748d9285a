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
