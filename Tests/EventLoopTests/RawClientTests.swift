import TestSupport
import Testing

@testable import EventLoop

/// The tests' own client: what it says about the end must be true.
@Suite struct RawClientTests {
    @Test func aCloseIsAnEnd() throws {
        try expect(ended: true, reset: false) { stream in
            stream.send("all")
            stream.closeAfterSending()
        }
    }

    @Test func aKeptConnectionIsNoEnd() throws {
        try expect(ended: false, reset: false, patience: .seconds(1)) { $0.send("all") }
    }

    @Test func aResetIsNoEnd() throws {
        try expect(bytes: nil, ended: false, reset: true) { $0.reset() }
    }

    private func expect(
        bytes: String? = "all", ended: Bool, reset: Bool, patience: Duration = .seconds(20),
        _ answer: @escaping (Stream) -> Void
    ) throws {
        try withLoop { loop in
            let server = try TestServer(loop: loop) { $0.onReadable = answer }
            let client = try RawClient(port: server.port)
            try client.send("x")
            let result = client.readToEnd(patience: patience)
            #expect(result.bytes == Array((bytes ?? "").utf8))
            #expect(result.ended == ended && client.wasReset == reset)
        }
    }
}
