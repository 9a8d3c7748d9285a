import Foundation
import TestSupport
import Testing
import Text

@testable import Recording
@testable import Traffic
@testable import refrain

/// The command against a demonstration: the real proxy in front of the simulated API.
@Suite(.timeLimit(.minutes(10))) struct ReplayCommandTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static func words(_ port: some BinaryInteger) -> [String] { ["--target", "http://127.0.0.1:\(port)"] }

    private func recording(_ targets: [String]) throws -> String {
        try folder.record(
            targets.enumerated().map { RecordedExchange.of($0.element, at: .milliseconds(5 * $0.offset)) })
    }

    @Test func aReplayAgainstTheProxySaysWhatItsCacheDid() async throws {
        let demo = try RunningDemo()
        defer { demo.stop() }
        let words = ["replay", try recording(Array(repeating: demo.album, count: 40))] + Self.words(demo.port)
        try await onThread {
            let text = run(words + ["--connections", "1"])
            #expect(text.status == 0 && text.standard.contains("answered 40") && text.standard.contains("hit"))
            let result = run(words + ["--connections", "2", "--json", "--fail-if", "hit<0.9"])
            let json = try JSON.parse(Array(result.standard.utf8))
            #expect(result.status == 0 && json["answered"] == 40 && json["outcomes"]?["hit"] == 40)
        }
    }

    @Test func aCacheIsWarmedOnceAndThenHasIt() async throws {
        let demo = try RunningDemo()
        defer { demo.stop() }
        let path = try recording([demo.album, demo.album + "?l=de", demo.album, "/v1/me/library/songs"])
        let words = ["replay", path, "--warm", "--rate", "100/s", "--json"] + Self.words(demo.port)
        try await onThread {
            for (stored, hits) in [(2, 0), (0, 2)] {
                let result = run(words)
                let json = try JSON.parse(Array(result.standard.utf8))
                #expect(result.status == 0 && json["distinct"] == 2 && json["asked"] == 2, "\(result.standard)")
                #expect(json["stored"]?.intValue == stored && json["hits"]?.intValue == hits, "\(result.standard)")
                #expect(json["skipped"]?["personal"] == 1)
            }
        }
    }

    /// An invalid run ended like one that had failed: nothing said whether to run it again.
    @Test func anInvalidRunHasAStatusOfItsOwn() throws {
        // One request, half a second late and answered at once.
        var result = ReplayResult(file: "a", target: "b", pace: "1/s", connections: 1, started: .now())
        (result.sent, result.answered, result.elapsed) = (1, 1, .seconds(1))
        result.lag.record(nanoseconds: 500_000_000)
        result.corrected.record(nanoseconds: 500_000_001)
        result.withoutLag.record(nanoseconds: 1)
        func status(_ texts: [String], wasStopped: Bool = false) throws -> refrain.ExitStatus {
            let verdicts = try texts.map { try Threshold($0).verdict(on: result) }
            result.judge(verdicts)
            return Replay.Ending(result: result, wasStopped: wasStopped).status(verdicts)
        }
        #expect(try status([]) == .invalidRun && status(["p50>1ms"]) == .invalidRun)
        #expect(try status(["p50>1s"]) == .done && status(["errors>0"]) == .done)
        #expect(try status(["p50>1ms", "rate<1000"]) == .failed && status([], wasStopped: true) == .failed)
        #expect(refrain.ExitStatus.invalidRun.rawValue == 3)
    }

    /// Such a run was a success with 0 answers.
    @Test func aRunWithoutAnyAnswerIsAFailure() async throws {
        let path = try recording(["/v1/a", "/v1/b"])
        // Reads each request, and closes without an answer.
        let silent = try ScriptedOrigin([.request, .close])
        defer { silent.stop() }
        let words = ["replay", path, "--json"] + Self.words(silent.port)
        try await onThread {
            let result = run(words)
            #expect(result.status == 1 && result.error.contains("no request was answered"), "\(result.error)")
        }
    }

    /// The files were found to be unwritable when the run was over.
    @Test func reportsThatCannotBeWrittenAreKnownBeforeTheRun() throws {
        let path = try recording(["/v1/a"])
        for (file, problem) in [("/nowhere/a.html", "cannot write /nowhere/a.html: "), (path, "is the recording")] {
            let result = run(["replay", path] + Self.words(1) + ["--html", file], files: .system)
            #expect(result.status != 0 && result.error.contains(problem), "\(result.error)")
        }
    }

    @Test func anInvalidRecordingIsAnErrorWithItsLine() throws {
        let path = try folder.put("{\"refrain_recording\":1}\n".utf8)
        let result = run(["replay", path] + Self.words(1))
        #expect(result.status == 1 && result.error.hasPrefix("refrain: \(path):1: started is not a time"))
        #expect(run(["replay", "/nowhere"] + Self.words(1)).error.contains("No such file"))
    }
}

