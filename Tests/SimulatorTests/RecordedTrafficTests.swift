import AppleMusic
import Foundation
import TestSupport
import Testing
import Text

@testable import Recording
@testable import Simulator

/// Recordings of traffic, in any of their formats, as an origin.
@Suite struct RecordedTrafficTests {
    private static let started = Text.Timestamp(microseconds: 1_795_305_600_000_000)

    static func exchange(
        _ target: String, _ body: String = "", status: Int = 200, method: String = "GET", milliseconds: Int = 0,
        _ change: (inout RecordedExchange) -> Void = { _ in }
    ) -> (RecordedExchange, [UInt8]) {
        let bytes = Array(body.utf8)
        var exchange = RecordedExchange(
            time: started, offset: .zero, method: method, target: target, status: status,
            latency: .milliseconds(milliseconds), length: bytes.count)
        if !bytes.isEmpty { exchange.body = BodyHash(of: bytes) }
        change(&exchange)
        return (exchange, bytes)
    }

    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Writes a recording, or a HAR file.
    private func path(_ exchanges: [(RecordedExchange, [UInt8])], asHAR: Bool = false) throws -> String {
        let path = folder.file(UUID().uuidString)
        let header = RecordingHeader(started: Self.started, program: "test")
        if asHAR {
            var writer = HARWriter()
            var file = writer.beginning(of: header, version: "1")
            for (exchange, body) in exchanges {
                file += writer.entry(exchange, body: exchange.body == nil ? nil : body)
            }
            try Data(file + HARWriter.end).write(to: URL(fileURLWithPath: path))
        } else {
            let writer = try RecordingWriter(RecordingSettings(path: path), header: header)
            for (exchange, body) in exchanges { writer.append(exchange) { body } }
            writer.flush()
        }
        return path
    }

    private func open(
        _ exchanges: [(RecordedExchange, [UInt8])], asHAR: Bool = false, latency: Duration? = nil
    ) throws -> RecordedAPI {
        try RecordedAPI(path: path(exchanges, asHAR: asHAR), latency: latency)
    }

    private static func ask(
        _ api: RecordedAPI, _ target: String, method: String = "GET", _ fields: (String, String)...
    ) -> SimulatorResponse {
        let fields = fields.map { SimulatorField($0.0, $0.1) }
        return api.respond(to: SimulatorRequest(method: method, target: Array(target.utf8), fields: fields))
    }

    @Test(arguments: [false, true])
    func traffikIsAnsweredWithItsLatency(asHAR: Bool) throws {
        let album = Self.exchange("/v1/catalog/us/albums/1?include=b,a", "{}", milliseconds: 80) {
            $0.fields = [
                RecordedField("etag", "\"1\""), RecordedField("age", "5"),
                RecordedField("cache-status", "refrain; hit"),
                RecordedField("content-encoding", "gzip"),
            ]
        }
        var hit = album
        hit.0.upstreamLatency = .milliseconds(30)
        let api = try open([album, hit, Self.exchange("/v1/a", milliseconds: 7)], asHAR: asHAR)
        let answer = Self.ask(api, "/v1/catalog/us/albums/1?include=a%2Cb")
        #expect(answer.status == 200 && answer.body == Array("{}".utf8))
        #expect(answer.delay == .milliseconds(30))
        #expect(answer.fields.map(\.name) == ["etag", "Content-Type"])
        #expect(Self.ask(api, "/v1/a").delay == .milliseconds(7))
        let fixed = try open([album], asHAR: asHAR, latency: .milliseconds(1))
        #expect(Self.ask(fixed, "/v1/catalog/us/albums/1?include=a%2Cb").delay == .milliseconds(1))
    }

    @Test func aKnownEntityTagIsAnswered304() throws {
        let api = try open([Self.exchange("/v1/a", "{}") { $0.fields = [RecordedField("etag", "W/\"1\"")] }])
        let same = Self.ask(api, "/v1/a", ("If-None-Match", "\"0\", W/\"1\""))
        #expect(same.status == 304 && same.body.isEmpty && same.field("ETag") == "W/\"1\"")
        #expect(Self.ask(api, "/v1/a", ("If-None-Match", "\"2\"")).status == 200)
        #expect(Self.ask(api, "/v1/a", method: "POST", ("If-None-Match", "W/\"1\"")).status == 404)
    }

    @Test func whatWasRecordedWithoutContentIsAnErrorAndNoEmptyAnswer() throws {
        let api = try open([
            Self.exchange("/v1/large") { $0.length = 9_000_000 }, Self.exchange("/v1/known", status: 304),
            Self.exchange("/v1/part", "x", status: 206), Self.exchange("/v1/none", status: 204),
            Self.exchange("/v1/me/library/{type}") {
                $0.isPersonal = true
                $0.length = 10
            },
        ])
        for target in ["/v1/large", "/v1/known", "/v1/part", "/v1/me/library/songs?limit=5"] {
            let answer = Self.ask(api, target)
            #expect(answer.status == 501, "\(target)")
            let error = try JSON.parse(answer.body)["errors"]?[0]
            #expect(error?["title"] == "Not Recorded" && error?["status"] == "501", "\(target)")
        }
        #expect(Self.ask(api, "/v1/none").status == 204)
        #expect(Self.ask(api, "/v1/me/recent/played").status == 404)
    }

