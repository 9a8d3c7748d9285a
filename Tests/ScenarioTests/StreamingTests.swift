import Compose
import Foundation
import HTTP
import TestSupport
import Testing

@testable import Recording

/// Large answers that are not stored go on as they come; all others are whole first, also where
/// something is to be done with them: they are inflated, or compared.
@Suite(.timeLimit(.minutes(10))) struct StreamingTests {
    private static let size = 1 << 20
    private static let target = "/v1/large"
    private static let large = FakeOrigin.Reply(
        fields: [("Cache-Control", "no-store")], bytes: [UInt8](repeating: 32, count: size))
    private static let part = "Cache-Control: no-store\r\nContent-Range: bytes 0-\(size / 2)/\(size)"

    /// An origin stops in the middle of its answer. A part is whole before its client gets any of
    /// it; an answer in place of one is streamed.
    @Test(arguments: [
        (200, "Cache-Control: no-store", true), (200, "Cache-Control: max-age=60", false), (206, part, false),
        (200, part, true),
    ])
    func whatNobodyKeepsReachesItsClientBeforeItsEnd(status: Int, fields: String, isStreamed: Bool) throws {
        let origin = try ScriptedOrigin([
            .request, .send("HTTP/1.1 \(status) X\r\n\(fields)\r\nContent-Length: \(Self.size)\r\n\r\n"),
            .send([UInt8](repeating: 32, count: Self.size / 2)), .sleep(milliseconds: 300), .reset,
        ])
        let proxy = try ProxyUnderTest(scripted: origin)
        let range = fields == Self.part ? "Range: bytes=0-\r\n" : ""
        let client = try proxy.connection(sending: .get(Self.target, range, closes: true))
        let (bytes, _) = client.readToEnd()
        #expect(bytes.starts(with: Array("HTTP/1.1 \(isStreamed ? "200" : "502")".utf8)))
        #expect((bytes.count > Self.size / 2) == isStreamed && client.wasReset == isStreamed)
    }

    @Test func whatIsRecordedIsRecordedWithItsContent() throws {
        let (folder, proxy) = (try TemporaryFolder(), try ProxyUnderTest(before: FakeOrigin(Self.large)))
        try proxy.startRecording(RecordingSettings(path: folder.file()))
        #expect(try proxy.client.send("GET", Self.target).body.count == Self.size)
        proxy.stop()
        #expect(try RecordingReader(path: folder.file()).rest().map { $0.body != nil } == [true])
    }

    @Test func whatHasNoContentIsNotStreamed() throws {
        let proxy = try ProxyUnderTest(before: FakeOrigin(Self.large))
        for _ in 0..<2 {
            let reply = try proxy.client.send("HEAD", Self.target)
            #expect(reply.status == 200 && reply.field("Content-Length") == "\(Self.size)" && reply.body.isEmpty)
        }
        #expect(try proxy.client.send("GET", Self.target).body.count == Self.size)
    }

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

    /// A large answer in gzip is inflated and kept; it was not requested again without a coding.
    @Test(.requires(.zlib)) func whatIsInflatedIsNotStreamed() throws {
        let body = "{\"data\":[\(Self.resource(1))]}"
        let coded = try #require(Gzip.system.deflate(Array(body.utf8)))
        #expect(coded.count > 256 << 10)
        let proxy = try ProxyUnderTest(before: FakeOrigin(.init(fields: [("Content-Encoding", "gzip")], bytes: coded)))
        for _ in 0..<2 {
            let reply = try proxy.client.send("GET", Self.album(1))
            #expect(reply.status == 200 && reply.body == Data(body.utf8), "\(reply.fields)")
            #expect(reply.field("Content-Encoding") == nil)
        }
        #expect(proxy.origin.requests.map { $0.field("Accept-Encoding") } == ["gzip"])
    }

    /// It was streamed, and what would have been composed was held against nothing.
    @Test(arguments: [true, false]) func whatIsComparedIsNotStreamed(isEqual: Bool) throws {
        let scene = try ScriptedScene(CompositionSettings(.verify)) { request in
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
