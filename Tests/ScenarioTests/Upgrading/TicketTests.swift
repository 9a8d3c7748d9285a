import Foundation
import TestSupport
import Testing

/// Sessions of `openssl s_client` with the program: a reload or an upgrade made each client shake
/// hands in full again.
@Suite(.serialized, .timeLimit(.minutes(5)), .requires(.binary), .requires(.openssl)) struct TicketTests {
    private let origin: FakeOrigin
    private let program: UpgradedProgram
    private let lines: String

    init() throws {
        origin = try FakeOrigin()
        program = try UpgradedProgram("")
        let (authority, certificate) = try program.makeCertificate(for: "127.0.0.1")
        try program.folder.put(authority.certificatePEM(), "ca.pem", mode: 0o644)
        lines = """
            listen 127.0.0.1:0 tls
            \(certificate)
            admin_listen off
            upstream http://127.0.0.1:\(origin.port)
            workers 2

            """
        try program.configure(lines)
        try program.start()
    }

    /// One request in a session of its own, or in the one that was saved before; saves the next.
    /// - Returns: `New` or `Reused`.
    private func connect(_ version: String, resumes: Bool = true) throws -> String? {
        let (saved, folder) = ("session\(version)", program.folder)
        let offered = resumes ? "-sess_in \(folder.file(saved))" : ""
        let script = """
            printf 'GET /v1/catalog/us/genres HTTP/1.1\\r\\nHost: a\\r\\nConnection: close\\r\\n\\r\\n' | \
            openssl s_client -connect 127.0.0.1:\(try program.port("https")) \(version) -ign_eof \
            -CAfile \(folder.file("ca.pem")) -verify_return_error -sess_out \(folder.file(saved)) \(offered)
            """
        let text = try Tool(at: "/bin/sh").run(["-c", script]).text
        #expect(text.contains("HTTP/1.1 "), "\(text)")
        return text.firstMatch(of: /(New|Reused), TLSv/).map { String($0.output.1) }
    }

    @Test(arguments: ["-tls1_2", "-tls1_3"])
    func sessionsOutliveReloadsAndUpgradesThatKeepTheKey(version: String) throws {
        #expect(try connect(version, resumes: false) == "New")
        #expect(try connect(version) == "Reused")
        try program.reload(lines + "upstream_connections 20")
        #expect(try connect(version) == "Reused")
        for _ in 0..<2 {
            try program.upgrade()
            #expect(try connect(version) == "Reused")
        }
        try program.reload(lines)
        #expect(try connect(version) == "Reused")
        // One of another key.
        let (authority, _) = try program.makeCertificate(for: "127.0.0.1")
        try program.folder.put(authority.certificatePEM(), "ca.pem", mode: 0o644)
        try program.reload(lines)
        #expect(try connect(version) == "New")
        #expect(try connect(version) == "Reused")
        let (last, _) = try program.makeCertificate(for: "127.0.0.1")
        try program.folder.put(last.certificatePEM(), "ca.pem", mode: 0o644)
        try program.upgrade()
        #expect(try connect(version) == "New")
        #expect(try connect(version) == "Reused")
        #expect(program.times(" error: ") == 0, "\(program.log)")
        program.stop()
    }
}
