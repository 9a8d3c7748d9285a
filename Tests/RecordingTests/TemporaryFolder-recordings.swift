import Foundation
import TestSupport
import Text

@testable import Recording

extension TemporaryFolder {
    /// All of a file with this content.
    func read(
        _ text: String, as name: String = "file"
    ) throws -> (exchanges: [RecordedExchange], warnings: [String], bodies: RecordedBodies) {
        let reader = try RecordingReader(path: put(text.utf8, name))
        return (try reader.rest(), reader.warnings, reader.bodies)
    }

    /// The error of a file with this content; nil when it is read.
    func problem(_ bytes: some Sequence<UInt8>) throws -> String? {
        let file = try put(bytes, "f")
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
