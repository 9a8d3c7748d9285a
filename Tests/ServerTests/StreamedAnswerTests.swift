import Synchronization
import TestSupport
import Testing

@testable import EventLoop
@testable import Server

/// Answers whose content comes piece by piece, and clients that are slow in reading them.
@Suite(.timeLimit(.minutes(10))) struct StreamedAnswerTests {
    /// Answers with two pieces, the second once the client has taken enough of the first.
    private final class Source: Service, Sendable {
        /// The number of bytes still queued when the source was resumed.
        let queued = Mutex<Int?>(nil)
        static let piece = [UInt8](repeating: 32, count: 16 << 20)

        func handle(_ connection: ClientConnection) {
            connection.beginStreaming(length: 2 * Self.piece.count) { $0.appendStatusLine(200) }
            let keepsUp = connection.stream(Self.piece) { [self] in
                queued.withLock { $0 = connection.stream.pendingBytes }
                _ = connection.stream(Self.piece, resume: nil)
                connection.endStreaming()
            }
            #expect(!keepsUp)
        }
    }

    /// A source waited until all that was queued had left, however much that was.
    @Test func aSourceResumesBeforeItsQueueIsEmpty() throws {
        let source = Source()
        let listener = ListenerSettings(address: try #require(SocketAddress("127.0.0.1:0")), tls: nil)
        let host = try ServiceHost(label: "streams", listener: listener) { _ in source }
        defer { host.stop() }
        let client = try RawClient(port: host.address.port, receiveBuffer: 64 << 10)
        for _ in 0..<2 {
            source.queued.withLock { $0 = nil }
            try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            let beginning = client.read(4 << 20)
            #expect(beginning.starts(with: Array("HTTP/1.1 200".utf8)))
            let head = try #require(beginning.firstRange(of: Array("\r\n\r\n".utf8))).upperBound
            waitUntil { source.queued.withLock { $0 != nil } }
            #expect(try #require(source.queued.withLock { $0 }) > 0)
            #expect(client.read((28 << 20) + head).count == (28 << 20) + head)
        }
    }
}
