import TestSupport
import Testing
import Text

@testable import Recording

/// Whatever a file holds, reading it ends with exchanges or with an error that names the file; and
/// no exchange can break out of the line or the head that it is written into.
@Suite struct HostileRecordingsTests {
    private static func native(_ random: inout SeededGenerator) -> [UInt8] {
        RecordingHeader(started: Timestamp(microseconds: 0), program: "refrain").line
            + (0..<3).flatMap { ExchangeGenerator.exchange($0, &random).line }
    }

    private static func har(_ random: inout SeededGenerator) -> [UInt8] {
        HARWriterTests.har(
            (0..<3).map { number in
                var exchange = ExchangeGenerator.exchange(number, &random)
                let body = ExchangeGenerator.body(&random)
                exchange.body = BodyHash(of: body)
                return (exchange, body)
            })
    }

    private static func index(_ random: inout SeededGenerator) -> [UInt8] {
        (0..<3).flatMap { number in
            let exchange = ExchangeGenerator.exchange(number, &random)
            let line = #"{"path":"\#(exchange.method)","query":"a=b","status":200,"headers":{"ETag":"x"},"#
            return Array((line + #""body":{"a":1},"also_requests":[{"path":"/v1/x"}],"file":null}"# + "\n").utf8)
        }
    }

    /// Texts that readers have stumbled over elsewhere.
    private static let splinters: [[UInt8]] =
        [
            "\r\n", "\\r\\n", "\\n", "\\u0000", "\u{0}", "\\ud800", "\"", "{", "}", "[", "]", ",", ":", "-1", "1e999",
            "NaN",
            "null", "true", "99999999999999999999", "0.", "/../", "\u{FEFF}", "\\", "{\"log\":", "\n", "\"dropped\":5,",
        ].map { Array($0.utf8) } + [[0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80]]

    private static func damaged(_ bytes: [UInt8], _ random: inout SeededGenerator) -> [UInt8] {
        var bytes = bytes
        for _ in 0...Int.random(in: 0...4, using: &random) {
            guard !bytes.isEmpty else { return bytes }
            let place = Int.random(in: 0..<bytes.count, using: &random)
            switch Int.random(in: 0..<5, using: &random) {
            case 0: bytes.removeLast(bytes.count - place)
            case 1: bytes[place] = UInt8.random(in: 0...255, using: &random)
            case 2: bytes.insert(contentsOf: splinters.randomElement(using: &random)!, at: place)
            case 3: bytes.removeSubrange(place..<min(bytes.count, place + Int.random(in: 1...40, using: &random)))
            default:
                let splinter = splinters.randomElement(using: &random)!
                bytes.replaceSubrange(place..<min(bytes.count, place + splinter.count), with: splinter)
            }
        }
        return bytes
    }

    @Test(arguments: 0..<TestSize.of(10, full: 30))
    func damagedFilesAreReadOrRefused(seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        let folder = try TemporaryFolder()
        for _ in 0..<8 {
            for make in [Self.native, Self.har, Self.index] {
                let file = try folder.put(Self.damaged(make(&random), &random), "f")
                try folder.put(Self.damaged(Self.bodies, &random), "f.bodies")
                do {
                    let reader = try RecordingReader(path: file)
                    for exchange in try reader.rest() {
                        Self.check(exchange, seed)
                        if let body = exchange.body { _ = try? reader.bodies.content(of: body) }
                    }
                    for warning in reader.warnings { #expect(warning.hasPrefix(folder.path), "seed \(seed)") }
                } catch {
                    #expect("\(error)".hasPrefix(folder.path + "/f"), "seed \(seed): \(error)")
                    #expect("\(error)".utf8.count < folder.path.utf8.count + 400, "seed \(seed): \(error)")
                }
            }
        }
    }

    private static let bodies: [UInt8] = ["one", "two"].flatMap { text in
        let bytes = Array(text.utf8)
        return BodyHash(of: bytes).map { RecordedBodies.record($0, bytes) } ?? []
    }

    private static func check(_ exchange: RecordedExchange, _ seed: Int) {
        let line = exchange.line
        #expect(line.filter { $0 == 0x0A }.count == 1, "seed \(seed)")
        #expect(exchange.offset >= .zero && exchange.latency >= .zero && (exchange.length ?? 0) >= 0, "seed \(seed)")
        for text in [exchange.method, exchange.target] {
            #expect(text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }, "seed \(seed)")
        }
        for field in exchange.requestFields + exchange.fields {
            #expect(!field.value.utf8.contains { $0 == 0x0D || $0 == 0x0A || $0 == 0 }, "seed \(seed)")
            #expect(RecordedFields.ofRequests.union(RecordedFields.ofAnswers).contains(field.name), "seed \(seed)")
        }
    }
}
