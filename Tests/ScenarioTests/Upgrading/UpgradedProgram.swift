import EventLoop
import Foundation
import TestSupport
import Testing

/// The program at a path of its own, where another can replace it, and its successive processes.
final class UpgradedProgram {
    private typealias Failure = ServedProgram.Failure

    let folder: TemporaryFolder
    /// The one that serves now.
    private(set) var process: pid_t = 0
    /// It and those that follow it are one group, which ends with it.
    private var first: ChildProcess?
    private let variables: [String: String]
    private let socket: Int32?

    /// - Parameter socket: handed to the first process as a service manager would.
    init(_ lines: String, variables: [String: String] = [:], socket: Int32? = nil) throws {
        folder = try TemporaryFolder()
        (self.variables, self.socket) = (variables, socket)
        try configure(lines)
        try install()
    }

    /// Starts it before the origin at a port, with two workers.
    /// - Parameter lines: further ones, with `@` for the folder, which has the admin listener.
    convenience init(
        before port: Int, listen: String = "127.0.0.1:0", hasAdmin: Bool = false,
        _ lines: String = "", variables: [String: String] = [:], socket: Int32? = nil
    ) throws {
        try self.init("", variables: variables, socket: socket)
        try configure(
            """
            listen \(listen)
            admin_listen \(hasAdmin ? "unix:@/admin" : "off")
            upstream http://127.0.0.1:\(port)
            workers 2
            \(lines)
            """)
        try start()
    }

    /// Before its folder goes.
    deinit { first?.kill() }

    var log: String { folder.text("log") }

    /// - Parameter lines: with `@` for the folder.
    func configure(_ lines: String) throws {
        let defaults = (lines.contains("access_log ") ? "" : "access_log off\n") + "cache_file @/cache.sqlite\n"
        let text = (defaults + lines + "\n").replacingOccurrences(of: "@/", with: folder.path + "/")
        try folder.put(text.utf8, "proxy.conf")
    }

    /// Writes a certificate for a host; the authority, and the lines that name the certificate.
    func makeCertificate(for host: String) throws -> (authority: ThrowawayAuthority, lines: String) {
        let authority = try ThrowawayAuthority()
        let leaf = try authority.issue(hosts: [host])
        let certificate = try folder.put(leaf.certificatePEM.utf8, "tls.pem")
        let key = try folder.put(leaf.keyPEM, "tls.key", mode: 0o600)
        return (authority, "tls_certificate \(certificate)\ntls_certificate_key \(key)")
    }

    /// Puts the real program, or another one in its place, where it is started from.
    func install(_ script: String? = nil) throws {
        try? folder.remove("refrain")
        guard let script else {
            guard symlink(BinaryUnderTest.path ?? "", folder.file("refrain")) == 0 else {
                throw Failure(description: "no link")
            }
            return
        }
        try folder.putProgram("#!/bin/sh\n\(script)\n", "refrain")
    }

    func start() throws {
        let variables = ["PATH": "/usr/bin:/bin"].merging(variables) { $1 }
        let listened = times("listening on http")
        first = try ChildProcess(
            [
                "/bin/sh", "-c", "LISTEN_PID=$$ exec \"$0\" serve --config \"$1\"", folder.file("refrain"),
                folder.file("proxy.conf"),
            ], environment: socket == nil ? variables : variables.merging(["LISTEN_FDS": "1"]) { $1 },
            errors: folder.file("log"), passing: socket.map { [$0] } ?? [], hasSuccessors: true)
        process = first?.id ?? 0
        try wait("listening on http", times: listened + 1)
    }

    /// The port of the listener with this scheme, by the latest line about it.
    func port(_ scheme: String = "http") throws -> Int {
        let text = "listening on \(scheme)://"
        try wait(text, times: 1)
        let digits = log.components(separatedBy: text + "127.0.0.1:").last?.prefix { $0.isNumber }
        guard let port = digits.flatMap({ Int($0) }) else {
            throw Failure(description: "no \(scheme) port in: \(log.suffix(2000))")
        }
        return port
    }

    /// Has another process take its place; returns the one that it has taken it of.
    @discardableResult func upgrade() throws -> pid_t {
        let old = process
        let text = "has replaced process \(old)"
        kill(old, SIGUSR2)
        try wait(text, times: 1)
        let line = log.components(separatedBy: "\n").first { $0.contains(text) }
        guard let new = line?.firstMatch(of: /process ([0-9]+) has replaced/).flatMap({ pid_t($0.output.1) }) else {
            throw Failure(description: "which one? \(line ?? "")")
        }
        process = new
        return old
    }

    /// Asks for an upgrade that must fail for this reason.
    func failToUpgrade(_ reason: String, _ location: SourceLocation = #_sourceLocation) throws {
        let text = "SIGUSR2: not upgraded, this process continues: "
        let before = times(text)
        kill(process, SIGUSR2)
        try wait(text, times: before + 1)
        let line = log.components(separatedBy: "\n").last { $0.contains(text) } ?? ""
        #expect(line.contains(reason), "\(line)", sourceLocation: location)
    }

    /// Asks the process that serves for a purge, at an admin listener in the folder; the answer.
    func purge(_ body: String) throws -> String {
        let client = try RawClient(path: folder.file("admin"))
        try client.send(
            "POST /purge HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: \(body.utf8.count)\r\n\r\n"
                + body)
        return client.readText()
    }

    /// Reloads, and waits until the log says that it has.
    func reload(_ lines: String) throws {
        let text = "SIGHUP: reloaded"
        let before = times(text)
        try configure(lines)
        kill(process, SIGHUP)
        try wait(text, times: before + 1)
    }

    /// Asks it to stop, and waits until it has.
    /// - Returns: the exit status; nil of a process that was not started by the test.
    @discardableResult func stop() -> Int32? {
        let isFirst = process == first?.id
        kill(process, SIGTERM)
        waitUntil(within: 60) { !Self.isRunning(process) }
        if !Self.isRunning(process) { process = 0 }
        return isFirst ? first?.waitForEnd() : nil
    }

    /// Not when it has ended and waits for a parent to ask how.
    static func isRunning(_ process: pid_t) -> Bool {
        guard let line = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8) else { return false }
        return !line.contains(") Z ")
    }

    /// The inodes of the sockets that the process which serves listens on, by all its descriptors:
    /// one that it has twice is there twice.
    var listeningSockets: [String] { ListeningSocket.all(of: process).map(\.inode) }

    func times(_ text: String) -> Int { log.components(separatedBy: text).count - 1 }

    func wait(_ text: String, times: Int) throws {
        waitUntil(within: 60) { self.times(text) >= times }
        guard self.times(text) >= times else { throw Failure(description: "no \"\(text)\" in: \(log.suffix(3000))") }
    }
}
