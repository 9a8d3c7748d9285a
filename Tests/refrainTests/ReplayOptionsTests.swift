import Foundation
import TestSupport
import Testing

@testable import Traffic
@testable import refrain

@Suite struct ReplayOptionsTests {
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

@Suite struct ReplayProgressTests {
    private static let half = Replay.Progress(
        elapsed: .seconds(10), sent: 500, answered: 490, failed: 3, p99: 12_340_000)

    @Test func theLineSaysHowManyWereSent() {
        let progress = ReplayProgress(planned: 1000, expected: .seconds(20))
        #expect(progress.text(Self.half) == "500 of 1000 sent, 49/s, p99 12.3 ms, 3 failed, 10 s left")
    }

    @Test func whereTheNumberIsUnknownTheTimeSaysHowFar() {
        let progress = ReplayProgress(planned: nil, expected: .seconds(40))
        #expect(progress.share(Self.half) == 0.25)
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
