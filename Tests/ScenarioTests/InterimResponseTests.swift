import Foundation
import HTTP
import Proxy
import Server
import TestSupport
import Testing

@testable import EventLoop

/// Interim responses (1xx), as clients see them.
@Suite(.timeLimit(.minutes(10))) struct InterimResponseTests {
    /// Sends two interim responses, the answer, and one too late.
    private final class Hinting: Service {
        func handle(_ connection: ClientConnection) {
            connection.sendInterim(status: 103, fields: Array("Link: </a>\r\n".utf8))
            connection.sendInterim(status: 102, fields: [])
            connection.respond(content: Array("ok".utf8)) { buffer in
                buffer.append("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n")
            }
            connection.sendInterim(status: 103, fields: [])
        }
    }

    private func answer(version: String) throws -> String {
        let host = try ServiceHost.local { _ in Hinting() }
        defer { host.stop() }
        let client = try RawClient(port: host.address.port)
        try client.send("GET / \(version)\r\nHost: x\r\nConnection: close\r\n\r\n")
        return client.readText()
    }

    @Test func theyComeBeforeTheAnswerAndNotAfterIt() throws {
        let text = try answer(version: "HTTP/1.1")
        #expect(
            text.hasPrefix(
                "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 200 OK\r\n"))
        #expect(text.hasSuffix("\r\n\r\nok"))
    }

    @Test func clientsOfHTTP10GetNone() throws {
        let text = try answer(version: "HTTP/1.0")
        #expect(text.hasPrefix("HTTP/1.1 200 OK\r\n"))
        #expect(!text.contains(" 103 ") && !text.contains(" 102 "))
    }
}