    @Test func aWholeAnswerIsPreferredToWhatCannotBeGivenAgain() throws {
        let api = try open([
            Self.exchange("/v1/a", status: 304), Self.exchange("/v1/a", "no", status: 503),
            Self.exchange("/v1/a") { $0.length = 5 }, Self.exchange("/v1/a", "first"), Self.exchange("/v1/a", "second"),
        ])
        #expect(Self.ask(api, "/v1/a").body == Array("first".utf8))
    }

    @Test func aBodyThatWasDamagedIsAnErrorThatSaysSo() throws {
        let path = try path([Self.exchange("/v1/a", "content")])
        var bytes = try Data(contentsOf: URL(fileURLWithPath: path + ".bodies"))
        bytes[bytes.count - 3] ^= 1
        try bytes.write(to: URL(fileURLWithPath: path + ".bodies"))
        let answer = try Self.ask(RecordedAPI(path: path), "/v1/a")
        #expect(answer.status == 501)
        #expect(String(decoding: answer.body, as: UTF8.self).contains("is not the one that was recorded"))
    }

    @Test func webPagesMayReadAnswersAndAskBefore() throws {
        let api = try open([Self.exchange("/v1/a", "{}")])
        let origin = "https://example.org"
        #expect(Self.ask(api, "/v1/a", ("Origin", origin)).field("Access-Control-Allow-Origin") == origin)
        #expect(Self.ask(api, "/v1/b", method: "OPTIONS", ("Origin", origin)).status == 200)
    }

    /// A client that asks before it plays had made the answer empty.
    @Test func aHeadRecordedBeforeTheGetIsNotServedInItsPlace() throws {
        let head = Self.exchange("/v1/catalog/us/albums/1", method: "HEAD")
        let get = Self.exchange("/v1/catalog/us/albums/1", "{}")
        let answer = Self.ask(try open([head, get]), "/v1/catalog/us/albums/1")
        #expect(answer.status == 200 && answer.body == Array("{}".utf8))
        let alone = try open([head])
        #expect(Self.ask(alone, "/v1/catalog/us/albums/1").status == 501)
        #expect(Self.ask(alone, "/v1/catalog/us/albums/1", method: "HEAD").status == 200)
    }

    private static func nearest(_ wanted: RecordedRequest, _ routes: [[UInt8]: Route]) -> String {
        wanted.nearest(among: routes.map { ($0.key, $0.value) })
    }

    @Test func theNearestIsOfTheSamePathElseOfTheSameRouteElseTheMostAlike() throws {
        func nearest(_ wanted: String, _ recorded: [String]) -> String {
            var routes: [[UInt8]: Route] = [:]
            for target in recorded {
                let request = RecordedRequest(method: "GET", target: Array(target.utf8))
                if let request { routes[request.key] = request.route }
            }
            return RecordedRequest(method: "GET", target: Array(wanted.utf8)).map { Self.nearest($0, routes) } ?? ""
        }
        let recorded = [
            "/v1/catalog/us/albums/1?include=artists,genres,tracks&l=de", "/v1/catalog/us/albums/123456",
            "/v1/catalog/us/songs/1", "/v1/catalog/gb/albums/12?include=artists",
        ]
        #expect(
            nearest("/v1/catalog/us/albums/1", recorded) == "GET "
                + recorded[0].replacingOccurrences(of: ",", with: "%2C")
                || nearest("/v1/catalog/us/albums/1", recorded) == "GET " + recorded[0])
        #expect(nearest("/v1/catalog/us/albums/123457", recorded) == "GET /v1/catalog/us/albums/123456")
        #expect(nearest("/v1/catalog/us/songs/77", recorded) == "GET /v1/catalog/us/songs/1")
        #expect(nearest("/v1/catalog/us/songz/1", recorded) == "GET /v1/catalog/us/songs/1")
    }

    @Test func amongThousandsTheNearestIsStillTheSameOne() throws {
        var routes: [[UInt8]: Route] = [:]
        for number in 0..<5000 {
            let request = try #require(
                RecordedRequest(method: "GET", target: Array("/v1/catalog/us/songs/\(number)".utf8)))
            routes[request.key] = request.route
        }
        let wanted = try #require(RecordedRequest(method: "GET", target: Array("/v1/catalog/us/songs/49999".utf8)))
        #expect(Self.nearest(wanted, routes) == "GET /v1/catalog/us/songs/4999")
    }
}