@Suite(.timeLimit(.minutes(10))) struct ReplayOptionsTests {
    private static func options(_ words: String...) throws -> ReplayOptions {
        try ReplayOptions(OptionParser.parse(["trace.jsonl", "--target", "http://127.0.0.1:1"] + words, for: .replay))
    }

    @Test func thePaceSaysWhatConnectionsMean() throws {
        #expect(try Self.options().plan.pace == .recorded(speed: 1))
        #expect(try Self.options().plan.connections == 256)
        let closed = try Self.options("--connections", "8").plan
        #expect(closed.pace == .closed && closed.connections == 8)
        let rate = try Self.options("--connections", "8", "--rate", "50/s").plan
        #expect(rate.pace == .rate(RequestRate(perSecond: 50)) && rate.connections == 8)
        let speed = try Self.options("--connections", "8", "--speed", "2.5x").plan
        #expect(speed.pace == .recorded(speed: 2.5) && speed.connections == 8)
    }

    /// It ran, and had nothing to send.
    @Test func aMethodThatIsNeverSentAgainWasTaken() throws {
        let failure = try #require(throws: CommandFailure.self) { try Self.options("--method", "POST") }
        #expect(failure == .usage("--method: \"POST\" is not GET or HEAD: no other requests are sent again"))
    }

    @Test func filtersAndThresholdsAreRead() throws {
        let options = try Self.options(
            "--only", "/v1/catalog/us/", "--skip", "/v1/catalog/us/search", "--method", "get", "--status", "4xx",
            "--status", "200", "--outcome", "stale-if-error", "--storefront", "US", "--fail-if", "diff>0", "--fail-if",
            "p99>50ms", "--duration", "1m", "--loop", "--timeout", "5s")
        let filter = options.plan.filter
        #expect(filter.only == ["/v1/catalog/us/"] && filter.skip == ["/v1/catalog/us/search"])
        #expect(filter.methods == ["GET"] && filter.statuses == [4, 200] && filter.storefronts == ["us"])
        #expect(filter.outcomes == ["stale-if-error"] && options.thresholds.map(\.text) == ["diff>0", "p99>50ms"])
        // A threshold on differences needs the comparison.
        #expect(options.verifies && options.plan.repeats && options.plan.timeout == .seconds(5))
        #expect(try Self.options("--fail-if", "p99>50ms").verifies == false)
    }

    @Test(arguments: [
        (["--rate", "5/s", "--speed", "2x"], "--rate and --speed both set the pace; give one of them"),
        (["--loop"], "--loop requires --duration"),
        (["--speed", "10"], "\"10\" is not a speed such as 10x or 0.5x"),
        (["--speed", "0x"], "\"0x\" is not a speed such as 10x or 0.5x"),
        (["--rate", "0/s"], "\"0/s\" is not a rate such as 20/s, 0.5/s or 30/m"),
        (["--connections", "0"], "\"0\" is not a number from 1 to 10000"),
        (["--status", "4x"], "\"4x\" is not a status such as 404 or 4xx"),
        (["--outcome", "hot"], "\"hot\" is none of hit, composed"),
        (["--only", "v1"], "--only and --skip take the beginning of a path"),
        (["--fail-if", "p99"], "\"p99\" has no comparison"),
        (["--ca-file", "ca.pem"], "--ca-file is for a target that begins with https://"),
        (["--header", "Authorization: Bearer x"], "authorization is a secret; put it into a file for --header-file"),
        (["--header", "music-user-token:x"], "music-user-token is a secret"),
        (["--header", "Content-Length: 5"], "content-length cannot be set by a replay"),
        (["--warm", "--speed", "2x"], "--warm fills a cache and measures nothing; --speed has no effect with it"),
        (["--warm", "--verify"], "--verify has no effect with it"),
        (["--header", "no colon"], "not of the form 'Name: value'"),
    ]) func contradictingOptionsAreUsageErrors(_ words: [String], _ message: String) {
        let result = run(["replay", "trace.jsonl", "--target", "http://127.0.0.1:1"] + words)
        #expect(result.status == 2 && result.error.contains(message) && !result.error.contains("Bearer"))
    }

    @Test func aWarmingIsSlowUnlessItIsTold() throws {
        func options(_ words: String...) throws -> WarmOptions {
            try WarmOptions(
                OptionParser.parse(["trace.jsonl", "--warm", "--target", "http://127.0.0.1:1"] + words, for: .replay))
        }
        let usual = try options()
        #expect(
            usual.rate == RequestRate(perSecond: 4) && usual.plan.connections == 4
                && usual.plan.filter.methods == ["GET"])
        let told = try options("--rate", "20/s", "--connections", "8", "--status", "200", "--json")
        #expect(
            told.rate == RequestRate(perSecond: 20) && told.plan.connections == 8 && told.plan.filter.statuses == [200]
                && told.isJSON)
        let folder = try TemporaryFolder()
        let path = try folder.put("Music-User-Token: abc\n", "fields", mode: 0o600)
        #expect(throws: CommandFailure.self) { try options("--header-file", path) }
    }

    @Test func fileAndTargetAreNeeded() {
        #expect(run("replay", "--target", "http://127.0.0.1:1").status == 2)
        #expect(run("replay", "trace.jsonl").error.contains("--target URL is missing"))
        #expect(run("replay", "compare", "a.json").error.contains("compare needs two results"))
        #expect(run("replay", "compare", "a", "b", "--rate", "5/s").error.contains("--rate has no effect"))
        #expect(run("replay", "compare", "a", "b").error == "refrain: cannot read a: No such file or directory\n")
    }

    @Test func secretsComeFromAFileThatNobodyElseReads() throws {
        let folder = try TemporaryFolder()
        let path = try folder.put("Authorization: Bearer abc\n\nAccept-Language: de\n", "fields", mode: 0o600)
        let fields = try Self.options("--header-file", path, "--header", "X-Run: 1").plan.fields
        #expect(fields.map(\.name) == ["x-run", "authorization", "accept-language", "user-agent"])
        #expect(fields[1].value == "Bearer abc")
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
        #expect(throws: CommandFailure.self) { try Self.options("--header-file", path) }
    }
}

