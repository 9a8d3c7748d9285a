import Glibc
import TestSupport
import Testing

@testable import refrain

/// Commands took whatever `proxy.conf` lay in the working directory: it named root's key as
/// `admin_token_file`, and its maker's address as `admin_listen`.
@Suite struct FoundConfigurationTests {
    private static let commands = [
        ["stats"], ["top", "--once"], ["list"], ["inspect", "/v1/catalog/us/songs/1"], ["purge", "--all"],
        ["explain", "/v1/catalog/us/songs/1"], ["record", "status"], ["nodes"], ["reload"], ["check"], ["token"],
        ["serve"], ["replay", "--dry-run", "traffic.jsonl"],
    ]
    private static let words = "proxy.conf (-rw-r--r-- 1 1) belongs to user 1, not to root"
    private static let system = "/etc/refrain/proxy.conf"

    @Test(arguments: commands) func aStrangersFileIsNotUsed(_ command: [String]) {
        let files = MemoryFiles(
            texts: ["proxy.conf": "admin_listen off\n", Self.system: ""],
            distrusted: ["proxy.conf": Self.words, Self.system: "folder /etc/refrain (drwxrwxrwx 0 0)"])
        let result = run(command, files: files.access)
        #expect(result.status == 78)
        let lines = result.error.split(separator: "\n")
        #expect(lines.count == 2, "\(lines)")
        #expect(lines.first?.hasPrefix("refrain: proxy.conf is not used: \(Self.words); ") == true)
        #expect(lines.last?.hasPrefix("refrain: \(Self.system) is not used: folder") == true)
    }

    /// The standard address is no guess that may be made where no other place is left.
    @Test func theNextPlaceIsTriedAndALineSaysSo() throws {
        var files = MemoryFiles(texts: ["proxy.conf": "workers 2\n"], distrusted: ["proxy.conf": Self.words])
        #expect(run(["purge", "--all"], files: files.access).status == 78)
        files.texts[Self.system] = quiet("workers 3")
        let result = run(["check"], files: files.access)
        #expect(result.status == 0 && result.standard.contains("workers 3 # \(Self.system):1\n"))
        #expect(result.error.contains("refrain: proxy.conf is not used: \(Self.words); "))
    }

    @Test func aNamedFileIsTheCallersChoice() throws {
        let files = MemoryFiles(
            texts: ["proxy.conf": "include more.conf", "more.conf": "workers 3\n"],
            distrusted: ["proxy.conf": Self.words, "more.conf": Self.words])
        #expect(run(["check", "--config", "proxy.conf"], files: files.access).standard.contains("workers 3 #"))
    }

    @Test func whatAFoundFileIncludesIsJudgedToo() {
        let files = MemoryFiles(
            texts: ["proxy.conf": "include more.conf", "more.conf": "workers 3\n"],
            distrusted: ["more.conf": "more.conf is another's"])
        for command in [["check"], ["stats"], ["token"]] {
            let result = run(command, files: files.access)
            #expect(result.status == 78 && result.error.contains("cannot read more.conf: more.conf is another's"))
        }
    }

    /// A reload reads the file anew, and judges it anew.
    @Test func aReloadJudgesTheFileAgain() throws {
        let files = MemoryFiles(texts: ["proxy.conf": ""])
        let context = CommandContext(output: CapturedOutput().output, files: files.access)
        let file = try ConfigurationFile.chosen(by: CommandArguments(), context)
        #expect(file.isFound && mistake(file, files) == nil)
        let later = MemoryFiles(texts: ["proxy.conf": ""], distrusted: ["proxy.conf": Self.words])
        #expect(mistake(file, later)?.contains(Self.words) == true)
    }

    private func mistake(_ file: ConfigurationFile, _ files: MemoryFiles) -> String? {
        let error = thrown { () throws(CommandFailure) in try ConfigurationReader.read(file, files: files.access) }
        return error?.messages.first
    }

    // MARK: Real files

    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test func theFolderAndItsLinksCount() throws {
        let path = try folder.put("workers 3\n", "proxy.conf", mode: 0o644)
        let files = FileAccess.system
        #expect(files.distrust(path) == nil && (try? files.readFound?(path)) == Array("workers 3\n".utf8))
        for mode: mode_t in [0o777, 0o1777, 0o770] {
            #expect(chmod(folder.path, mode) == 0)
            #expect(files.distrust(path)?.contains("folder \(folder.path) (drwxrwx") == true)
            #expect((try? files.readFound?(path)) == nil && (try? files.read(path)) != nil)
        }
        #expect(chmod(folder.path, 0o755) == 0 && chmod(path, 0o666) == 0)
        #expect(files.distrust(path)?.contains("can be written by others") == true)
        #expect(files.distrust(folder.file("absent")) == nil)
    }

    /// The file, whatever it was, went to the address, its lines joined.
    @Test(arguments: [
        ("root:x:0:0:root:/root:/bin/bash\ndaemon:x:1:1:daemon\n", 0o600), ("0123456789abcdef", 0o644),
        ("short", 0o600), ("Bearer 0123456789abcdef", 0o600),
        (String(repeating: "0123456789abcdef", count: 2_000), 0o600),
    ])
    func aFileThatTheServerWouldRefuseIsSentNowhere(_ content: String, _ mode: Int) throws {
        let server = try ScriptedOrigin([.request, .close])
        defer { server.stop() }
        let token = try folder.put(content, "token", mode: mode)
        let lines = "admin_listen 127.0.0.1:\(server.port)\nadmin_token_file \(token)\n"
        let path = try folder.put(lines, "proxy.conf", mode: 0o644)
        let result = run(["stats", "--config", path], files: .system)
        #expect(result.status == 78 && result.error.contains("admin_token_file: "), "\(result.error)")
        let named = run(
            ["stats", "--admin", "http://127.0.0.1:\(server.port)", "--admin-token-file", token], files: .system)
        #expect(named.status == 1 && named.error.contains("cannot read \(token): "), "\(named.error)")
        #expect(server.requests.isEmpty)
    }

