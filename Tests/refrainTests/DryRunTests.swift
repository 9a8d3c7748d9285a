import Foundation
import Synchronization
import TestSupport
import Testing
import Text

@testable import Recording
@testable import refrain

/// `refrain replay --dry-run`, from the words of the command line to its output.
@Suite struct DryRunTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// One song, asked for every minute of an hour; its answer has no recorded content.
    @discardableResult private func recording() throws -> String {
        let started = Timestamp(microseconds: 1_795_219_200_000_000)
        var bytes = RecordingHeader(started: started, program: "test", sampling: 0.5).line
        for minute in 0..<60 {
            let offset = Duration.seconds(60 * minute)
            bytes +=
                RecordedExchange(
                    time: started + offset, offset: offset, method: "GET", target: "/v1/catalog/us/songs/1",
                    status: 200,
                    latency: .milliseconds(50), length: 700
                ).line
        }
        return try folder.put(bytes, "hour.rec")
    }

    private static let command = Command.replay

    private func dryRun(_ words: [String], _ files: MemoryFiles) throws -> String {
        let captured = CapturedOutput()
        let context = CommandContext(output: captured.output, files: files.access)
        let status = try Self.command.run(OptionParser.parse(words, for: Self.command), context)
        #expect(status == .done && captured.error.isEmpty)
        return captured.standard
    }

    @Test func comparesConfigurationsWhoseSecretsAreElsewhere() throws {
        let files = MemoryFiles(
            texts: [
                "day.conf": "cache_file off\ndeveloper_token_file /nowhere/token\nlisten 0.0.0.0:80",
                "minutes.conf": "cache_file off\nttl catalog 10m\nttl_speed 5\nadmin_listen unix:/nowhere/admin",
            ], problems: ["/nowhere/token": "No such file"])
        let words = ["--dry-run", try recording(), "--config", "day.conf", "--config", "minutes.conf"]
        let json = try JSON.parse(Array(try dryRun(words + ["--json"], files).utf8))
        let runs = try #require(json["configurations"]?.arrayValue)
        #expect(runs.map { $0["name"] } == ["day.conf", "minutes.conf"])
        #expect(runs.map { $0["misses"] } == [1, 6] && runs.map { $0["upstream_requests"] } == [1, 6])
        #expect(runs.map { $0["without_content"] } == [1, 6])
        #expect(json["sampling"] == .number("0.5"))
        let intervals = try #require(runs[1]["intervals"]?.arrayValue)
        #expect(intervals.reduce(0) { $0 + ($1["misses"]?.intValue ?? 0) } == 6)

        let text = try dryRun(words, files)
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
        let captured = CapturedOutput()
        var access = MemoryFiles(texts: ["a&b.conf": "cache_file off"]).access
        access.save = { _, bytes throws(FileProblem) in
            written.withLock { $0 = String(decoding: bytes, as: UTF8.self) }
        }
        let words = ["--dry-run", try recording(), "--config", "a&b.conf", "--html", "out.html"]
        let context = CommandContext(output: captured.output, files: access)
        _ = try Self.command.run(OptionParser.parse(words, for: Self.command), context)
        let page = written.withLock { $0 }
        #expect(page.contains(">a&amp;b.conf</th>"))
        #expect(!page.contains("://") && !page.contains("<script"))
    }

    @Test func saysWhatIsMissing() throws {
        let files = MemoryFiles(texts: ["a.conf": "ttl songs soon"])
        #expect(throws: CommandFailure.usage("replay: name one recording to replay (see \"refrain help replay\")")) {
            try dryRun(["--dry-run", "--config", "a.conf"], files)
        }
        let path = try recording()
        let failure = #expect(throws: CommandFailure.self) {
            try dryRun(["--dry-run", path, "--config", "a.conf"], files)
        }
        #expect(failure?.status == .configuration)
        let absent = #expect(throws: CommandFailure.self) {
            try dryRun(["--dry-run", path + "x", "--config", "b.conf"], MemoryFiles(texts: ["b.conf": ""]))
        }
        #expect(absent?.messages == ["replay: \(path)x: No such file or directory"])
    }

    /// Such options were taken and did nothing: a `--fail-if` that never fails anything.
    @Test(arguments: [["--fail-if", "p99>1ms"], ["--target", "http://127.0.0.1:1"], ["--only", "/v1"], ["--loop"]])
    func refusesOptionsThatMeanNothingToIt(_ words: [String]) throws {
        let failure = #expect(throws: CommandFailure.self) {
            try dryRun(["--dry-run", "x", "--config", "a.conf"] + words, MemoryFiles(texts: ["a.conf": ""]))
        }
        #expect(failure?.messages == ["replay: --dry-run sends nothing; \(words[0]) has no effect with it"])
    }

    /// A recording whose last line was cut off was shortened without a word.
    @Test func saysWhatItLeftOutOfTheRecording() throws {
        try recording()
        let path = try folder.put(folder.bytes("hour.rec") + #"{"time":"2026-"#.utf8, "hour.rec")
        let captured = CapturedOutput()
        let context = CommandContext(
            output: captured.output, files: MemoryFiles(texts: ["a.conf": "cache_file off"]).access)
        let words = ["--dry-run", path, "--config", "a.conf", "--json"]
        #expect(try Self.command.run(OptionParser.parse(words, for: Self.command), context) == .done)
        #expect(captured.error.contains(path) && captured.error.hasPrefix("refrain: "))
        #expect(try JSON.parse(Array(captured.standard.utf8))["configurations"]?[0]?["requests"] == 60)
        #expect(captured.standard.hasSuffix("}\n") && !captured.standard.hasSuffix("\n\n"))
    }

    /// A recording of nothing but refused requests gave a table of dashes.
    @Test func aRecordingWithoutCacheRequestsIsAnError() throws {
        var refused = RecordedExchange(
            time: .now(), offset: .zero, method: "GET", target: "/v1/catalog/us/songs/1", status: 401, latency: .zero,
            length: 0)
        refused.outcome = "refused"
        let path = try folder.put(RecordingHeader(started: .now(), program: "test").line + refused.line, "refused.rec")
        let failure = #expect(throws: CommandFailure.self) {
            try dryRun(["--dry-run", path, "--config", "a.conf"], MemoryFiles(texts: ["a.conf": ""]))
        }
        #expect(failure?.messages == ["replay: \(path): no request in it reached the cache"])
    }

    /// A replay at ten times the pace counted too many hits, because the target's answers lasted as
    /// long as ever.
    @Test func scaleTTLInsistsOnATargetThatAgesAsFast() async throws {
        let demo = try RunningDemo()
        defer { demo.stop() }
        let admin = "http://127.0.0.1:\(demo.admin)"
        try await onThread {
            let words = ["replay", "x", "--target", "http://127.0.0.1:1", "--admin", admin]
            func check(_ more: [String]) throws -> String {
                let captured = CapturedOutput()
                let arguments = try OptionParser.parse(Array((words + more).dropFirst()), for: .replay)
                let context = CommandContext(output: captured.output, files: MemoryFiles().access)
                try checkTTLSpeed(ReplayOptions(arguments).plan.pace, arguments, context)
                return captured.error
            }
            let (unscaled, warned) = (try check(["--speed", "1x", "--scale-ttl"]), try check(["--speed", "10x"]))
            #expect(unscaled.isEmpty && warned.contains("the target has ttl_speed 1, "))
            #expect(throws: CommandFailure.self) { try check(["--speed", "10x", "--scale-ttl"]) }
            #expect(throws: CommandFailure.self) { try check(["--speed", "2.5x", "--scale-ttl"]) }
            #expect(throws: CommandFailure.self) { try check(["--rate", "10/s", "--scale-ttl"]) }
        }
    }
}
