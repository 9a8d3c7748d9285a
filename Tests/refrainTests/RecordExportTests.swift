import Foundation
import TestSupport
import Testing
import Text

@testable import Recording
@testable import refrain

@Suite struct RecordExportTests {
    /// A recording of this many exchanges with a body each.
    private static func recording(_ folder: URL, _ count: Int) throws -> String {
        let path = folder.appendingPathComponent("traffic.jsonl").path
        let writer = try RecordingWriter(
            RecordingSettings(path: path),
            header: RecordingHeader(started: Timestamp(microseconds: 1_795_305_600_000_000), program: "test"))
        for number in 0..<count {
            let body = Array("{\"data\":[\(number)]}".utf8)
            var exchange = RecordedExchange(
                time: Timestamp(microseconds: 1_795_305_600_000_000 + Int64(number)), offset: .microseconds(number),
                method: "GET", target: "/v1/catalog/us/songs/\(number)", status: 200, latency: .milliseconds(1),
                length: body.count)
            exchange.body = BodyHash(of: body)
            writer.append(exchange) { body }
        }
        writer.flush()
        return path
    }

    /// The file was written, and only its readers were told.
    @Test func aFileThatCannotBeReadAgainIsAWarning() {
        #expect(RecordExport.warnings("out.har", HARWriter.mostReadable).isEmpty)
        let warnings = RecordExport.warnings("out.har", HARWriter.mostReadable + 1)
        #expect(
            warnings.count == 1 && warnings[0].hasPrefix("out.har: 268435457 bytes; ")
                && warnings[0].hasSuffix("256 MiB"))
    }

    @Test func aRecordingBecomesHARAndBack() throws {
        try withTemporaryDirectory { folder in
            let recording = try Self.recording(folder, 300)
            let har = folder.appendingPathComponent("out.har").path
            let result = run("record", "export", recording, "--har", har)
            #expect(result.status == 0 && result.standard == "\(har): 300 exchanges\n", "\(result.error)")
            #expect(try RecordingReader(path: har).rest() == RecordingReader(path: recording).rest())
            let again = run("record", "export", har, "--har", "-")
            #expect(try again.standard == String(contentsOfFile: har, encoding: .utf8))
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == [
                    "out.har", "traffic.jsonl", "traffic.jsonl.bodies",
                ])
        }
    }

    @Test func onlyForceReplacesAFile() throws {
        try withTemporaryDirectory { folder in
            let recording = try Self.recording(folder, 1)
            let har = folder.appendingPathComponent("out.har").path
            try "mine".write(toFile: har, atomically: true, encoding: .utf8)
            let refused = run("record", "export", recording, "--har", har)
            #expect(refused.status == 1 && refused.error == "refrain: \(har) exists (--force replaces it)\n")
            #expect(try String(contentsOfFile: har, encoding: .utf8) == "mine")
            #expect(run("record", "export", recording, "--har", har, "--force").status == 0)
            #expect(try RecordingReader(path: har).rest().count == 1)
            #expect(run("record", "export", recording, "--har", folder.path, "--force").status == 1)
        }
    }

    @Test func anUnreadableRecordingLeavesNoFile() throws {
        try withTemporaryDirectory { folder in
            let recording = try Self.recording(folder, 400)
            let file = try FileHandle(forWritingTo: URL(fileURLWithPath: recording))
            try file.seekToEnd()
            try file.write(contentsOf: Data(String(repeating: "{\"method\":\"GET\"}\n", count: 401).utf8))
            try file.close()
            let har = folder.appendingPathComponent("out.har").path
            let result = run("record", "export", recording, "--har", har)
            #expect(result.status == 1 && result.error.hasPrefix("refrain: \(recording):402: time is not"))
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 2)
        }
    }

    @Test func aLineThatIsCutOffIsAWarning() throws {
        try withTemporaryDirectory { folder in
            let recording = try Self.recording(folder, 3)
            let bytes = try Data(contentsOf: URL(fileURLWithPath: recording))
            try bytes.dropLast(5).write(to: URL(fileURLWithPath: recording))
            let result = run("record", "export", recording, "--har", folder.appendingPathComponent("o").path)
            #expect(
                result.status == 0
                    && result.error == "refrain: warn: \(recording):4: the last line is truncated and skipped\n")
        }
    }

    @Test func wordsThatAreMissingAreUsageErrors() {
        for words in [
            ["export"], ["export", "f"], ["export", "--har", "o"], ["on", "f"], ["exprt", "f", "--har", "-"],
        ] {
            expectUsageError(["record"] + words, "refrain: record: ")
        }
    }
}
