import TestSupport

@testable import Recording
@testable import Traffic

/// A recording in a folder of its own, as the recorder writes them.
final class TestRecording {
    let path: String
    private let folder: TemporaryFolder

    /// - Parameter bodies: recorded contents by the target that they answer.
    init(_ exchanges: [RecordedExchange], bodies: [String: String] = [:]) throws {
        folder = try TemporaryFolder()
        var (lines, stored) = (RecordingHeader(started: .now(), program: "test").line, [UInt8]())
        for var exchange in exchanges {
            if let body = bodies[exchange.target], let hash = BodyHash(of: Array(body.utf8)) {
                exchange.body = hash
                exchange.length = body.utf8.count
                stored += RecordedBodies.record(hash, Array(body.utf8))
            }
            lines += exchange.line
        }
        path = try folder.put(lines)
        if !stored.isEmpty { try folder.put(stored, RecordedBodies.path(beside: "traffic.jsonl")) }
    }

    func append(_ text: String) throws {
        try folder.put(folder.bytes() + Array(text.utf8))
    }

    /// Answered with 200, so far apart.
    static func exchanges(_ targets: [String], apart: Duration = .milliseconds(1)) -> [RecordedExchange] {
        targets.enumerated().map { index, target in
            RecordedExchange(
                time: .now(), offset: apart * index, method: "GET", target: target, status: 200, latency: .zero,
                length: 0)
        }
    }
}
