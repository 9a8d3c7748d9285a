import Foundation

@testable import Recording

/// A folder of files for one test, gone with it.
final class RecordingFolder {
    let path: String

    init() throws {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("recording-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        path = url.path
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    @discardableResult
    func write(_ bytes: some Sequence<UInt8>, to name: String) throws -> String {
        let file = path + "/" + name
        try Data(bytes).write(to: URL(fileURLWithPath: file))
        return file
    }

    /// All of a file with this content.
    func read(
        _ text: String, as name: String = "file"
    ) throws -> (exchanges: [RecordedExchange], warnings: [String], bodies: RecordedBodies) {
        let reader = try RecordingReader(path: write(text.utf8, to: name))
        return (try reader.rest(), reader.warnings, reader.bodies)
    }

    /// What is said of a file with this content; nil when it is read.
    func problem(_ bytes: some Sequence<UInt8>) throws -> String? {
        let file = try write(bytes, to: "f")
        do {
            _ = try RecordingReader(path: file).rest()
            return nil
        } catch {
            return "\(error)".replacingOccurrences(of: file, with: "f")
        }
    }

    func problem(_ text: String) throws -> String? { try problem(text.utf8) }
}

extension RecordedExchange {
    static func example(_ change: (inout RecordedExchange) -> Void = { _ in }) -> RecordedExchange {
        var exchange = RecordedExchange(
            time: Timestamp(microseconds: 1_795_305_600_123_456), offset: .nanoseconds(1_500_000_001), method: "GET",
            target: "/v1/catalog/us/albums/1?include=artists", status: 200, latency: .nanoseconds(12_345_678),
            length: 0)
        change(&exchange)
        return exchange
    }
}
