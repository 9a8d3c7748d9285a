import EventLoop
import Foundation

/// What the event loop can do at most, with one loop a core: every read is answered with one prepared response. Nothing
/// is parsed or looked up, so clients must send one request at a time, in one piece.
final class BareResponder {
    private let loops: [EventLoop]
    private var listeners: [Listener] = []

    /// - Parameter answerBytes: of the whole answer, head included, so that it can be as large as
    ///   another's.
    /// - Throws: `SystemError` where the port cannot be had.
    init(port: UInt16, answerBytes: Int) throws {
        func head(_ length: Int) -> [UInt8] {
            Array("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: \(length)\r\n\r\n".utf8)
        }
        // One round more, because the length of the head depends on the digits of the body's.
        let length = max(answerBytes - head(answerBytes - head(answerBytes).count).count, 0)
        let (head, body) = (head(length), Array(repeating: UInt8(ascii: " "), count: length))
        let count = ProcessInfo.processInfo.activeProcessorCount
        loops = try (0..<count).map { try EventLoop(label: "bench.bare.\($0)") }
        guard let address = SocketAddress(host: "127.0.0.1", port: port) else { throw BenchError("no address") }
        for loop in loops {
            let listener = try loop.sync {
                try Listener(address: address, loop: loop, reusePort: count > 1) { stream in
                    stream.handler = Connection(head: head, body: body)
                }
            }
            listeners.append(listener)
        }
    }

    private final class Connection: ReadingHandler {
        private let head: [UInt8]
        private let body: [UInt8]

        init(head: [UInt8], body: [UInt8]) {
            self.head = head
            self.body = body
        }

        func take(_ bytes: UnsafeRawBufferPointer, _ stream: Stream) {
            head.withUnsafeBytes { stream.send($0, body) }
        }
    }
}
