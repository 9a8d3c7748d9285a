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
            // A URL has no such bytes: a recorder writes them percent-encoded.
            exchange.target.removeAll { $0 == "\"" || $0 == "\\" }
            let body = exchange.isPersonal ? nil : ExchangeGenerator.body(&random)
            if let body, !body.isEmpty {
                exchange.body = BodyHash(of: body)
                exchange.length = body.count
            }
            written.append((exchange, exchange.body == nil ? nil : body))
        }
        let file = Self.har(written)
        let reader = try RecordingReader(path: folder.put(file, "r.har"))
        let read = try reader.rest()
        #expect(read == written.map(\.0), "seed \(seed)")
        #expect(reader.warnings.isEmpty && reader.header.sampling == 0.25, "seed \(seed)")
        #expect(reader.header.started.microseconds == 1_795_305_600_000_000)
        for (exchange, body) in written {
            #expect(try exchange.body.flatMap { try reader.bodies.content(of: $0) } == body, "seed \(seed)")
        }
    }

    /// These are the members that HAR 1.2 requires
    /// (http://www.softwareishard.com/blog/har-12-spec/); others begin with `_`. `time` is the sum
    /// of the timings.
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
        let log = try JSON.parse(file)["log"]
        #expect(log?["version"] == "1.2" && log?["creator"] == ["name": "refrain", "version": "1.2.3"])
        let entries = log?["entries"]
        #expect(
            entries?[0] == [
                "startedDateTime": "2026-11-22T00:00:00.123456Z", "time": .number("12.345678000"),
                "request": [
                    "method": "GET",
                    "url": "https://api.music.apple.com/v1/catalog/us/albums/1?include=artists",
                    "httpVersion": "HTTP/1.1", "cookies": [],
                    "headers": [["name": "accept-language", "value": "de"]],
                    "queryString": [["name": "include", "value": "artists"]], "headersSize": -1, "bodySize": 0,
                ],
                "response": [
                    "status": 200, "statusText": "OK", "httpVersion": "HTTP/1.1", "cookies": [],
                    "headers": [["name": "content-type", "value": "application/json"]],
                    "content": ["size": 2, "mimeType": "application/json", "text": "{}"], "redirectURL": "",
                    "headersSize": -1, "bodySize": 2,
                ],
                "cache": [:],
                "timings": [
                    "blocked": -1, "dns": -1, "connect": -1, "ssl": -1, "send": 0, "wait": .number("12.345678000"),
                    "receive": 0,
                ],
                "_refrain": ["offset": .number("1.500000001"), "bytes": 2],
            ])
        #expect(
            entries?[1]?["response"]?["content"]
                == ["size": 9, "mimeType": "x-unknown", "comment": "one user's: not recorded"])
        #expect(entries?[1]?["_refrain"]?["personal"] == true)
        #expect(entries?[2]?["response"]?["content"]?["encoding"] == "base64")
    }
}

/// The importer of Chromium's developer tools reads HAR files of this program, and this program
/// reads theirs.
@Suite(.requires(.browser))
struct HARInBrowserTests {
    private static let module = "import('devtools://devtools/bundled/models/har/har.js')"

    private static let bodies: [[UInt8]] = [Array("{\"name\":\"Motörhead \u{1F3B5}\"}".utf8), [0x89, 0xFF, 0x00]]

    private static func exchanges() -> [(RecordedExchange, [UInt8]?)] {
        bodies.enumerated().map { number, body in
            let exchange = RecordedExchange.example {
                $0.time = Timestamp(microseconds: 1_795_305_600_000_000 + Int64(number) * 2_000_000)
                $0.target = "/v1/catalog/us/albums/\(number)?include=artists"
                $0.requestFields = [RecordedField("accept-language", "de")]
                $0.fields = [RecordedField("content-type", "application/json"), RecordedField("etag", "\"\(number)\"")]
                $0.length = body.count
                $0.body = BodyHash(of: body)
            }
            return (exchange, body)
        }
    }

    @Test func developerToolsOpenAndExportTheFile() throws {
        let browser = try HeadlessBrowser()
        try browser.attach(to: "devtools://devtools/bundled/inspector.html")
        let file = Data(HARWriterTests.har(Self.exchanges())).base64EncodedString()
        _ = try browser.evaluate(
            """
            \(Self.module).then(har => {
                window.requests = har.Importer.Importer.requestsFromHARLog(
                    new har.HARFormat.HARRoot(JSON.parse(new TextDecoder().decode(Uint8Array.from(atob("\(file)"), c => c.charCodeAt(0))))).log)
            })
            """)
        #expect(try browser.text("requests.length") == "2")
        let first = try browser.text(
            "[requests[0].requestMethod, requests[0].url(), requests[0].statusCode, requests[0].mimeType].join(' ')")
        #expect(
            first == "GET https://api.music.apple.com/v1/catalog/us/albums/0?include=artists 200 application/json")
        let duration = try #require(Double(try browser.text("requests[0].duration")))
        #expect(abs(duration - 0.012345678) < 0.000_01)
        let text = try browser.evaluate("requests[0].requestContentData().then(data => data.text)") as? String
        #expect(text.map { Array($0.utf8) } == Self.bodies[0])
        let base64 = try browser.evaluate("requests[1].requestContentData().then(data => data.base64)") as? String
        #expect(base64.flatMap { Base64.standard.decode(Array($0.utf8).span) } == Self.bodies[1])
        let export = try #require(
            try browser.evaluate(
                "\(Self.module).then(har => har.Log.Log.build(requests, {sanitize: false})).then(log => JSON.stringify({log}))"
            ) as? String)
        #expect(export.contains("WebInspector"))
        try Self.expectRead(export)
    }

    private static func expectRead(_ export: String) throws {
        let read = try TemporaryFolder().read(export)
        #expect(read.warnings.isEmpty)
        #expect(read.exchanges.map(\.target) == exchanges().map(\.0.target))
        #expect(read.exchanges.map(\.offset) == [.zero, .seconds(2)])
        #expect(
            read.exchanges.allSatisfy {
                $0.status == 200 && $0.requestFields == [RecordedField("accept-language", "de")]
            })
        #expect(read.exchanges.map { $0.field("etag") } == ["\"0\"", "\"1\""])
        for exchange in read.exchanges {
            let milliseconds = exchange.latency / .milliseconds(1)
            #expect(abs(milliseconds - 12.345678) < 0.01)
        }
    }
}
