import AppleMusic
import Foundation
import TestSupport
import Testing
import Text

@testable import Recording
@testable import Simulator

/// Indexes of recorded answers, and recordings of traffic in any of their formats, as an origin.
@Suite struct RecordedAPITests {
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

    /// Writes an index and the files it names.
    private func path(_ index: String, _ files: [String: String] = [:]) throws -> String {
        try folder.put(index.utf8, "index.jsonl")
        for (name, text) in files { try folder.put(text.utf8, name) }
        return folder.path
    }

    private func open(_ index: String, _ files: [String: String] = [:]) throws -> RecordedAPI {
        try RecordedAPI(path: path(index, files))
    }

    private static func ask(
        _ api: RecordedAPI, _ target: String, method: String = "GET", _ fields: (String, String)...
    ) -> SimulatorResponse {
        let fields = fields.map { SimulatorField($0.0, $0.1) }
        return api.respond(to: SimulatorRequest(method: method, target: Array(target.utf8), fields: fields))
    }

    @Test func spellingsOfOneRequestAreOne() throws {
        let api = try open(
            #"{"file":"a.json","method":"GET","path":"/v1/catalog/us/songs","query":"filter[isrc]=A&include=b,a","status":200}"#,
            ["a.json": #"{"data":[]}"#])
        for target in ["filter[isrc]=A&include=b,a", "include=a,b&filter%5Bisrc%5D=A", "include=b%2Ca&filter[isrc]=A"] {
            let response = Self.ask(api, "/v1/catalog/us/songs?" + target)
            #expect(response.status == 200, "\(target)")
            #expect(response.field("Content-Type") == "application/json;charset=utf-8")
        }
        #expect(try RecordedAPI(path: folder.path + "/index.jsonl").requestCount == 1)
    }

    @Test func unknownRequestsNameTheNearest() throws {
        let api = try open(
            """
            {"path":"/v1/catalog/us/albums/1","status":200,"body":"{}"}
            {"path":"/v1/catalog/us/albums/1","query":"include=artists","status":200,"body":{"a":[1.50]}}

            """)
        let response = Self.ask(api, "/v1/catalog/us/albums/1?include=genres")
        #expect(response.status == 404)
        let error = try JSON.parse(response.body)["errors"]?[0]
        #expect(error?["code"]?.stringValue == "40400")
        #expect(error?["detail"]?.stringValue?.hasSuffix("GET /v1/catalog/us/albums/1?include=artists") == true)
        #expect(Self.ask(api, "/v1/catalog/us/albums/1", method: "POST").status == 404)
        #expect(Self.ask(api, "/v1/catalog/us/albums/1", method: "HEAD").status == 200)
        let inline = Self.ask(api, "/v1/catalog/us/albums/1?include=artists")
        #expect(String(decoding: inline.body, as: UTF8.self) == #"{"a":[1.50]}"#)
    }

    @Test func contentTypesComeFromTheRecordingOrTheBody() throws {
        let api = try open(
            """
            {"path":"/v1/a","status":401,"file":"empty","headers":{"content-type":"application/json; charset=utf-8","content-length":"9"}}
            {"path":"/v1/b","status":504,"file":"page","headers":{}}
            {"path":"/v1/c","status":429,"body":"API capacity exceeded"}
            """, ["empty": "", "page": "<!DOCTYPE html>"])
        let empty = Self.ask(api, "/v1/a")
        #expect(empty.status == 401)
        #expect(empty.fields == [SimulatorField("content-type", "application/json; charset=utf-8")])
        #expect(Self.ask(api, "/v1/b").field("Content-Type") == "text/html")
        #expect(Self.ask(api, "/v1/c").field("Content-Type") == "text/plain")
    }

    @Test func oneOfSeveralIsAlwaysTheSame() throws {
        let api = try open(
            """
            {"path":"/v1/me/storefront","status":500,"kind":"recorded","body":"e"}
            {"path":"/v1/me/storefront","status":200,"kind":"doc-example","body":"doc"}
            {"path":"/v1/me/storefront","status":200,"kind":"recorded","body":"rec"}
            {"path":"/v1/me/storefront","status":403,"kind":"recorded","body":"no"}
            {"path":"/v1/x","status":200,"body":"x","also_requests":[{"method":"GET","path":"/v1/y","query":"l=de"}]}
            """)
        #expect(Self.ask(api, "/v1/me/storefront", ("Music-User-Token", "t")).body == Array("rec".utf8))
        #expect(Self.ask(api, "/v1/me/storefront").status == 403)
        #expect(Self.ask(api, "/v1/y?l=de").body == Array("x".utf8))
    }

    @Test(.requires(.sharedMaterial))
    func everyRecordingIsServed() throws {
        let folder = SharedMaterial.directory.appendingPathComponent("recordings")
        let api = try RecordedAPI(path: folder.path)
        #expect(api.requestCount > 150)
        var bodies: [String: [(status: Int, body: [UInt8])]] = [:]
        let lines = try SharedMaterial.lines(of: "recordings/index.jsonl")
        func target(_ line: [String: Any]) -> String {
            let query = line["query"] as? String ?? ""
            return (line["method"] as? String ?? "GET") + " " + (line["path"] as? String ?? "")
                + (query.isEmpty ? "" : "?" + query)
        }
        for line in lines {
            let body = try [UInt8](Data(contentsOf: folder.appendingPathComponent(line["file"] as? String ?? "")))
            bodies[target(line), default: []].append((line["status"] as? Int ?? 0, body))
        }
        for (request, recorded) in bodies {
            let parts = request.split(separator: " ", maxSplits: 1).map(String.init)
            let response = Self.ask(api, parts[1], method: parts[0], ("Music-User-Token", "t"))
            #expect(recorded.contains { $0.status == response.status && $0.body == response.body }, "\(request)")
        }
    }

    // MARK: Recordings of traffic

    /// Writes a recording.
    private func path(_ exchanges: [(RecordedExchange, [UInt8])]) throws -> String {
        let path = folder.file(UUID().uuidString)
        let header = RecordingHeader(started: Self.started, program: "test")
        let writer = try RecordingWriter(RecordingSettings(path: path), header: header)
        for (exchange, body) in exchanges { writer.append(exchange) { body } }
        writer.flush()
        return path
    }

    private func open(_ exchanges: [(RecordedExchange, [UInt8])], latency: Duration? = nil) throws -> RecordedAPI {
        try RecordedAPI(path: path(exchanges), latency: latency)
    }

    @Test func trafficIsAnsweredWithItsLatency() throws {
        let album = Self.exchange("/v1/catalog/us/albums/1?include=b,a", "{}", milliseconds: 80) {
            $0.fields = [
                RecordedField("etag", "\"1\""), RecordedField("age", "5"),
                RecordedField("cache-status", "refrain; hit"), RecordedField("content-encoding", "gzip"),
            ]
        }
        var hit = album
        hit.0.upstreamLatency = .milliseconds(30)
        let api = try open([album, hit, Self.exchange("/v1/a", milliseconds: 7)])
        let answer = Self.ask(api, "/v1/catalog/us/albums/1?include=a%2Cb")
        #expect(answer.status == 200 && answer.body == Array("{}".utf8))
        #expect(answer.delay == .milliseconds(30))
        #expect(answer.fields.map(\.name) == ["etag", "Content-Type"])
        #expect(Self.ask(api, "/v1/a").delay == .milliseconds(7))
        let fixed = try open([album], latency: .milliseconds(1))
        #expect(Self.ask(fixed, "/v1/catalog/us/albums/1?include=a%2Cb").delay == .milliseconds(1))
    }

    @Test func aHARFileIsServed() throws {
        let (exchange, body) = Self.exchange("/v1/a", "{}") { $0.upstreamLatency = .milliseconds(30) }
        var writer = HARWriter()
        let header = RecordingHeader(started: Self.started, program: "test")
        let file = writer.beginning(of: header, version: "1") + writer.entry(exchange, body: body) + HARWriter.end
        let answer = try Self.ask(RecordedAPI(path: folder.put(file)), "/v1/a")
        #expect(answer.status == 200 && answer.body == body && answer.delay == .milliseconds(30))
    }

    @Test func entityTagsAndOriginsAreHeeded() throws {
        let api = try open([Self.exchange("/v1/a", "{}") { $0.fields = [RecordedField("etag", "W/\"1\"")] }])
        let same = Self.ask(api, "/v1/a", ("If-None-Match", "\"0\", W/\"1\""))
        #expect(same.status == 304 && same.body.isEmpty && same.field("ETag") == "W/\"1\"")
        #expect(Self.ask(api, "/v1/a", ("If-None-Match", "\"2\"")).status == 200)
        #expect(Self.ask(api, "/v1/a", method: "POST", ("If-None-Match", "W/\"1\"")).status == 404)
        let origin = "https://example.org"
        #expect(Self.ask(api, "/v1/a", ("Origin", origin)).field("Access-Control-Allow-Origin") == origin)
        #expect(Self.ask(api, "/v1/b", method: "OPTIONS", ("Origin", origin)).status == 200)
    }

    @Test func anAnswerRecordedWithoutContentIsAnError() throws {
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

    @Test func aWholeAnswerIsPreferredToOneThatCannotBeServed() throws {
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

    @Test func theNearestIsOfTheSamePathElseOfTheSameRouteElseTheMostAlike() {
        func nearest(_ wanted: String, _ recorded: [String]) -> String {
            var routes: [[UInt8]: Route] = [:]
            for target in recorded {
                let request = RecordedRequest(method: "GET", target: Array(target.utf8))
                if let request { routes[request.key] = request.route }
            }
            let request = RecordedRequest(method: "GET", target: Array(wanted.utf8))
            return request?.nearest(among: routes.map { ($0.key, $0.value) }) ?? ""
        }
        let recorded = [
            "/v1/catalog/us/albums/1?include=artists,genres,tracks&l=de", "/v1/catalog/us/albums/123456",
            "/v1/catalog/us/songs/1", "/v1/catalog/us/songs/4999", "/v1/catalog/us/songs/9999",
            "/v1/catalog/gb/albums/12?include=artists",
        ]
        let sameTarget = nearest("/v1/catalog/us/albums/1", recorded).replacing("%2C", with: ",")
        #expect(sameTarget == "GET " + recorded[0])
        #expect(nearest("/v1/catalog/us/albums/123457", recorded) == "GET /v1/catalog/us/albums/123456")
        #expect(nearest("/v1/catalog/us/songs/77", recorded) == "GET /v1/catalog/us/songs/1")
        #expect(nearest("/v1/catalog/us/songz/1", recorded) == "GET /v1/catalog/us/songs/1")
        // The first by its letters among equally near ones, whatever their order.
        #expect(nearest("/v1/catalog/us/songs/49999", recorded) == "GET /v1/catalog/us/songs/4999")
    }
}
