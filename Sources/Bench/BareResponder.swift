import EventLoop

/// What the event loop can do at most: every read is answered with one prepared response. Nothing is parsed or looked up, so
/// clients must send one request at a time, in one piece.
final class BareResponder {
    private let loops: [EventLoop]
    private var listeners: [Listener] = []

    /// - Throws: `SystemError` where the port cannot be had.
    init(port: UInt16, loops count: Int, bodyBytes: Int) throws {
        let head = Array(
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: \(bodyBytes)\r\n\r\n".utf8)
        let body = Array(repeating: UInt8(ascii: " "), count: bodyBytes)
        loops = try (0..<count).map { try EventLoop(label: "bench.bare.\($0)") }
        guard let address = SocketAddress("127.0.0.1:\(port)") else { throw BenchError("no address") }
        for loop in loops {
            let listener = try loop.sync {
                try Listener(address: address, loop: loop, reusePort: count > 1) { stream in
                    stream.handler = Connection(head: head, body: body)
                }
            }
            listeners.append(listener)
        }
    }

    private final class Connection: StreamHandler {
        private let head: [UInt8]
        private let body: [UInt8]

        init(head: [UInt8], body: [UInt8]) {
            self.head = head
            self.body = body
        }

        func streamDidOpen(_ stream: Stream) {}
        func streamDidDrain(_ stream: Stream) {}
        func streamDidClose(_ stream: Stream, _ error: StreamError?) {}

        func streamDidBecomeReadable(_ stream: Stream) {
            withUnsafeTemporaryAllocation(byteCount: 8192, alignment: 16) { buffer in
                while true {
                    switch stream.read(into: buffer) {
                    case .bytes: head.withUnsafeBytes { stream.send($0, body) }
                    case .wouldBlock: return
                    case .end, .failed: return stream.close()
                    }
                }
            }
        }
    }
}