@Suite(.timeLimit(.minutes(10))) struct ReplayProgressTests {
    private static let half = Replay.Progress(
        elapsed: .seconds(10), sent: 500, answered: 490, failed: 3, p99: 12_340_000)

    @Test func theLineSaysHowFarItIs() {
        let progress = ReplayProgress(planned: 1000, expected: .seconds(20))
        #expect(progress.text(Self.half) == "500 of 1000 sent, 49/s, p99 12.3 ms, 3 failed, 10 s left")
        #expect(ReplayProgress(planned: nil, expected: .seconds(40)).share(Self.half) == 0.25)
        #expect(ReplayProgress(planned: nil, expected: nil).share(Self.half) == nil)
    }

    /// Reading a large recording said nothing for minutes.
    @Test func readingALargeFileSaysHowFarItIs() {
        let captured = CapturedOutput()
        let line = ProgressLine(captured.output, width: nil, every: .zero)
        line.show("reading a.jsonl: 5 %")
        line.end()
        #expect(captured.error == "refrain: reading a.jsonl: 5 %\n")
        let drawn = CapturedOutput()
        let terminal = ProgressLine(drawn.output, width: 12, every: .zero)
        terminal.show("reading a.jsonl: 5 %")
        terminal.end()
        #expect(drawn.error.hasPrefix("\rreading ") && drawn.error.hasSuffix("\u{1B}[K\r\u{1B}[K"))
        let short = CapturedOutput()
        ProgressLine(short.output, width: nil, every: .seconds(3600)).show("not yet")
        #expect(short.error.isEmpty)
    }

    /// The line said "0 s left" for as long as a slow target took for its last answers.
    @Test func afterTheScheduleMissingAnswersAreCounted() {
        let progress = ReplayProgress(planned: 500, expected: .seconds(10))
        #expect(progress.text(Self.half).hasSuffix(", 3 failed, waiting for 7 answers"))
        let loop = ReplayProgress(planned: nil, expected: .seconds(10))
        let last = Replay.Progress(elapsed: .seconds(12), sent: 5, answered: 4, failed: 0)
        #expect(loop.text(last).hasSuffix(", 0 failed, waiting for 1 answer"))
        let over = Replay.Progress(elapsed: .seconds(12), sent: 5, answered: 4, failed: 1)
        #expect(loop.text(over).hasSuffix(", 1 failed"))
    }
}
