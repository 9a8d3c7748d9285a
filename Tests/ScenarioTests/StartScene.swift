import Foundation
import TestSupport
import Testing

/// A folder with a configuration, and commands of the program on it.
struct StartScene {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try configure([])
    }

    /// - Parameter lines: with `@` for the folder.
    func configure(_ lines: [String]) throws {
        let lines = lines.map { $0.replacingOccurrences(of: "@", with: folder.path) }
        let defaults = [
            "listen 127.0.0.1:0", "admin_listen off", "access_log off", "cache_file off", "upstream http://127.0.0.1:9",
        ].filter { line in !lines.contains { $0.hasPrefix(line.prefix { $0 != " " } + " ") } }
        try folder.put((lines + defaults).joined(separator: "\n"), "proxy.conf", mode: 0o644)
    }

    /// - Parameters:
    ///   - program: with the program and arguments that become it.
    ///   - log: the name of its log; by default that of the command.
    func start(
        _ command: String, _ program: [String] = [BinaryUnderTest.path ?? ""], log: String? = nil,
        passing descriptors: [CInt] = []
    ) throws -> ChildProcess {
        let options = command == "version" ? [] : ["--config", folder.file("proxy.conf")]
        let log = log ?? command
        return try ChildProcess(
            program + [command] + options, output: folder.file(log + ".out"), errors: folder.file(log),
            passing: descriptors)
    }

    /// Starts it to serve, and waits until it listens or ends.
    func serve(_ program: [String] = [BinaryUnderTest.path ?? ""], log: String = "serve") throws -> ChildProcess {
        let process = try start("serve", program, log: log)
        waitUntil { said("listening on http", log) || !process.isRunning }
        return process
    }

    func stop(_ process: ChildProcess) -> Int32 {
        process.send(SIGTERM)
        return process.waitForEnd()
    }

    func text(_ log: String) -> String { folder.text(log) }

    func said(_ words: String, _ log: String) -> Bool { text(log).contains(words) }

    /// The command that makes a program of root another user's; nil where that cannot be.
    static var anotherUser: [String]? {
        let setUser = "/usr/bin/setpriv"
        guard geteuid() == 0, access(setUser, X_OK) == 0 else { return nil }
        return [setUser, "--reuid=61234", "--regid=61234", "--clear-groups"]
    }

    /// Puts the program where another user can reach it, as the folders above a build need not let
    /// it; nil where that user cannot run it.
    func programOfAnotherUser() throws -> [String]? {
        guard let user = Self.anotherUser else { return nil }
        try folder.putProgram(from: BinaryUnderTest.path ?? "", "refrain")
        let program = user + [folder.file("refrain")]
        return try start("version", program).waitForEnd() == 0 ? program : nil
    }
}
