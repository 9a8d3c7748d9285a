import Foundation
import TestSupport
import Testing

@testable import Store

/// A start that fails or warns, and `check` of the same configuration.
private struct StartTrial: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// The configuration, with `@` for the folder.
    let lines: [String]
    /// Both say this.
    let words: String
    /// The limit under which both run, as prlimit(1) has it.
    let limit: String?
    let prepare: @Sendable (TemporaryFolder) throws -> Void

    init(
        _ name: String, _ lines: [String], _ words: String, limit: String? = nil,
        prepare: @escaping @Sendable (TemporaryFolder) throws -> Void = { _ in }
    ) {
        (testDescription, self.lines, self.words, self.limit, self.prepare) = (name, lines, words, limit, prepare)
    }
}

/// `refrain check` and `refrain serve` on one configuration: neither passes where the other fails,
/// and both say the same.
@Suite(.serialized, .timeLimit(.minutes(20)), .requires(.binary)) struct StartTests {
    private static let refused: [StartTrial] = [
        StartTrial("an access log without its folder", ["access_log @/no/access.log"], "No such file or directory"),
        StartTrial("an address of another machine", ["listen 192.0.2.1:0"], "Cannot assign requested address"),
        StartTrial("an address twice", ["listen 127.0.0.1:65001", "listen 0.0.0.0:65001"], "already taken"),
        StartTrial("a cache file that is a key", ["cache_file @/key"], "not a cache file") { folder in
            try folder.put("secret", "key", mode: 0o600)
        },
        StartTrial("a cache file that is another's database", ["cache_file @/other"], "the database of another program")
        {
            try StartTests.putDatabase($0, "PRAGMA user_version = 10")
            try FileManager.default.createDirectory(
                atPath: $0.file("other.segments"), withIntermediateDirectories: false)
        },
        StartTrial("a cache file that is a link", ["cache_file @/link"], "a symbolic link, which is not") { folder in
            #expect(symlink("nowhere", folder.file("link")) == 0)
        },
        StartTrial("a secret that others can read", ["client_keys_file @/keys"], "chmod 600") { folder in
            try folder.put("app 0123456789abcdef\n", "keys", mode: 0o644)
        },
        StartTrial("trust anchors that are none", ["upstream_ca_file @/ca.pem"], "no certificate") { folder in
            try folder.put("junk".utf8, "ca.pem")
        },
        StartTrial("too few descriptors", [], "descriptors, and the limit is 8", limit: "--nofile=8"),
        // They began, and hung without a word.
        StartTrial(
            "too little memory", ["workers 2", "memory_size 2GiB"], " of memory: Cannot allocate memory",
            limit: "--as=1073741824"),
        StartTrial("too few threads", ["workers 2"], "cannot start 9 threads: ", limit: "--nproc=4"),
    ]

    private static let warned: [StartTrial] = [
        StartTrial("a cache file without its folder", ["cache_file @/no/cache.sqlite"], "No such file or directory"),
        StartTrial("no token", [], "clients must send a developer token"),
        StartTrial("a cache file of another version", ["cache_file @/other"], "version 99") {
            try StartTests.putDatabase($0, "PRAGMA application_id = \(Schema.applicationID); PRAGMA user_version = 99")
        },
        StartTrial(
            "more memory than there may be", ["memory_size 256MiB", "workers 2"], "its address space (ulimit -v)",
            limit: "--as=819200000"),
    ]

    @Test(arguments: refused) private func bothRefuse(trial: StartTrial) throws {
        if let absence = absence(of: trial) { return LeftOut.note(absence) }
        let scene = try scene(of: trial)
        var program = limited(trial)
        // Root may have any number of threads.
        if trial.limit?.contains("nproc") == true {
            guard let other = try scene.programOfAnotherUser() else {
                return LeftOut.note(
                    "not root, no setpriv (util-linux), or no reachable folder: a start without threads was not tried")
            }
            program = Array(other.dropLast()) + program.dropLast() + other.suffix(1)
        }
        for command in ["check", "serve"] {
            let process = try scene.start(command, program)
            waitUntil { !process.isRunning }
            let status = process.waitForEnd()
            let text = scene.text(command)
            #expect(status == 1 || status == 78, "\(command): \(status), \(text)")
            #expect(text.contains(trial.words) && !text.contains("listening on"), "\(command): \(text)")
            let errors = text.split(separator: "\n").filter { !$0.contains(": warn: ") && !$0.contains(": note: ") }
            #expect(errors.count == 1, "one line: \(text)")
        }
    }

    /// Why this machine cannot have the trial; nil where it can.
    private func absence(of trial: StartTrial) -> String? {
        if trial.limit != nil, access("/usr/bin/prlimit", X_OK) != 0 {
            return "no prlimit (util-linux): starts under limits were not tried"
        }
        if trial.limit?.contains("--as") == true, Patience.isSanitized {
            return "a sanitizer's build takes all addresses: a start without memory was not tried"
        }
        let setting = "/proc/sys/net/ipv4/ip_nonlocal_bind"
        let isAnyAddressOwn = (try? String(contentsOfFile: setting, encoding: .utf8)) == "1\n"
        if isAnyAddressOwn, trial.lines.contains("listen 192.0.2.1:0") {
            return "any address can be listened on (ip_nonlocal_bind): another machine's was not tried"
        }
        return nil
    }

    @Test(arguments: warned) private func bothWarn(trial: StartTrial) throws {
        if let absence = absence(of: trial) { return LeftOut.note(absence) }
        let scene = try scene(of: trial)
        #expect(try scene.start("check", limited(trial)).waitForEnd() == 0)
        #expect(try scene.stop(scene.serve(limited(trial))) == 0)
        for command in ["check", "serve"] { #expect(scene.said(trial.words, command), "\(scene.text(command))") }
    }

    private func scene(of trial: StartTrial) throws -> StartScene {
        let scene = try StartScene()
        try scene.configure(trial.lines)
        try trial.prepare(scene.folder)
        return scene
    }

    private func limited(_ trial: StartTrial) -> [String] {
        (trial.limit.map { ["/usr/bin/prlimit", $0] } ?? []) + [BinaryUnderTest.path ?? ""]
    }

    /// A database with a table, called `other`.
    private static func putDatabase(_ folder: TemporaryFolder, _ sql: String) throws {
        try folder.put([], "other")
        let database = try Database(path: folder.file("other"), mode: .readWrite, busyTimeout: .zero)
        try database.execute(sql + "; CREATE TABLE precious (x)")
    }
}
