import TestSupport
import Testing

@testable import refrain

/// Which proxy the commands ask that are about a running one.
@Suite struct AdminClientTests {
    private static let commands = [
        ["stats"], ["top", "--once"], ["list"], ["inspect", "/v1/catalog/us/songs/1"], ["purge", "--all"],
        ["explain", "/v1/catalog/us/songs/1"], ["record", "status"], ["nodes"],
    ]
    private static let answer = "HTTP/1.1 200 OK\r\nContent-Length: 14\r\n\r\n{\"requests\":1}"

    private func server() throws -> ScriptedOrigin { try ScriptedOrigin([.request, .send(Self.answer), .close]) }

    /// Commands asked 127.0.0.1:8081 whatever the configuration in the folder said. In the middle
    /// of an edit nothing could be purged, though the proxy ran well.
    @Test(arguments: commands) func theConfigurationInTheFolderIsRead(_ words: [String]) throws {
        let server = try server()
        defer { server.stop() }
        let text = "garbage\nadmin_listen 127.0.0.1:\(server.port)\nttl albums never\nadmin_token_file t\n"
        _ = run(words, files: MemoryFiles(texts: ["proxy.conf": text, "t": "hush\n"]).access)
        let request = try #require(server.requests.first?.first)
        #expect(request.contains("\r\nHost: 127.0.0.1:\(server.port)\r\n"))
        #expect(request.contains("\r\nAuthorization: Bearer hush\r\n"))
    }

    /// A mistake in the name of a file, or in the line itself, had 127.0.0.1:8081 purged.
    @Test(arguments: [
        ("absent.conf", "cannot read absent.conf"), ("line.conf", "line.conf:1: admin_listen: "),
        ("twice.conf", "twice.conf:2: admin_listen is already set"), ("quote.conf", "quote.conf:1: "),
        ("include.conf", "cannot read gone.conf"),
    ])
    func aMistakeInTheConfigurationIsNoGuess(_ file: String, _ error: String) {
        let files = MemoryFiles(texts: [
            "line.conf": "admin_listen nowhere\n", "twice.conf": "admin_listen off\nadmin_listen 127.0.0.1:1\n",
            "quote.conf": "admin_listen '127.0.0.1:1\n", "include.conf": "include gone.conf\n",
        ])
        let result = run("purge", "--all", "--config", file, files: files)
        #expect(result.status == 78 && result.error.contains(error), "\(result.error)")
    }

    /// A purge of a large cache looked as if it hung.
    @Test func aLongAnswerShowsHowLongItHasBeenWaitedFor() throws {
        let (gate, captured) = (ScriptedOrigin.Gate(), CapturedOutput())
        let server = try ScriptedOrigin([.request, .wait(gate), .send(Self.answer), .close])
        defer { server.stop() }
        let output = Output(
            standard: { _ in },
            error: { text in
                captured.output.error(text)
                gate.open()
            })
        let client = AdminClient(server: try AdminServer("http://127.0.0.1:\(server.port)"), token: nil)
        let line = ProgressLine(output, width: 80, every: .milliseconds(1))
        let progress = line.waiting(for: "the proxy works")
        let answer = try client.ask("/purge", sending: [], within: .seconds(60), progress: progress)
        line.end()
        #expect(answer == Array("{}".utf8))
        #expect(captured.error.hasPrefix("\rwaiting for 0s: the proxy works\u{1B}[K"), "\(captured.error)")
        #expect(captured.error.hasSuffix("\r\u{1B}[K"), "it is erased")
    }

    @Test func aPurgeShowsNoProgressWithoutATerminal() throws {
        let answer = "HTTP/1.1 200 OK\r\nContent-Length: 12\r\n\r\n{\"purged\":0}"
        let server = try ScriptedOrigin([.request, .sleep(milliseconds: 700), .send(answer), .close])
        defer { server.stop() }
        let result = run("purge", "--all", "--admin", "http://127.0.0.1:\(server.port)")
        #expect(result.standard == "purged 0 entries (soft)\n" && result.error.isEmpty)
    }

    @Test func anotherFileCanBeNamed() throws {
        let server = try server()
        defer { server.stop() }
        let files = MemoryFiles(texts: [
            "proxy.conf": "admin_listen off", "t": "hush\n", "plain.conf": "workers 1\n",
            "other.conf": "admin_listen *:\(server.port)\nadmin_token_file t\n",
        ])
        #expect(run("stats", "--config", "other.conf", files: files).status == 0)
        #expect(server.requests.count == 1)
        let off = run("stats", files: files)
        #expect(off.status == 1 && off.error.contains("admin_listen off"))
        // Without a line for it the standard place is asked.
        #expect(!run("stats", "--config", "plain.conf", files: files).error.contains("admin_listen off"))
        #expect(run("stats", "--config", "absent.conf", files: files).status != 0)
    }

    /// A token is for the proxy of its own configuration.
    @Test func aNamedServerGetsNoConfiguredToken() throws {
        let server = try server()
        defer { server.stop() }
        let files = MemoryFiles(texts: ["proxy.conf": "admin_listen off\nadmin_token_file t", "t": "hush"])
        #expect(run("stats", "--admin", "http://127.0.0.1:\(server.port)", files: files).status == 0)
        #expect(server.requests.first?.first?.contains("Authorization") == false)
    }

    /// The proxy may answer a user who may not read its files.
    @Test func filesOfAnotherUserAreNoObstacle() throws {
        let unreadable = MemoryFiles(problems: ["proxy.conf": "Permission denied"])
        let arguments = CommandArguments()
        func context(_ files: MemoryFiles) -> CommandContext {
            CommandContext(output: CapturedOutput().output, files: files.access)
        }
        #expect(try AdminClient(arguments, context(unreadable)).server == AdminClient.standard)
        let secret = MemoryFiles(
            texts: ["proxy.conf": "admin_listen unix:/run/a\nadmin_token_file t\nclient_keys_file k"],
            problems: ["t": "Permission denied", "k": "Permission denied"])
        let client = try AdminClient(arguments, context(secret))
        #expect(client.server == .unix("/run/a") && client.token == nil)
    }

    @Test(arguments: [
        ("0.0.0.0:8081", "http://127.0.0.1:8081"), ("[::]:9", "http://[::1]:9"), ("10.0.0.7:1", "http://10.0.0.7:1"),
    ])
    func allAddressesAreAskedOnOne(_ listen: String, _ asked: String) throws {
        #expect(AdminServer(listening: try HostPort(admin: listen)).description == asked)
    }
}
