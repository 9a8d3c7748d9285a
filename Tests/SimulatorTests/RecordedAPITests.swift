import Foundation
import Recording
import TestSupport
import Testing
import Text

@testable import Simulator

@Suite struct RecordedAPITests {
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

    private static func respond(
        _ api: RecordedAPI, _ target: String, method: String = "GET", user: String? = nil
    ) -> SimulatorResponse {
        let fields = user.map { [SimulatorField("Music-User-Token", $0)] } ?? []
        return api.respond(to: SimulatorRequest(method: method, target: Array(target.utf8), fields: fields))
    }

    @Test func spellingsOfOneRequestAreOne() throws {
        let api = try open(
            #"{"file":"a.json","method":"GET","path":"/v1/catalog/us/songs","query":"filter[isrc]=A&include=b,a","status":200}"#,
            ["a.json": #"{"data":[]}"#])
        for target in ["filter[isrc]=A&include=b,a", "include=a,b&filter%5Bisrc%5D=A", "include=b%2Ca&filter[isrc]=A"] {
            let response = Self.respond(api, "/v1/catalog/us/songs?" + target)
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
        let response = Self.respond(api, "/v1/catalog/us/albums/1?include=genres")
        #expect(response.status == 404)
        let error = try JSON.parse(response.body)["errors"]?[0]
        #expect(error?["code"]?.stringValue == "40400")
        #expect(error?["detail"]?.stringValue?.hasSuffix("GET /v1/catalog/us/albums/1?include=artists") == true)
        #expect(Self.respond(api, "/v1/catalog/us/albums/1", method: "POST").status == 404)
        #expect(Self.respond(api, "/v1/catalog/us/albums/1", method: "HEAD").status == 200)
        let inline = Self.respond(api, "/v1/catalog/us/albums/1?include=artists")
        #expect(String(decoding: inline.body, as: UTF8.self) == #"{"a":[1.50]}"#)
    }

    @Test func contentTypesComeFromTheRecordingOrTheBody() throws {
        let api = try open(
            """
            {"path":"/v1/a","status":401,"file":"empty","headers":{"content-type":"application/json; charset=utf-8","content-length":"9"}}
            {"path":"/v1/b","status":504,"file":"page","headers":{}}
            {"path":"/v1/c","status":429,"body":"API capacity exceeded"}
            """, ["empty": "", "page": "<!DOCTYPE html>"])
        let empty = Self.respond(api, "/v1/a")
        #expect(empty.status == 401)
        #expect(empty.fields == [SimulatorField("content-type", "application/json; charset=utf-8")])
        #expect(Self.respond(api, "/v1/b").field("Content-Type") == "text/html")
        #expect(Self.respond(api, "/v1/c").field("Content-Type") == "text/plain")
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
        #expect(Self.respond(api, "/v1/me/storefront", user: "t").body == Array("rec".utf8))
        #expect(Self.respond(api, "/v1/me/storefront").status == 403)
        #expect(Self.respond(api, "/v1/y?l=de").body == Array("x".utf8))
    }

    @Test func badRecordingsSayWhere() throws {
        let cases: [(String, Int)] = [
            ("not json", 1), (#"{"status":200}"#, 1), ("\n\n" + #"{"path":"/v1/a","status":99}"#, 3),
            (#"{"path":"/v1/a","status":200,"file":"../secret"}"#, 1),
        ]
        for (index, line) in cases {
            let error = #expect(throws: RecordingError.self) { try open(index) }
            guard case .badLine(_, line, _)? = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
        }
        let empty = try path("\n")
        #expect(throws: RecordingError.empty(path: empty + "/index.jsonl")) { try RecordedAPI(path: empty) }
        #expect(throws: RecordingError.self) { try RecordedAPI(path: "/nonexistent-recording") }
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
            let response = Self.respond(api, parts[1], method: parts[0], user: "t")
            #expect(recorded.contains { $0.status == response.status && $0.body == response.body }, "\(request)")
        }
    }
}
