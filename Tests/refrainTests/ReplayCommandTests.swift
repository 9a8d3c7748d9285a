import Foundation
import Recording
import TestSupport
import Testing
import Text

@testable import refrain

/// The command against a demonstration: the real proxy in front of the simulated API.
@Suite struct ReplayCommandTests {
    private static func recording(_ targets: [String], status: Int = 200) throws -> String {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).jsonl").path
        var lines = RecordingHeader(started: .now(), program: "test").line
        for (index, target) in targets.enumerated() {
            lines +=
                RecordedExchange(
                    time: .now(), offset: .milliseconds(5 * index), method: "GET", target: target, status: status,
                    latency: .zero, length: 0
                ).line
        }
        try Data(lines).write(to: URL(fileURLWithPath: path))
        return path
    }

    @Test func aReplayAgainstTheProxySaysWhatItsCacheDid() async throws {
        let demo = try RunningDemo()
        defer { demo.stop() }
        let (album, port) = (demo.album, demo.port)
        try await onThread {
            let path = try Self.recording(Array(repeating: album, count: 40))
            defer { try? FileManager.default.removeItem(atPath: path) }
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

    @Test func aMissedThresholdIsAFailure() async throws {
        let demo = try RunningDemo()
        defer { demo.stop() }
        let (album, port) = (demo.album, demo.port)
        try await onThread {
            let path = try Self.recording([album], status: 404)
            defer { try? FileManager.default.removeItem(atPath: path) }
            let result = run(
                "replay", path, "--target", "http://127.0.0.1:\(port)", "--connections", "1", "--fail-if", "diff>0")
            #expect(result.status == 1 && result.standard.contains("FAILED") && result.standard.contains("status"))
        }
    }

    /// It was a success with 0 answers.
    @Test func aRunWithoutAnyAnswerIsAFailure() async throws {
        try await onThread {
            let path = try Self.recording(["/v1/a", "/v1/b"])
            defer { try? FileManager.default.removeItem(atPath: path) }
            // Reads each request, and closes without an answer.
            let silent = try ScriptedOrigin([.request, .close])
            defer { silent.stop() }
            let result = run(
                "replay", path, "--target", "http://127.0.0.1:\(silent.port)", "--json"
            )
            #expect(result.status == 1 && result.error.contains("no request was answered"), "\(result.error)")
        }
    }

    /// They were found to be unwritable when the run was over.
    @Test func reportsThatCannotBeWrittenAreKnownBeforeTheRun() throws {
        let path = try Self.recording(["/v1/a"])
        defer { try? FileManager.default.removeItem(atPath: path) }
        let words = ["refrain", "replay", path, "--target", "http://127.0.0.1:1", "--html"]
        for (file, problem) in [("/nowhere/a.html", "cannot write /nowhere/a.html: "), (path, "is the recording")] {
            let captured = CapturedOutput()
            #expect(CommandLineTool.run(words + [file], output: captured.output, files: .system) != 0)
            #expect(captured.error.contains(problem), "\(captured.error)")
        }
    }

    @Test func aRecordingThatIsNoneIsAnErrorWithItsLine() throws {
        let path = try Self.recording(["/a"])
        defer { try? FileManager.default.removeItem(atPath: path) }
        try Data("{\"refrain_recording\":1}\n".utf8).write(to: URL(fileURLWithPath: path))
        let result = run("replay", path, "--target", "http://127.0.0.1:1")
        #expect(result.status == 1 && result.error.hasPrefix("refrain: \(path):1: started is not a time"))
        #expect(run("replay", "/nowhere", "--target", "http://127.0.0.1:1").error.contains("No such file"))
    }
}
