import EventLoop
import Foundation
import TestSupport
import Testing

/// The program under a name of its own, which other programs can be put behind, and the processes
/// that follow one another.
final class UpgradedProgram {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    let folder: TemporaryFolder
    /// The one that serves now.
    private(set) var process: pid_t = 0
    private let variables: [String]
    private let socket: Int32?

    /// - Parameters:
    ///   - variables: of the environment.
    ///   - socket: handed to the first process as a service manager would.
    init(_ lines: String, variables: [String] = [], socket: Int32? = nil) throws {
        folder = try TemporaryFolder()
        (self.variables, self.socket) = (variables, socket)
        try configure(lines)
        try install()
    }

    deinit {
        if process > 0 { kill(process, SIGKILL) }
    }

    var log: String { (try? String(decoding: folder.bytes("log"), as: UTF8.self)) ?? "" }

    func configure(_ lines: String) throws {
        let text = """
            \(lines.contains("access_log ") ? "" : "access_log off")
            cache_file \(folder.file("cache.sqlite"))
            \(lines)

            """
        try folder.put(text.utf8, "proxy.conf")
    }

    /// Puts a certificate for a host beside it: whom clients are to trust, and the lines that name
    /// it.
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
        try folder.put("#!/bin/sh\n\(script)\n".utf8, "refrain")
        chmod(folder.file("refrain"), 0o755)
    }

    func start() throws {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 2, folder.file("log"), O_WRONLY | O_CREAT | O_APPEND, 0o600)
        if let socket { posix_spawn_file_actions_adddup2(&actions, socket, 3) }
        let words = [
            "/bin/sh", "-c", "LISTEN_PID=$$ exec \"$0\" serve --config \"$1\"", folder.file("refrain"),
            folder.file("proxy.conf"),
        ]
        let arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        let settings = ["PATH=/usr/bin:/bin"] + variables + (socket == nil ? [] : ["LISTEN_FDS=1"])
        let environment: [UnsafeMutablePointer<CChar>?] = settings.map { strdup($0) } + [nil]
        defer { for pointer in arguments + environment { free(pointer) } }
        let listened = times("listening on http")
        guard posix_spawn(&process, "/bin/sh", &actions, nil, arguments, environment) == 0 else {
            throw Failure(description: "it does not start")
        }
        // At once when it ends: exit tests wait for any child, and would find none but this one.
        Thread.detachNewThread { [process] in waitpid(process, nil, 0) }
        try wait("listening on http", times: listened + 1)
    }

    /// The port of the listener with this scheme, by the latest line about it.
    func port(_ scheme: String = "http") throws -> Int {
        let text = "listening on \(scheme)://"
        try wait(text, times: 1)
        let lines = log.components(separatedBy: "\n").filter { $0.contains(text) }
        guard
            let port = lines.last?.components(separatedBy: text + "127.0.0.1:").last.flatMap({
                Int($0.prefix { $0.isNumber })
            })
        else {
            throw Failure(description: "no \(scheme) port in: \(log.suffix(2000))")
        }
        return port
    }

    /// Has another process take its place; returns the one that it has taken it of.
    @discardableResult
    func upgrade() throws -> pid_t {
        let old = process
        let text = "serves in the place of process \(old)"
        kill(old, SIGUSR2)
        try wait(text, times: 1)
        let line = log.components(separatedBy: "\n").first { $0.contains(text) }
        guard let new = line?.firstMatch(of: /process ([0-9]+) serves/).flatMap({ pid_t($0.output.1) }) else {
            throw Failure(description: "which one? \(line ?? "")")
        }
        process = new
        return old
    }

    /// Asks for an upgrade that must fail, and gives the line that says why.
    func failToUpgrade() throws -> String {
        let text = "SIGUSR2: not upgraded, going on: "
        let before = times(text)
        kill(process, SIGUSR2)
        try wait(text, times: before + 1)
        return log.components(separatedBy: "\n").last { $0.contains(text) } ?? ""
    }

    /// Asks it to stop, and waits until it has.
    func stop() {
        kill(process, SIGTERM)
        waitUntil(within: 60) { !Self.isRunning(process) }
        if !Self.isRunning(process) { process = 0 }
    }

    /// Not when it has ended and waits for a parent to ask how.
    static func isRunning(_ process: pid_t) -> Bool {
        guard let line = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8) else { return false }
        return !line.contains(") Z ")
    }

    /// The inodes of the sockets that the process which serves listens on, by all its descriptors:
    /// one that it has twice is there twice.
    var listeningSockets: [String] {
        let folder = "/proc/\(process)/fd"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        let links = names.compactMap { try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)") }
        // The column of the state, the state of one that listens, and the column of the inode.
        let tables = [("tcp", 3, "0A", 9), ("unix", 3, "00010000", 6)]
        let listening = tables.flatMap { table, stateColumn, state, inodeColumn in
            // To the end: `contents(atPath:)` and `String(contentsOfFile:)` take the first page of
            // what has no size. A socket may have any bytes as its name.
            let file = FileHandle(forReadingAtPath: "/proc/\(process)/net/\(table)")
            let text = String(decoding: file?.readDataToEndOfFile() ?? Data(), as: UTF8.self)
            return text.split(separator: "\n").compactMap { line -> String? in
                let words = line.split(separator: " ")
                guard words.count > inodeColumn, words[stateColumn] == state else { return nil }
                return "socket:[\(words[inodeColumn])]"
            }
        }
        return links.filter { listening.contains($0) }.sorted()
    }

    func times(_ text: String) -> Int { log.components(separatedBy: text).count - 1 }

    func wait(_ text: String, times: Int) throws {
        waitUntil(within: 60) { self.times(text) >= times }
        guard self.times(text) >= times else { throw Failure(description: "no \"\(text)\" in: \(log.suffix(3000))") }
    }
}