    /// A token that base64(1) has wrapped was refused by the server, and taken by the commands.
    @Test func aWrappedTokenIsTheSameToTheServerAndTheCommands() throws {
        let server = try ScriptedOrigin([
            .request, .send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"), .close,
        ])
        defer { server.stop() }
        let token = try folder.put("0123456789abcdef+/\nABCDEF ==\r\n", "token", mode: 0o600)
        let lines = "admin_listen 127.0.0.1:\(server.port)\nadmin_token_file \(token)\n"
        let path = try folder.put(quiet(lines), "proxy.conf", mode: 0o644)
        _ = run(["stats", "--config", path], files: .system)
        let sent = "Bearer 0123456789abcdef+/ABCDEF=="
        #expect(server.requests.first?.first?.contains("\r\nAuthorization: \(sent)\r\n") == true)
        let scene = try ProxyScene("admin_token_file \(token)")
        #expect(try scene.admin.send("GET", "/stats", fields: [("Authorization", sent)]).status == 200)
        #expect(try scene.admin.send("GET", "/stats").status == 401)
    }

    /// A file that lies at a name of the configuration; `check` and `serve` name it.
    @Test(arguments: [
        ("cache_file @/c.sqlite", "c.sqlite"), ("cache_file @/c.sqlite", "c.sqlite-wal"),
        ("access_log @/log", "log"), ("record @/traffic", "traffic"), ("record @/traffic", "traffic.bodies"),
    ])
    func whatOthersCanWriteToIsRefusedByName(_ line: String, _ name: String) throws {
        let lines = quiet(line.replacing("@", with: folder.path))
        let path = try folder.put(lines, "proxy.conf", mode: 0o644)
        #expect(run(["check", "--config", path], files: .system).status == 0)
        try folder.put("", name, mode: 0o666)
        for command in ["check", "serve"] {
            let result = run([command, "--config", path], files: .system)
            #expect(result.status == 78, "\(command)")
            let words = "\(folder.file(name)) (-rw-rw-rw- \(geteuid()) "
            #expect(result.error.contains(words) && result.error.contains("(chmod go-w)"), "\(result.error)")
        }
    }

    /// Links that a stranger laid in a folder such as /tmp: reports went through them.
    @Test(.requires(.root)) func aReportIsNotWrittenThroughAStrangersLink() throws {
        let files = FileAccess.system
        let own = try TemporaryFolder()
        let victim = try own.put("precious", "victim", mode: 0o644)
        #expect(chmod(folder.path, 0o1777) == 0 && symlink(victim, folder.file("out")) == 0)
        try files.save(folder.file("out"), Array("mine".utf8))
        #expect(own.text("victim") == "mine", "a link of one's own is followed")
        #expect(lchown(folder.file("out"), 65_534, 65_534) == 0)
        #expect(files.saveProblem(folder.file("out"))?.contains("symbolic link") == true)
        #expect(throws: FileProblem.self) { try files.save(folder.file("out"), Array("other".utf8)) }
        #expect(throws: FileProblem.self) { try files.write(folder.file("out"), Array("other".utf8)) }
        #expect(own.text("victim") == "mine")
    }

    /// A dead socket of another user was only "in use", and the start failed.
    @Test(.requires(.root)) func aSocketOfAnotherUserIsRefusedByName() throws {
        let path = try folder.put(
            quiet("admin_listen unix:\(folder.file("admin"))"), "proxy.conf", mode: 0o644)
        try folder.put("", "admin", mode: 0o600)
        #expect(unlink(folder.file("admin")) == 0 && mkfifo(folder.file("admin"), 0o600) == 0)
        #expect(chown(folder.file("admin"), 65_534, 65_534) == 0)
        let result = run(["check", "--config", path], files: .system)
        #expect(result.status == 78 && result.error.contains("belongs to user 65534"), "\(result.error)")
    }

    /// Root's `check` of a packaged service: its files are its user's, and no mistake.
    @Test(.requires(.root)) func rootMayAskAboutFilesOfTheService() throws {
        let state = try TemporaryFolder()
        let lines = quiet("cache_file \(state.file("c.sqlite"))\naccess_log \(state.file("log"))")
        let path = try folder.put(lines, "proxy.conf", mode: 0o644)
        for name in ["c.sqlite", "log"] {
            try state.put("", name, mode: 0o600)
            #expect(chown(state.file(name), 61_500, 61_500) == 0)
        }
        #expect(run(["check", "--config", path], files: .system).status == 78, "the folder is root's")
        #expect(chown(state.path, 61_500, 61_500) == 0)
        let result = run(["check", "--config", path], files: .system)
        #expect(result.status == 0, "\(result.error)")
        #expect(result.error.contains("warn: cache_file: a proxy run by this user will refuse it: "))
        #expect(result.error.contains("warn: access_log: a proxy run by this user will refuse it: "))
        #expect(run(["serve", "--config", path], files: .system).status != 0, "root does not use them")
    }
}
