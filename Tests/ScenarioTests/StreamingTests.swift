import Foundation
import Proxy
import Recording
import TestSupport
import Testing

/// Large answers that nobody keeps go on as they come; all others are whole first.
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
        defer { proxy.stop() }
        let client = try RawClient(port: UInt16(proxy.port))
        try client.send("GET \(Self.target) HTTP/1.1\r\nHost: a\r\n\r\n")
        let (bytes, _) = client.readToEnd()
        #expect(bytes.starts(with: Array("HTTP/1.1 200".utf8)) && bytes.count > Self.size / 2 && client.wasReset)
    }

    @Test func whatMayBeKeptIsWholeBeforeItsClientGetsAnyOfIt() throws {
        let origin = try Self.stuckOrigin("Cache-Control: max-age=60")
        defer { origin.stop() }
        let proxy = try ProxyUnderTest(originPort: Int(origin.port))
        defer { proxy.stop() }
        #expect(try proxy.client.send("GET", Self.target).status == 502)
    }

    @Test func whatIsStreamedSaysWhyItIsNotKept() throws {
        let origin = try Self.origin(("Cache-Control", "no-store"))
        let proxy = try ProxyUnderTest(originPort: origin.port)
        defer { proxy.stop() }
        for _ in 0..<2 {
            let reply = try proxy.client.send("GET", Self.target)
            #expect(reply.status == 200 && reply.body == Data(repeating: 32, count: Self.size))
            #expect(reply.field("Cache-Status")?.contains("no-store") == true, "\(reply.fields)")
        }
        #expect(origin.requests.count == 2)
    }

    @Test func whatMayBeKeptIsKept() throws {
        let origin = try Self.origin(("Cache-Control", "max-age=60"))
        let proxy = try ProxyUnderTest(originPort: origin.port)
        defer { proxy.stop() }
        for _ in 0..<2 { #expect(try proxy.client.send("GET", Self.target).body.count == Self.size) }
        #expect(origin.requests.count == 1)
    }

    @Test func whatIsRecordedIsRecordedWithItsContent() throws {
        let (folder, origin) = (try TemporaryFolder(), try Self.origin(("Cache-Control", "no-store")))
        let proxy = try ProxyUnderTest(originPort: origin.port)
        try proxy.startRecording(RecordingSettings(path: folder.file()))
        #expect(try proxy.client.send("GET", Self.target).body.count == Self.size)
        proxy.stop()
        #expect(try RecordingReader(path: folder.file()).rest().map { $0.body != nil } == [true])
    }
}
