import Foundation

@testable import Recording
@testable import Traffic

/// A recording in a folder of its own, as the recorder writes them.
final class TestRecording {
    let path: String
    private let folder: URL

    /// - Parameter bodies: recorded contents by the target that they answer.
    init(_ exchanges: [RecordedExchange], bodies: [String: String] = [:]) throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("refrain-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        path = folder.appendingPathComponent("trace.jsonl").path
        var (lines, stored) = (RecordingHeader(started: .now(), program: "test").line, [UInt8]())
        for var exchange in exchanges {
            if let body = bodies[exchange.target], let hash = BodyHash(of: Array(body.utf8)) {
                exchange.body = hash
                exchange.length = body.utf8.count
                stored += RecordedBodies.record(hash, Array(body.utf8))
            }
            lines += exchange.line
        }
        try Data(lines).write(to: URL(fileURLWithPath: path))
        if !stored.isEmpty { try Data(stored).write(to: URL(fileURLWithPath: RecordedBodies.path(beside: path))) }
    }

    func append(_ text: String) throws {
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        try file.seekToEnd()
        try file.write(contentsOf: Data(text.utf8))
        try file.close()
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// Answered with 200, so far apart.
    static func exchanges(_ targets: [String], apart: Duration = .milliseconds(1)) -> [RecordedExchange] {
        targets.enumerated().map { index, target in
            RecordedExchange(
                time: .now(), offset: apart * index, method: "GET", target: target, status: 200, latency: .zero,
                length: 0)
        }
    }
}
