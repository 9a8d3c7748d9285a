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

/// Exchanges for properties: whatever a recording can hold.
enum ExchangeGenerator {
    /// - Parameter number: later ones have a greater offset.
    static func exchange(_ number: Int, _ random: inout SeededGenerator) -> RecordedExchange {
        let targets = [
            "/v1/catalog/us/albums/1", "/v1/catalog/de/search?term=a%20b&types=songs,albums", "/v1/storefronts",
            "/v1/catalog/us/charts?types=songs&&a=b=c&x", "/v1/other/~thing!$'()*@:\"\\",
        ]
        var exchange = RecordedExchange(
            time: Timestamp(microseconds: 1_795_305_600_000_000 + Int64.random(in: 0...5_000_000, using: &random)),
            offset: .nanoseconds(number * 1_000_003), method: ["GET", "POST", "HEAD"].randomElement(using: &random)!,
            target: targets.randomElement(using: &random)!,
            status: [0, 200, 201, 301, 400, 404, 429, 503].randomElement(using: &random)!,
            latency: .nanoseconds(Int.random(in: 0...60_000_000_000, using: &random)),
            length: Int.random(in: 0...100_000, using: &random))
        if Bool.random(using: &random) {
            exchange.requestFields = [RecordedField("if-none-match", "\"a\""), RecordedField("accept", "a\"\\\té")]
        }
        if Bool.random(using: &random) {
            exchange.fields = [
                RecordedField("etag", "W/\"\\\(number)\""), RecordedField("content-language", "é, \u{1F3B5}"),
            ]
        }
        if Bool.random(using: &random) { exchange.upstreamLatency = .nanoseconds(number) }
        if Bool.random(using: &random) { exchange.outcome = "hit" }
        if Bool.random(using: &random) { exchange.reason = "fresh" }
        if Int.random(in: 0..<5, using: &random) == 0 {
            exchange.isPersonal = true
            exchange.requestFields = []
            exchange.target = ["/v1/me/library/{type}/{id}", "/v1/me/recent/..."].randomElement(using: &random)!
        }
        return exchange
    }

    /// Text, text with odd characters, or bytes.
    static func body(_ random: inout SeededGenerator) -> [UInt8] {
        let count = Int.random(in: 0...300, using: &random)
        switch Int.random(in: 0..<3, using: &random) {
        case 0: return Array("{\"data\":[\(count)]}".utf8)
        case 1:
            let scalars: [Unicode.Scalar] = ["a", "\"", "\\", "\u{0}", "\n", "\u{2028}", "é", "\u{1F3B5}", "\u{FEFF}"]
            var text = ""
            for _ in 0..<count { text.unicodeScalars.append(scalars.randomElement(using: &random)!) }
            return Array(text.utf8)
        default: return (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
        }
    }
}
