import TestSupport
import Testing
import Text

@testable import refrain

/// The commands that ask a running proxy, against one in this process.
@Suite(.timeLimit(.minutes(10))) final class OperatorCommandsTests {
    private let demo: RunningDemo
    private var album: String { demo.album }

    /// With the album in its cache.
    init() throws {
        demo = try RunningDemo()
        #expect(try demo.client.send("GET", album).status == 200)
    }

    deinit { demo.stop() }

    private func run(_ words: String..., width: Int? = nil) -> RunResult {
        refrainTests.run(words + ["--admin", "http://127.0.0.1:\(demo.admin)"], width: width)
    }

    @Test func listShowsWhatIsStored() throws {
        let lines = run("list").standard.split(separator: "\n")
        try #require(lines.count == 2 && lines[0].hasPrefix("status  class   storefront"))
        #expect(lines[1].hasPrefix("200     albums  us") && lines[1].hasSuffix("  " + album))
        #expect(run("list", "--class", "albums", "--storefront", "us", "--limit", "1").status == 0)
        let resource = "albums:" + (album.split(separator: "/").last ?? "")
        let named = run("list", "--resource", resource, "--sort", "size").standard
        #expect(named.split(separator: "\n").count == 2 && named.contains(album), "\(named)")
        #expect(run("list", "--resource", "albums:0", "--sort", "age").standard.isEmpty)
        let none = run("list", "--class", "songs")
        #expect(none.status == 0 && none.standard.isEmpty && none.error == "refrain: no stored answer matches\n")
        let json = try JSON.parse(Array(run("list", "--json").standard.utf8))
        #expect(json["entries"]?[0]?["target"]?.stringValue == album)
        let narrow = run("list", width: 84).standard
        #expect(narrow.split(separator: "\n").allSatisfy { $0.count <= 92 } && narrow.contains("…"))
        #expect(run("list", width: 200).standard.contains(album))
    }

    @Test func inspectShowsOneEntryAndItsContent() throws {
        let shown = run("inspect", album)
        #expect(shown.status == 0 && shown.standard.hasPrefix("target              \(album)\n"))
        #expect(shown.standard.contains("\nfreshness           fresh\n"))
        #expect(shown.standard.contains("\nETag "))
        let body = run("inspect", "--body", "http://any.example" + album)
        #expect(try JSON.parse(Array(body.standard.utf8))["data"]?[0] != nil)
        let json = try JSON.parse(Array(run("inspect", "--json", album).standard.utf8))
        #expect(json["stored"]?[0]?["body_bytes"]?.intValue == body.standard.utf8.count)
        let absent = run("inspect", "/v1/catalog/us/albums/0")
        #expect(absent.status == 1 && absent.standard.isEmpty)
        #expect(absent.error.hasSuffix("/entry: status 404: Nothing is stored for this target.\n"))
    }

    @Test func explainSaysWhatWouldHappen() throws {
        let hit = run("explain", album)
        #expect(hit.status == 0)
        #expect(hit.standard.hasPrefix("plan                hit\nwhy                 A fresh answer"))
        #expect(hit.standard.contains("\nstored freshness    fresh\n"))
        let post = run("explain", "--method", "POST", album)
        #expect(
            post.standard.hasPrefix("plan               pass\n")
                && post.standard.contains("\nreason             method\n"))
        let json = try JSON.parse(Array(run("explain", "--json", "/v1/catalog/us/albums/0").standard.utf8))
        #expect(json["plan"] == "fetch" && json["rule"] == "1d stale 7d" && json["stored"] == .null)
        #expect(json["not_composed"]?["rule"] == "item" && json["not_composed"]?["reason"] == "not-held")
        let text = run("explain", "/v1/catalog/us/albums/0").standard
        #expect(
            text.contains("\nnot composed why     item: no fresh stored answer has any of the resources"), "\(text)")
        let personal = run("explain", "--user", "/v1/me/library/songs").standard
        #expect(personal.contains("\nkept for users answers  0\n"), "\(personal)")
        #expect(json["kept_for_users"] == .null)
        let wrong = run("explain", "--method", "FROB", album)
        #expect(
            wrong.status == 2 && wrong.error.contains("explain: --method: \"FROB\" is not GET, HEAD"), "\(wrong.error)")
    }

    @Test func statsAreGroupedAndADryPurgeSaysSo() throws {
        let stats = run("stats").standard
        #expect(
            stats.hasPrefix("requests\n  requests ") && stats.contains("\norigin\n") && stats.contains("\nstorage\n"))
        #expect(stats.contains("100 % of requests") && stats.contains("\nreasons\n  absent "))
        let json = try JSON.parse(Array(run("stats", "--json").standard.utf8))
        // The limits are beside the bytes.
        let others: Set = [
            "pid", "time", "started_at", "developer_token_expires", "certificate_expires", "top_targets_sampling",
            "cache_limit_bytes", "memory_limit_bytes",
        ]
        for member in json.objectValue?.members ?? [] where member.value.intValue != nil {
            let hasGroup = stats.contains("\n  \(member.key) ") || others.contains(member.key)
            #expect(hasGroup, "\(member.key): give it a group in StatsTable")
        }
        #expect(run("purge", "--all", "--dry-run").standard == "would purge 1 entry (soft)\n")
        let counted = run("purge", "--all", "--dry-run", "--json").standard
        #expect(counted == "{\"purged\":1,\"would_purge\":1}\n", "it said that they were purged")
        #expect(run("purge", "--all").standard == "purged 1 entry (soft)\n")
        let explanation = run("explain", album).standard
        #expect(explanation.contains("The stored answer was made stale by a purge or a HEAD: it is served, "))
        #expect(run("list").standard.contains("  stale  "))
    }
}
