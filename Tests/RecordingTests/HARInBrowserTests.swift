import Foundation
import TestSupport
import Testing
import Text

@testable import Recording

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
