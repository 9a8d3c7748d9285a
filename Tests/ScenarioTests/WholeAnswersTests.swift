import Compose
import Foundation
import HTTP
import Proxy
import TestSupport
import Testing

/// Large answers that are not kept, or not as they came, and with which something is to be done:
/// they are inflated and compared as a whole, and not streamed.
@Suite(.timeLimit(.minutes(10)), .requires(.zlib)) struct WholeAnswersTests {
    private static func album(_ id: Int) -> String { "/v1/catalog/us/albums/\(id)" }

    /// Hardly shrinks: its gzip form is large too.
    private static func noise(seed: UInt64) -> String {
        var generator = SeededGenerator(seed: seed)
        return (0..<(40 << 10)).map { _ in String(generator.next() | 1 << 63, radix: 16) }.joined()
    }

    /// In JSON, as an item of a list.
    private static func resource(_ id: Int) -> String {
        let name = "\"attributes\":{\"name\":\"\(noise(seed: UInt64(id)))\"}"
        return "{\"id\":\"\(id)\",\"type\":\"albums\",\"href\":\"\(album(id))\",\(name)}"
    }

    private static func asksForGzip(_ request: FakeOrigin.Request) -> Bool {
        request.field("Accept-Encoding") == "gzip"
    }

    /// A large answer in gzip is inflated and kept; it was not requested again without a coding.
    @Test func whatIsInflatedIsNotStreamed() throws {
        let body = "{\"data\":[\(Self.resource(1))]}"
        let coded = try #require(Gzip.system.deflate(Array(body.utf8)))
        #expect(coded.count > 256 << 10)
        let origin = try FakeOrigin { _ in FakeOrigin.Reply(fields: [("Content-Encoding", "gzip")], bytes: coded) }
        let proxy = try ProxyUnderTest(originPort: origin.port)
        for _ in 0..<2 {
            let reply = try proxy.client.send("GET", Self.album(1))
            #expect(reply.status == 200 && reply.body == Data(body.utf8), "\(reply.fields)")
            #expect(reply.field("Content-Encoding") == nil)
        }
        #expect(origin.requests.map(Self.asksForGzip) == [true])
    }

    /// It was streamed, and what would have been composed was held against nothing.
    @Test(arguments: [true, false]) func whatIsComparedIsNotStreamed(isEqual: Bool) throws {
        var settings = CompositionSettings()
        settings.compose = .verify
        let scene = try ScriptedScene(settings) { request in
            if request.target.contains("?ids=") {
                return FakeOrigin.Reply(body: "{\"data\":[\((1...3).map(Self.resource).joined(separator: ","))]}")
            }
            let id = request.target.last?.wholeNumberValue ?? 0
            let resource = Self.resource(id)
            // The second album has another form for other clients: it is not kept.
            guard id == 2 else { return FakeOrigin.Reply(body: "{\"data\":[\(resource)]}") }
            let body = isEqual ? resource : resource.replacing("\"name\":\"", with: "\"name\":\"another ")
            return FakeOrigin.Reply(fields: [("Vary", "X-Form")], body: "{\"data\":[\(body)]}")
        }
        defer { scene.stop() }
        for target in [Self.album(1), "/v1/catalog/us/albums?ids=1,2,3"] {
            #expect(try scene.proxy.client.send("GET", target).status == 200)
        }
        let reply = try scene.proxy.client.send("GET", Self.album(2))
        #expect(reply.status == 200 && reply.body.count > 256 << 10)
        #expect(reply.field("Cache-Status")?.contains("detail=vary") == true, "\(reply.fields)")
        let wrong = isEqual ? 0 : 1
        waitUntil { scene.proxy.statistics[.verified] == 1 && scene.proxy.statistics[.verifyMismatches] == wrong }
    }
}
