import Foundation
import TestSupport
import Testing

/// Before its sender is known a request costs about what its bytes cost: each kind of list in a
/// head is compared with another field of that length.
@Suite(.timeLimit(.minutes(30)), .requires(.binary), .requires(.valgrind), .requires(.plainBuild))
struct HeadCostTests {
    /// The most that a head may cost, in costs of a head of that length with another field. A debug
    /// build searches for the end of a line as fast as a release, and walks a list more slowly.
    private static let most = TestSize.of(60.0, full: 10.0)
    private static let length = 30_000
    private static let repeats = 6

    /// The name of a field and what its value repeats.
    static let kinds = [
        ("Access-Control-Request-Headers", "*,"), ("Access-Control-Request-Headers", "range,"),
        ("Access-Control-Request-Method", "a,"), ("Cookie", "a;"), ("Cookie", "media-user-token=%41;"),
        ("X-Forwarded-For", "127.0.0.1,"), ("Forwarded", "for=127.0.0.1,"), ("Forwarded", "for=1.1.1.1;"),
        ("Via", "a,"), ("Via", "1 refrain-000000000000000g,"), ("Accept", "text/htm,"),
        ("Accept-Encoding", "gzip;q=0.1,"),
        ("Cache-Control", "max-age=1,"), ("If-None-Match", "\"1\","), ("Range", "bytes=1-2,"), ("Origin", "https://a"),
        ("Authorization", "Bearer a"), ("X-Refrain-Key", "a"), ("traceparent", "00-"), ("tracestate", "a=b,"),
        ("Keep-Alive", "a,"), ("User-Agent", "a/1 "), ("Accept-Language", "de;q=0.1,"), ("If-Modified-Since", "a,"),
    ]

    @Test func everyListCostsAboutItsBytes() async throws {
        try await onThread {
            let scene = try Scene()
            defer { scene.end() }
            let plain = try scene.cost("X-Other", "a,", of: Self.get)
            var worst = (0.0, "")
            for (name, unit) in Self.kinds {
                let lines = name.hasPrefix("Access-Control") ? Self.preflight(besides: name) : Self.get
                let ratio = try scene.cost(name, unit, of: lines) / plain
                if ratio > worst.0 { worst = (ratio, "\(name): \(unit)") }
                #expect(ratio <= Self.most, "\(name): \(unit) costs \(ratio) times another field of that length")
            }
            FigureTable.note("the dearest field, in costs of another of that length", "\(worst)")
        }
    }

    private static let get = "GET /v1/me/x HTTP/1.1\r\nHost: x\r\n"

    private static func preflight(besides name: String) -> String {
        let start = "OPTIONS /v1/me/x HTTP/1.1\r\nHost: x\r\nOrigin: https://a.example\r\n"
        return name.hasSuffix("Method") ? start : start + "Access-Control-Request-Method: GET\r\n"
    }

    private final class Scene {
        private let origin: ScriptedOrigin
        private let proxy: MeasuredProxy
        private let files: TemporaryFolder
        private let client: RawClient

        init() throws {
            let (program, valgrind) = (try #require(BinaryUnderTest.path), try #require(Tool("valgrind")))
            origin = try CatalogOrigin.start()
            files = try TemporaryFolder()
            let names = (0..<60).map { "X-Name-\($0)" }.joined(separator: " ")
            proxy = try MeasuredProxy(
                program: program, valgrind: valgrind, originPort: origin.port,
                folder: URL(fileURLWithPath: CostLimit.folder(of: .hit) + "-heads"), path: .hit,
                logging: files.file("access"),
                more: "cors_headers \(names)\ncors_origin https://a.example\nforward_fields \(names)\n"
                    + "trusted_proxy 127.0.0.0/8\nttl catalog upstream\n")
            client = try RawClient(port: UInt16(proxy.port))
        }

        func end() {
            client.close()
            origin.stop()
        }

        /// Instructions of a request with this field.
        func cost(_ name: String, _ unit: String, of start: String) throws -> Double {
            let value = String(repeating: unit, count: HeadCostTests.length / unit.utf8.count)
            let request = Array((start + "\(name): \(value)\r\n\r\n").utf8)
            try ask(request)
            _ = try proxy.profile()
            for _ in 0..<HeadCostTests.repeats { try ask(request) }
            return Double(try proxy.profile().instructions) / Double(HeadCostTests.repeats)
        }

        /// Sends a request and waits for the end of its answer, which is short.
        private func ask(_ request: [UInt8]) throws {
            try client.send(request)
            var answer = ""
            repeat {
                let some = client.readSome()
                try #require(!some.isEmpty, "\(answer)")
                answer += String(decoding: some, as: UTF8.self)
            } while !Self.isWhole(answer)
        }

        private static func isWhole(_ answer: String) -> Bool {
            guard let end = answer.range(of: "\r\n\r\n") else { return false }
            let place = answer.range(of: "Content-Length: ")
            let length = place.flatMap { Int(answer[$0.upperBound...].prefix { $0.isNumber }) }
            return answer[end.upperBound...].utf8.count >= length ?? 0
        }
    }
}
