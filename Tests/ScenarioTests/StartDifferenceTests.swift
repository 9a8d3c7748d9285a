import Foundation
import TestSupport
import Testing

/// Starts that depend on the moment, on rights or on systemd: `check` names the trouble and passes,
/// `serve` ends.
@Suite(.timeLimit(.minutes(20)), .requires(.binary))
struct StartDifferenceTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test func anAddressInUse() async throws {
        let (socket, port) = try RawSocket.listening()
        defer { socket.close() }
        try configure("listen 127.0.0.1:\(port)")
        try await expect("127.0.0.1:\(port) is in use;", at: "check", status: 0)
        try await expect("Address already in use", at: "serve", status: 1)
    }

    @Test func aCacheFileThatAnotherProcessUses() async throws {
        try configure("cache_file \(folder.file("cache.sqlite"))")
        let first = try start("serve", log: "first")
        waitUntil { said("listening on http", "first") || !first.isRunning }
        try await expect("is in use by process \(first.id)", at: "check", status: 0)
        try await expect("is in use by process \(first.id); stop it", at: "serve", status: 78)
        try configure("cache_file \(folder.file("cache.sqlite"))", "cache_file_locked memory")
        let second = try start("serve", log: "second")
        waitUntil { said("listening on http", "second") || !second.isRunning }
        #expect(said("serving from memory", "second"))
        for program in [first, second] { program.send(SIGTERM) }
        #expect([first, second].map { $0.waitForEnd() } == [0, 0])
    }

    @Test func aStartThatIsStoppedWhileItWaitsForTheCacheFile() async throws {
        try configure("cache_file \(folder.file("cache.sqlite"))")
        let first = try start("serve", log: "first")
        waitUntil { said("listening on http", "first") || !first.isRunning }
        let second = try start("serve", log: "second")
        waitUntil { said("for it to end", "second") || !second.isRunning }
        second.send(SIGTERM)
        #expect(second.waitForEnd() == 1)
        // One that waits to the end of its time names the holder, and ends with 78.
        #expect(said("stopped before it had the cache file", "second") && !said("stop that", "second"))
        first.send(SIGTERM)
        #expect(first.waitForEnd() == 0)
    }

    @Test func aPortBelow1024WithoutTheRight() async throws {
        let first = (try? String(contentsOfFile: "/proc/sys/net/ipv4/ip_unprivileged_port_start", encoding: .utf8))
        guard geteuid() == 0, access("/usr/bin/setpriv", X_OK) == 0, first == "1024\n" else {
            return LeftOut.note("not root, no setpriv, or low ports for all: none was asked for without rights")
        }
        try folder.putProgram(from: BinaryUnderTest.path ?? "", "refrain")
        try configure("listen 127.0.0.1:81")
        let user = ["/usr/bin/setpriv", "--reuid=61234", "--regid=61234", "--clear-groups"]
        let words = "let systemd bind this port (ListenStream= in refrain.socket), or grant CAP_NET_BIND_SERVICE"
        let program = user + [folder.file("refrain")]
        guard try start("version", program, log: "version").waitForEnd() == 0 else {
            return LeftOut.note("no folder that another user reaches: no low port was asked for without rights")
        }
        try await expect(words, at: "check", status: 0, program)
        try await expect(words, at: "serve", status: 1, program)
    }

    @Test func aSocketOfSystemdThatNoLineNames() async throws {
        let (socket, port) = try RawSocket.listening()
        defer { socket.close() }
        try configure()
        try await expect("", at: "check", status: 0)
        // As sd_listen_fds(3) has it.
        let program = ["/bin/sh", "-c", "LISTEN_FDS=1 LISTEN_PID=$$ exec \"$0\" \"$@\"", BinaryUnderTest.path ?? ""]
        try await expect(
            "systemd passes a socket for 127.0.0.1:\(port)", at: "serve", status: 78, program,
            passing: [socket.descriptor])
    }

    @Test func aTokenThatEndsSoon() async throws {
        func part(_ text: String) -> String {
            Data(text.utf8).base64EncodedString().replacingOccurrences(of: "=", with: "")
        }
        let now = Int(Date().timeIntervalSince1970)
        let claims = #"{"iss":"TEAM123456","iat":\#(now - 60),"exp":\#(now + 19_000)}"#
        let parts = [#"{"alg":"ES256","kid":"ABC1234567"}"#, claims, String(repeating: "x", count: 64)]
        let file = try folder.put(parts.map(part).joined(separator: "."), "token", mode: 0o600)
        try configure("developer_token_file \(file)")
        let words = "developer_token_file: expires in 5h"
        try await expect(words, at: "check", status: 0)
        let serve = try start("serve", log: "serve")
        waitUntil { said("listening on http", "serve") || !serve.isRunning }
        #expect(said(words, "serve"))
        serve.send(SIGTERM)
        #expect(serve.waitForEnd() == 0)
    }

    private func configure(_ lines: String...) throws {
        let usual = [
            "listen 127.0.0.1:0", "admin_listen off", "access_log off", "cache_file off", "upstream http://127.0.0.1:9",
        ].filter { line in !lines.contains { $0.hasPrefix(line.prefix { $0 != " " } + " ") } }
        try folder.put((lines + usual).joined(separator: "\n"), "proxy.conf", mode: 0o644)
    }

    private func start(
        _ command: String, _ program: [String] = [BinaryUnderTest.path ?? ""], log: String,
        passing descriptors: [CInt] = []
    ) throws -> ChildProcess {
        let options = command == "version" ? [] : ["--config", folder.file("proxy.conf")]
        return try ChildProcess(
            program + [command] + options, output: folder.file(log + ".out"), errors: folder.file(log),
            passing: descriptors)
    }

    private func expect(
        _ words: String, at command: String, status: CInt, _ program: [String] = [BinaryUnderTest.path ?? ""],
        passing descriptors: [CInt] = [], sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let log = "expected-\(command)"
        let process = try start(command, program, log: log, passing: descriptors)
        let end = try await onThread { process.waitForEnd() }
        #expect(end == status && (words.isEmpty || said(words, log)), "\(text(log))", sourceLocation: sourceLocation)
    }

    private func text(_ log: String) -> String {
        (try? folder.bytes(log)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    private func said(_ words: String, _ log: String) -> Bool { text(log).contains(words) }
}
