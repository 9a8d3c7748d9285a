import TestSupport
import Testing

/// The clients of a differential run, whose judge may take longer than a connection may be idle.
@Suite struct ReopeningClientTests {
    private static let answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

    @Test(arguments: [false, true]) func anIdleConnectionThatEndedFailsNoRequest(_ isReset: Bool) throws {
        let server = try ScriptedOrigin(
            [.request, .send(Self.answer), isReset ? .reset : .close], [.request, .send(Self.answer)])
        defer { server.stop() }
        let client = HTTPTestClient(port: Int(server.port), reopens: true)
        #expect(try client.send("GET", "/1").status == 200)
        waitUntil { server.endedConnections == 1 }
        #expect(try client.send("GET", "/2").status == 200)
        #expect(server.connectionCount == 2)
    }

    @Test func aBrokenAnswerIsNotRepeated() throws {
        let server = try ScriptedOrigin([
            .request, .send(Self.answer), .request, .send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n"), .close,
        ])
        defer { server.stop() }
        let client = HTTPTestClient(port: Int(server.port), reopens: true)
        #expect(try client.send("GET", "/1").status == 200)
        #expect(throws: HTTPTestClient.Failure.self) { try client.send("GET", "/2") }
        #expect(server.connectionCount == 1)
    }
}
