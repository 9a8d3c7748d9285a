import TestSupport
import Testing
import Text

@testable import Recording
@testable import refrain

@Suite struct RecordExportTests {
    private let folder: TemporaryFolder
    private let har: String

    init() throws {
        folder = try TemporaryFolder()
        har = folder.file("out.har")
    }

    /// A recording of this many exchanges with a body each.
    private func recording(_ count: Int) throws -> String {
        let started = Timestamp(microseconds: 1_795_219_200_000_000)
        let writer = try RecordingWriter(
            RecordingSettings(path: folder.file()), header: RecordingHeader(started: started, program: "test"))
        for number in 0..<count {
            let body = Array("{\"data\":[\(number)]}".utf8)
            var exchange = RecordedExchange.of(
                "/v1/catalog/us/songs/\(number)", at: .microseconds(number), latency: .milliseconds(1),
                length: body.count)
            exchange.body = BodyHash(of: body)
            writer.append(exchange) { body }
        }
        writer.flush()
        return folder.file()
    }

    private func export(_ recording: String, _ more: String...) -> RunResult {
        run(["record", "export", recording, "--har", har] + more)
    }

    /// The file was written, and only its readers were told.
    @Test func aFileThatCannotBeReadAgainIsAWarning() {
        #expect(RecordExport.warnings("out.har", HARWriter.mostReadable).isEmpty)
        let warnings = RecordExport.warnings("out.har", HARWriter.mostReadable + 1)
        #expect(warnings.count == 1 && warnings[0].hasPrefix("out.har: 268435457 bytes; "))
        #expect(warnings[0].hasSuffix("256 MiB"))
    }

    @Test func aRecordingBecomesHARAndBack() throws {
        let recording = try recording(300)
        let result = export(recording)
        #expect(result.status == 0 && result.standard == "\(har): 300 exchanges\n", "\(result.error)")
        #expect(try RecordingReader(path: har).rest() == RecordingReader(path: recording).rest())
        let again = run("record", "export", har, "--har", "-")
        #expect(try Array(again.standard.utf8) == folder.bytes("out.har"))
        #expect(try folder.names == ["out.har", "traffic.jsonl", "traffic.jsonl.bodies"])
    }

    @Test func onlyForceReplacesAFile() throws {
        let recording = try recording(1)
        try folder.put("mine".utf8, "out.har")
        let refused = export(recording)
        #expect(refused.status == 1 && refused.error == "refrain: \(har) exists (--force replaces it)\n")
        #expect(try folder.bytes("out.har") == Array("mine".utf8))
        #expect(export(recording, "--force").status == 0)
        #expect(try RecordingReader(path: har).rest().count == 1)
        #expect(run("record", "export", recording, "--har", folder.path, "--force").status == 1)
    }

    @Test func anUnreadableRecordingLeavesNoFile() throws {
        let recording = try recording(400)
        try folder.put(folder.bytes() + String(repeating: "{\"method\":\"GET\"}\n", count: 401).utf8)
        let result = export(recording)
        let words = ":402: 401 of 801 lines cannot be read, the first: time is missing"
        #expect(result.status == 1 && result.error.hasPrefix("refrain: \(recording)" + words), "\(result.error)")
        #expect(try folder.names.count == 2)
    }

    @Test func aLineThatIsCutOffIsAWarning() throws {
        let recording = try recording(3)
        try folder.put(folder.bytes().dropLast(5))
        let result = export(recording)
        #expect(result.status == 0)
        #expect(result.error == "refrain: warn: \(recording):4: the last line is truncated and skipped\n")
    }
}
