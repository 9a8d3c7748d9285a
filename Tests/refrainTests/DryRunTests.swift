import Synchronization
import TestSupport
import Testing
import Text

@testable import Recording
@testable import refrain

/// `refrain replay --dry-run`, from the words of the command line to its output.
@Suite(.timeLimit(.minutes(10))) struct DryRunTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// One song, asked for every minute of an hour; its answer has no recorded content.
    @discardableResult private func recording() throws -> String {
        let exchanges = (0..<60).map { minute in
            RecordedExchange.of(
                "/v1/catalog/us/songs/1", at: .seconds(60 * minute), latency: .milliseconds(50), length: 700)
        }
        return try folder.record(exchanges, sampling: 0.5, "hour.rec")
    }

    private func dryRun(_ words: [String], _ files: MemoryFiles = MemoryFiles(texts: ["a.conf": ""])) -> RunResult {
        run(["replay", "--dry-run"] + words, files: files.access)
    }

    @Test func comparesConfigurationsWhoseSecretsAreElsewhere() throws {
        let files = MemoryFiles(
            texts: [
                "day.conf": "cache_file off\ndeveloper_token_file /nowhere/token\nlisten 0.0.0.0:80",
                "minutes.conf": "cache_file off\nttl catalog 10m\nttl_speed 5\nadmin_listen unix:/nowhere/admin",
            ], problems: ["/nowhere/token": "No such file"])
        let words = [try recording(), "--config", "day.conf", "--config", "minutes.conf"]
        let result = dryRun(words + ["--json"], files)
        #expect(result.status == 0 && result.error.isEmpty)
        let json = try JSON.parse(Array(result.standard.utf8))
        let runs = try #require(json["configurations"]?.arrayValue)
        #expect(runs.map { $0["name"] } == ["day.conf", "minutes.conf"])
        for name in ["misses", "upstream_requests", "without_content"] { #expect(runs.map { $0[name] } == [1, 6]) }
        #expect(json["sampling"] == .number("0.5"))
        let intervals = try #require(runs[1]["intervals"]?.arrayValue)
        #expect(intervals.reduce(0) { $0 + ($1["misses"]?.intValue ?? 0) } == 6)

        let text = dryRun(words, files).standard
        #expect(text.contains("day.conf  minutes.conf") && text.contains("98.3 %        90.0 %"))
        #expect(text.contains("Only 50.0 % of the requests were recorded."))
    }

    /// The page had half of them, and said that nothing else is looked at.
    @Test func theDirectivesThatThePageNamesDecideAndNoOthers() throws {
        func settings(_ line: String) throws -> String {
            let files = MemoryFiles(texts: ["a.conf": line], problems: ["/nowhere/token": "No such file"])
            let effective = try ConfigurationReader.read("a.conf", files: files.access.withoutLooking)
            return String(reflecting: effective.configuration.whatIfSettings(name: "a"))
        }
        let usual = try settings("")
        let page = try Page("Sources/Documentation/REPLAY.md").lines.joined(separator: " ")
        for line in [
            "ttl songs 5m", "compose off", "windows off", "batch off", "next complete", "superset_includes off",
            "documented_forms off", "upstream https://a.example.com", "memory_size 9MiB",
            "listen 127.0.0.1:1 tls\ntls_certificate a\ntls_certificate_key b", "cache_size 2MiB", "cache_file off",
            "upstream_rate 5/s", "upstream_connections 9",
        ] {
            #expect(try settings(line) != usual, "\(line)")
            let name = try #require(line.split(separator: " ").first)
            #expect(page.contains("`\(name)`"), "\(name)")
        }
        for line in [
            "verify_sample off", "ttl_speed 5", "listen 0.0.0.0:80", "workers 3", "request_memory 9MiB", "record a",
            "developer_token_file /nowhere/token", "access_log off", "answer_memory 9MiB",
        ] { #expect(try settings(line) == usual, "\(line)") }
    }

    @Test func writesAPageThatLoadsNothing() throws {
        let written = Mutex("")
        var access = MemoryFiles(texts: ["a&b.conf": "cache_file off"]).access
        access.save = { _, bytes throws(FileProblem) in
            written.withLock { $0 = String(decoding: bytes, as: UTF8.self) }
        }
        _ = run(["replay", "--dry-run", try recording(), "--config", "a&b.conf", "--html", "out.html"], files: access)
        let page = written.withLock { $0 }
        #expect(page.contains("\"a&b.conf\"") && page.contains("default-src 'none'"))
        #expect(!page.contains(" src=") && !page.contains(" href="))
    }

    @Test func saysWhatIsMissing() throws {
        let path = try recording()
        var exchange = RecordedExchange.of("/v1/catalog/us/songs/1", status: 401)
        exchange.outcome = "refused"
        let refused = try folder.record([exchange], "refused.rec")
        let name = "replay: name one recording to replay (see \"refrain help replay\")\n"
        var cases: [([String], Int32, String)] = [
            ([], 2, name), ([path + "x"], 1, "replay: \(path)x: No such file or directory\n"),
            // A recording of nothing but refused requests gave a table of dashes.
            ([refused], 1, "replay: \(refused): no request in it reached the cache\n"),
        ]
        // Such options were taken and did nothing: a `--fail-if` that never fails anything.
        for words in [["--fail-if", "p99>1ms"], ["--target", "http://127.0.0.1:1"], ["--only", "/v1"], ["--loop"]] {
            cases.append((["x"] + words, 2, "replay: --dry-run sends nothing; \(words[0]) has no effect with it\n"))
        }
        for (words, status, error) in cases {
            let result = dryRun(words + ["--config", "a.conf"])
            #expect(result.status == status && result.error == "refrain: " + error, "\(words)")
        }
        let bad = MemoryFiles(texts: ["a.conf": "ttl songs soon"])
        #expect(dryRun([path, "--config", "a.conf"], bad).status == 78)
    }

    /// A recording whose last line was cut off was shortened without a word.
    @Test func saysWhatItLeftOutOfTheRecording() throws {
        try recording()
        let path = try folder.put(folder.bytes("hour.rec") + #"{"time":"2026-"#.utf8, "hour.rec")
        let files = MemoryFiles(texts: ["a.conf": "cache_file off"])
        let result = dryRun([path, "--config", "a.conf", "--json"], files)
        #expect(result.status == 0 && result.error.contains(path) && result.error.hasPrefix("refrain: "))
        #expect(try JSON.parse(Array(result.standard.utf8))["configurations"]?[0]?["requests"] == 60)
        #expect(result.standard.hasSuffix("}\n") && !result.standard.hasSuffix("\n\n"))
    }

    /// A replay at ten times the pace counted too many hits, because the target's answers lasted as
    /// long as ever.
    @Test func scaleTTLInsistsOnATargetThatAgesAsFast() async throws {
        let demo = try RunningDemo()
        defer { demo.stop() }
        let admin = "http://127.0.0.1:\(demo.admin)"
        try await onThread {
            func check(_ more: String...) throws -> String {
                let captured = CapturedOutput()
                let words = ["x", "--target", "http://127.0.0.1:1", "--admin", admin] + more
                let arguments = try OptionParser.parse(words, for: .replay)
                let context = CommandContext(output: captured.output, files: MemoryFiles().access)
                try checkTTLSpeed(ReplayOptions(arguments).plan.pace, arguments, context)
                return captured.error
            }
            let (unscaled, warned) = (try check("--speed", "1x", "--scale-ttl"), try check("--speed", "10x"))
            #expect(unscaled.isEmpty && warned.contains("the target has ttl_speed 1, "))
            for (option, pace) in [("--speed", "10x"), ("--speed", "2.5x"), ("--rate", "10/s")] {
                #expect(throws: CommandFailure.self) { try check(option, pace, "--scale-ttl") }
            }
        }
    }
}
