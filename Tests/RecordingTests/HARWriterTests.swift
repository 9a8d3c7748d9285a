import Foundation
import TestSupport
import Testing
import Text

@testable import Recording

@Suite struct HARWriterTests {
    static func har(_ exchanges: [(RecordedExchange, [UInt8]?)], sampling: Double = 0.25) -> [UInt8] {
        var writer = HARWriter()
        let header = RecordingHeader(
            started: Timestamp(microseconds: 1_795_305_600_000_000), program: "refrain 9", sampling: sampling)
        var file = writer.beginning(of: header, version: "1.2.3")
        for (exchange, body) in exchanges { file += writer.entry(exchange, body: body) }
        return file + HARWriter.end
    }

    @Test(arguments: 0..<TestSize.of(12, full: 40))
    func aReaderGetsBackWhatWasWritten(seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        let folder = try TemporaryFolder()
        var written: [(RecordedExchange, [UInt8]?)] = []
        for number in 0..<Int.random(in: 1...20, using: &random) {
            var exchange = ExchangeGenerator.exchange(number, &random)
            let body = exchange.isPersonal ? nil : ExchangeGenerator.body(&random)
            if let body, !body.isEmpty {
                exchange.body = BodyHash(of: body)
                exchange.length = body.count
            }
            written.append((exchange, exchange.body == nil ? nil : body))
        }
        let file = Self.har(written)
        try HARRules.check(JSONSerialization.jsonObject(with: Data(file)))
        let reader = try RecordingReader(path: folder.put(file, "r.har"))
        let read = try reader.rest()
        #expect(read == written.map(\.0), "seed \(seed)")
        #expect(reader.warnings.isEmpty && reader.header.sampling == 0.25, "seed \(seed)")
        #expect(reader.header.started.microseconds == 1_795_305_600_000_000)
        for (exchange, body) in written {
            #expect(try exchange.body.flatMap { try reader.bodies.content(of: $0) } == body, "seed \(seed)")
        }
    }

    @Test func theFileHasAllThatTheSpecificationRequires() throws {
        let text = Array("{}".utf8)
        let exchange = RecordedExchange.example {
            $0.requestFields = [RecordedField("accept-language", "de")]
            $0.fields = [RecordedField("content-type", "application/json")]
            $0.length = 2
            $0.body = BodyHash(of: text)
        }
        let personal = RecordedExchange.example {
            $0.target = "/v1/me/library/{type}"
            $0.isPersonal = true
            $0.length = 9
        }
        let file = Self.har([(exchange, text), (personal, nil), (exchange, [0xFF])])
        try HARRules.check(JSONSerialization.jsonObject(with: Data(file)))
        let entries = try JSON.parse(file)["log"]?["entries"]
        #expect(entries?[0]?["time"] == .number("12.345678000"))
        #expect(entries?[0]?["startedDateTime"] == "2026-11-22T00:00:00.123456Z")
        #expect(
            entries?[0]?["request"]?["url"] == "https://api.music.apple.com/v1/catalog/us/albums/1?include=artists")
        #expect(entries?[0]?["request"]?["queryString"] == [["name": "include", "value": "artists"]])
        #expect(entries?[0]?["response"]?["content"]?["mimeType"] == "application/json")
        #expect(entries?[1]?["response"]?["content"]?["text"] == nil)
        #expect(entries?[2]?["response"]?["content"]?["encoding"] == "base64")
    }

    @Test func theCheckerFindsWhatIsMissing() throws {
        let file = Self.har([(.example(), nil)])
        for (member, other) in [
            (#""version":"1.2""#, #""version":1.2"#), (#""cookies":[],"#, ""), (#""cache":{},"#, ""),
            (#""send":0,"#, ""), (#""redirectURL":"","#, ""), (#""_refrain""#, #""refrain""#),
            (#""time":12"#, #""time":13"#), ("2026-11-22T", "2026-11-22 "),
        ] {
            let broken = String(decoding: file, as: UTF8.self).replacingOccurrences(of: member, with: other)
            #expect(throws: HARRules.Violation.self, "\(member)") {
                try HARRules.check(JSONSerialization.jsonObject(with: Data(broken.utf8)))
            }
        }
    }
}
