import Foundation
import TestSupport
import Testing
import Text

@testable import Recording
@testable import Traffic
@testable import refrain

/// A run of one request, half a second late and answered at once.
private enum SyntheticEnding {
    static var result: ReplayResult {
        var result = ReplayResult(file: "a", target: "b", pace: "1/s", connections: 1, started: .now())
        (result.sent, result.answered, result.elapsed) = (1, 1, .seconds(1))
        result.lag.record(nanoseconds: 500_000_000)
        result.corrected.record(nanoseconds: 500_000_001)
        result.withoutLag.record(nanoseconds: 1)
        return result
    }
}

/// The command against a demonstration: the real proxy in front of the simulated API.
@Suite struct ReplayCommandTests {
    /// In a folder that goes with the test.
    private static func recording(_ targets: [String], status: Int = 200) throws -> TemporaryFolder {
        var lines = RecordingHeader(started: .now(), program: "test").line
        for (index, target) in targets.enumerated() {
            lines +=
                RecordedExchange(
                    time: .now(), offset: .milliseconds(5 * index), method: "GET", target: target, status: status,
                    latency: .zero, length: 0
                ).line
        }
        let folder = try TemporaryFolder()
        try folder.put(lines)
        return folder
    }

    @Test func aReplayAgainstTheProxySaysWhatItsCacheDid() async throws {
        let demo = try RunningDemo()
        defer { demo.stop() }
        let (album, port) = (demo.album, demo.port)
        try await onThread {
            let folder = try Self.recording(Array(repeating: album, count: 40))
            let path = folder.file()
            let files = MemoryFiles()
            let text = run("replay", path, "--target", "http://127.0.0.1:\(port)", "--connections", "1", files: files)
            #expect(text.status == 0 && text.standard.contains("answered 40") && text.standard.contains("hit"))
            let result = run(
                "replay", path, "--target", "http://127.0.0.1:\(port)", "--connections", "2", "--json", "--fail-if",
                "hit<0.9")
            let json = try JSON.parse(Array(result.standard.utf8))
            #expect(result.status == 0 && json["answered"] == 40 && json["outcomes"]?["hit"] == 40)
        }
    }

    @Test func aCacheIsWarmedOnceAndThenHasIt() async throws {
        let demo = try RunningDemo()
        defer { demo.stop() }
        let (album, port) = (demo.album, demo.port)
        try await onThread {
            let folder = try Self.recording([album, album + "?l=de", album, "/v1/me/library/songs"])
            let words = [
                "replay", folder.file(), "--target", "http://127.0.0.1:\(port)", "--warm", "--rate", "100/s", "--json",
            ]
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
        var result = SyntheticEnding.result
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
        try await onThread {
            let folder = try Self.recording(["/v1/a", "/v1/b"])
            let path = folder.file()
            // Reads each request, and closes without an answer.
            let silent = try ScriptedOrigin([.request, .close])
            defer { silent.stop() }
            let result = run(
                "replay", path, "--target", "http://127.0.0.1:\(silent.port)", "--json"
            )
            #expect(result.status == 1 && result.error.contains("no request was answered"), "\(result.error)")
        }
    }

    /// The files were found to be unwritable when the run was over.
    @Test func reportsThatCannotBeWrittenAreKnownBeforeTheRun() throws {
        let folder = try Self.recording(["/v1/a"])
        let path = folder.file()
        let words = ["replay", path, "--target", "http://127.0.0.1:1", "--html"]
        for (file, problem) in [("/nowhere/a.html", "cannot write /nowhere/a.html: "), (path, "is the recording")] {
            let result = run(words + [file], files: .system)
            #expect(result.status != 0 && result.error.contains(problem), "\(result.error)")
        }
    }

    @Test func anInvalidRecordingIsAnErrorWithItsLine() throws {
        let folder = try Self.recording(["/a"])
        let path = folder.file()
        try folder.put("{\"refrain_recording\":1}\n".utf8)
        let result = run("replay", path, "--target", "http://127.0.0.1:1")
        #expect(result.status == 1 && result.error.hasPrefix("refrain: \(path):1: started is not a time"))
        #expect(run("replay", "/nowhere", "--target", "http://127.0.0.1:1").error.contains("No such file"))
    }
}
