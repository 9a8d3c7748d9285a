import Foundation
import Proxy
import TestSupport
import Testing

@testable import Recording
@testable import Upstream

/// Large answers that are not stored go on as they come; all others are whole first.
@Suite(.timeLimit(.minutes(10))) struct StreamingTests {
    private static let size = 1 << 20
    private static let target = "/v1/large"

    /// An origin that stops in the middle of its answer.
    private static func stuckOrigin(_ field: String) throws -> ScriptedOrigin {
        let head = "HTTP/1.1 200 OK\r\n\(field)\r\nContent-Length: \(size)\r\n\r\n"
        return try ScriptedOrigin([
            .request, .send(Array(head.utf8) + [UInt8](repeating: 32, count: size / 2)), .sleep(milliseconds: 300),
            .reset,
        ])
    }

    private static func origin(_ field: (String, String)) throws -> FakeOrigin {
        try FakeOrigin { _ in FakeOrigin.Reply(fields: [field], bytes: [UInt8](repeating: 32, count: size)) }
    }

    @Test func whatNobodyKeepsReachesItsClientBeforeItsEnd() throws {
        let origin = try Self.stuckOrigin("Cache-Control: no-store")
        defer { origin.stop() }
        let proxy = try ProxyUnderTest(originPort: Int(origin.port))
        let client = try proxy.connection(sending: "GET \(Self.target) HTTP/1.1\r\nHost: a\r\n\r\n")
        let (bytes, _) = client.readToEnd()
        #expect(bytes.starts(with: Array("HTTP/1.1 200".utf8)) && bytes.count > Self.size / 2 && client.wasReset)
    }

    @Test func aStorableAnswerIsWholeBeforeItIsSent() throws {
        let origin = try Self.stuckOrigin("Cache-Control: max-age=60")
        defer { origin.stop() }
        let proxy = try ProxyUnderTest(originPort: Int(origin.port))
        #expect(try proxy.client.send("GET", Self.target).status == 502)
    }

    @Test func whatIsRecordedIsRecordedWithItsContent() throws {
        let (folder, origin) = (try TemporaryFolder(), try Self.origin(("Cache-Control", "no-store")))
        let proxy = try ProxyUnderTest(originPort: origin.port)
        try proxy.startRecording(RecordingSettings(path: folder.file()))
        #expect(try proxy.client.send("GET", Self.target).body.count == Self.size)
        proxy.stop()
        #expect(try RecordingReader(path: folder.file()).rest().map { $0.body != nil } == [true])
    }

    /// Its reader was reset as one of an answer that is too large to be collected, and held the
    /// connection to the origin until then.
    @Test func slowReaderGetsTheWholeAnswerAndDelaysNoOther() throws {
        let large = [UInt8](repeating: 32, count: 8 << 20)
        let origin = try ScriptedOrigin([
            .perform { request in
                let content = request.contains(Self.target) ? large : Array("{}".utf8)
                let head = "HTTP/1.1 200 OK\r\nCache-Control: no-store\r\nContent-Length: \(content.count)\r\n\r\n"
                return [.send(head), .send(content)]
            }
        ])
        defer { origin.stop() }
        let proxy = try ProxyUnderTest(originPort: Int(origin.port), adjusting: { $0.maxConnections = 1 })
        let reader = try RawClient(port: UInt16(proxy.port), receiveBuffer: 64 << 10)
        try reader.send("GET \(Self.target) HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        #expect(reader.read(12) == Array("HTTP/1.1 200".utf8))
        #expect(try HTTPTestClient(port: proxy.port, from: 2).send("GET", "/v1/small").status == 200)
        let (rest, ended) = reader.readToEnd()
        #expect(rest.suffix(large.count).elementsEqual(large) && ended)
    }

    @Test func whatHasNoContentIsNotStreamed() throws {
        let origin = try Self.origin(("Cache-Control", "no-store"))
        let proxy = try ProxyUnderTest(originPort: origin.port)
        for _ in 0..<2 {
            let reply = try proxy.client.send("HEAD", Self.target)
            #expect(reply.status == 200 && reply.field("Content-Length") == "\(Self.size)" && reply.body.isEmpty)
        }
        #expect(try proxy.client.send("GET", Self.target).body.count == Self.size)
    }

    /// A part is whole before its client gets any of it; an answer in place of one is streamed.
    @Test(arguments: [206, 200]) func aPartIsNotStreamed(status: Int) throws {
        let fields = [("Cache-Control", "no-store"), ("Content-Range", "bytes 0-\(Self.size / 2)/\(Self.size)")]
        let origin = try ScriptedOrigin([
            .request,
            .send("HTTP/1.1 \(status) X\r\n\(fields.map { "\($0): \($1)\r\n" }.joined())"),
            .send("Content-Length: \(Self.size)\r\n\r\n"), .send([UInt8](repeating: 32, count: Self.size / 2)),
            .sleep(milliseconds: 300), .reset,
        ])
        defer { origin.stop() }
        let proxy = try ProxyUnderTest(originPort: Int(origin.port))
        let client = try RawClient(port: UInt16(proxy.port))
        try client.send("GET \(Self.target) HTTP/1.1\r\nHost: a\r\nRange: bytes=0-\r\nConnection: close\r\n\r\n")
        let (bytes, _) = client.readToEnd()
        let isStreamed = bytes.count > Self.size / 2
        #expect(bytes.starts(with: Array("HTTP/1.1 \(status == 206 ? "502" : "200")".utf8)))
        #expect(isStreamed == (status == 200) && client.wasReset == isStreamed)
    }
}
