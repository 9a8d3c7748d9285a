import Foundation
import TestSupport
import Testing
import Text

@testable import refrain

/// The commands that ask a running proxy, against one in this process.
@Suite(.timeLimit(.minutes(10))) struct OperatorCommandsTests {
    /// A demonstration with an album in its cache.
    private final class Running {
        let demo: RunningDemo
        let admin: String
        let album: String

        init() throws {
            demo = try RunningDemo()
            (admin, album) = ("http://127.0.0.1:\(demo.admin)", demo.album)
            #expect(try demo.client.send("GET", album).status == 200)
        }

        deinit { demo.stop() }

        func run(_ words: String..., width: Int? = nil) -> RunResult {
            let captured = CapturedOutput()
            let output = Output(standard: captured.output.standard, error: captured.output.error, width: width)
            let status = CommandLineTool.run(
                ["refrain", words[0], "--admin", admin] + words.dropFirst(), output: output,
                files: MemoryFiles().access)
            return RunResult(status: status, standard: captured.standard, error: captured.error)
        }
    }

    @Test func listShowsWhatIsStored() throws {
        let running = try Running()
        let lines = running.run("list").standard.split(separator: "\n")
        try #require(lines.count == 2 && lines[0].hasPrefix("status  class   storefront"))
        #expect(lines[1].hasPrefix("200     albums  us") && lines[1].hasSuffix("  " + running.album))
        #expect(running.run("list", "--class", "albums", "--storefront", "us", "--limit", "1").status == 0)
        let resource = "albums:" + (running.album.split(separator: "/").last ?? "")
        let named = running.run("list", "--resource", resource, "--sort", "size").standard
        #expect(named.split(separator: "\n").count == 2 && named.contains(running.album), "\(named)")
        #expect(running.run("list", "--resource", "albums:0", "--sort", "age").standard.isEmpty)
        let none = running.run("list", "--class", "songs")
        #expect(none.status == 0 && none.standard.isEmpty && none.error == "refrain: no stored answer matches\n")
        let json = try JSON.parse(Array(running.run("list", "--json").standard.utf8))
        #expect(json["entries"]?[0]?["target"]?.stringValue == running.album)
        let narrow = running.run("list", width: 84).standard
        #expect(narrow.split(separator: "\n").allSatisfy { $0.count <= 92 } && narrow.contains("…"))
        #expect(running.run("list", width: 200).standard.contains(running.album))
    }

    @Test func inspectShowsOneEntryAndItsContent() throws {
        let running = try Running()
        let shown = running.run("inspect", running.album)
        #expect(shown.status == 0 && shown.standard.hasPrefix("target              \(running.album)\n"))
        #expect(shown.standard.contains("\nfreshness           fresh\n"))
        #expect(shown.standard.contains("\nETag "))
        let body = running.run("inspect", "--body", "http://any.example" + running.album)
        #expect(try JSON.parse(Array(body.standard.utf8))["data"]?[0] != nil)
        let json = try JSON.parse(Array(running.run("inspect", "--json", running.album).standard.utf8))
        #expect(json["stored"]?[0]?["body_bytes"]?.intValue == body.standard.utf8.count)
        let absent = running.run("inspect", "/v1/catalog/us/albums/0")
        #expect(absent.status == 1 && absent.standard.isEmpty)
        #expect(absent.error.hasSuffix("/entry: status 404: Nothing is stored for this target.\n"))
    }

    @Test func explainSaysWhatWouldHappen() throws {
        let running = try Running()
        let hit = running.run("explain", running.album)
        #expect(hit.status == 0)
        #expect(hit.standard.hasPrefix("plan                hit\nwhy                 A fresh answer"))
        #expect(hit.standard.contains("\nstored freshness    fresh\n"))
        let post = running.run("explain", "--method", "POST", running.album)
        #expect(
            post.standard.hasPrefix("plan               pass\n")
                && post.standard.contains("\nreason             method\n"))
        let json = try JSON.parse(Array(running.run("explain", "--json", "/v1/catalog/us/albums/0").standard.utf8))
        #expect(json["plan"] == "fetch" && json["rule"] == "1d stale 7d" && json["stored"] == .null)
        #expect(json["not_composed"]?["rule"] == "item" && json["not_composed"]?["reason"] == "not-held")
        let text = running.run("explain", "/v1/catalog/us/albums/0").standard
        #expect(
            text.contains("\nnot composed why     item: no fresh stored answer has any of the resources"), "\(text)")
        let personal = running.run("explain", "--user", "/v1/me/library/songs").standard
        #expect(personal.contains("\nkept for users answers  0\n"), "\(personal)")
        #expect(json["kept_for_users"] == .null)
        let wrong = running.run("explain", "--method", "FROB", running.album)
        #expect(
            wrong.status == 2 && wrong.error.contains("explain: --method: expected one of GET, HEAD"), "\(wrong.error)")
    }

    @Test func statsAreGroupedAndADryPurgeSaysSo() throws {
        let running = try Running()
        let stats = running.run("stats").standard
        #expect(
            stats.hasPrefix("requests\n  requests ") && stats.contains("\norigin\n") && stats.contains("\nstorage\n"))
        #expect(stats.contains("100.0 % of requests") && stats.contains("\nreasons\n  absent "))
        let json = try JSON.parse(Array(running.run("stats", "--json").standard.utf8))
        let others: Set = ["pid", "time", "started_at", "developer_token_expires", "top_targets_sampling"]
        for member in json.objectValue?.members ?? [] where member.value.intValue != nil {
            let hasGroup = stats.contains("\n  \(member.key) ") || others.contains(member.key)
            #expect(hasGroup, "\(member.key): give it a group in StatsTable")
        }
        #expect(running.run("purge", "--all", "--dry-run").standard == "would purge 1 entry (soft)\n")
        let counted = running.run("purge", "--all", "--dry-run", "--json").standard
        #expect(counted == "{\"purged\":1,\"would_purge\":1}\n", "it said that they were purged")
        #expect(running.run("purge", "--all").standard == "purged 1 entry (soft)\n")
        #expect(running.run("list").standard.contains("  stale  "))
    }

    @Test func wrongArgumentsAreUsageErrors() {
        let cases: [([String], String)] = [
            (["list", "--class", "song"], "refrain: list: --class: expected one of activities"),
            (["list", "--storefront", "USA"], "refrain: list: --storefront: expected two lower-case letters"),
            (["list", "--prefix", "v1"], "refrain: list: --prefix: expected the beginning of a path"),
            (["list", "--limit", "0"], "refrain: list: --limit: \"0\" is not a number from 1 to 10000"),
            (["list", "--sort", "bytes"], "refrain: list: --sort: expected one of size, age, use\n"),
            (["list", "--resource", "songs"], "refrain: list: --resource: expected TYPE:ID"),
            (["inspect"], "refrain: inspect: which URL? (see \"refrain help inspect\")"),
            (["inspect", "songs"], "refrain: inspect: url: expected a URL or a path"),
            (["explain"], "refrain: explain: which URL? (see \"refrain help explain\")"),
            (["explain", "ftp://x/a"], "refrain: explain: url: expected a URL or a path"),
            (["explain", "/a", "--admin", "nowhere"], "refrain: explain: --admin: \"nowhere\" is not a URL"),
            (
                ["stats", "--admin", "x"],
                "refrain: stats: --admin: \"x\" is not a URL that begins with https:// or http://; a Unix socket is written unix:PATH"
            ),
        ]
        for (words, beginning) in cases { expectUsageError(words, beginning) }
    }

    @Test func anAnswerThatIsNotUnderstoodFails() {
        for (command, words) in [("list", []), ("inspect", ["/a"]), ("explain", ["/a"])] {
            let result = runAgainstServer(command, "{}", words).result
            #expect(result.status == 1 && result.error.hasPrefix("refrain: the answer to GET /"), "\(command)")
        }
    }

    @Test func theURLGoesEncoded() {
        let request = runAgainstServer("inspect", "", ["/v1/a?b=1&c=x+y%C3%A4"], status: "404 Not Found").request
        #expect(request.hasPrefix("GET /entry?url=/v1/a%3Fb%3D1%26c%3Dx%2By%25C3%25A4 HTTP/1.1\r\n"), "\(request)")
    }
}
