import TestSupport

/// A client over one HTTP/2 connection. It reads no fields; the content tells a right answer.
final class FramedClient {
    private typealias Failure = ServedProgram.Failure

    private let client: RawClient
    private var received: ArraySlice<UInt8> = []
    private var nextStream: UInt32 = 1

    /// - Parameter port: of a relay that speaks TLS for it.
    init(port: Int) throws {
        client = try RawClient(port: UInt16(port))
        // The window of the connection holds all that will be asked for.
        try client.send(
            HTTP2Frame.preface + HTTP2Frame(.settings).bytes + HTTP2Frame.windowUpdate(0, by: 0x7FFF_0000).bytes)
    }

    /// The content of the answer to a GET.
    func content(_ target: String, _ fields: [(String, String)]) throws -> [UInt8] {
        let stream = nextStream
        nextStream += 2
        let named = fields.map { ($0.0.lowercased(), $0.1) }
        try client.send(HTTP2Frame.head(HTTP2Frame.get(target, authority: "127.0.0.1") + named, stream: stream).bytes)
        var content: [UInt8] = []
        while true {
            let frame = try next()
            guard frame.stream == stream else { continue }
            guard frame.kind != .reset else { throw Failure(description: "\(target): stream \(stream) was reset") }
            if frame.kind == .data { content += frame.payload }
            if frame.endsStream, frame.kind == .data || frame.kind == .headers { return content }
        }
    }

    private func next() throws -> HTTP2Frame {
        while true {
            if let (frame, count) = HTTP2Frame.first(in: received) {
                received = received.dropFirst(count)
                return frame
            }
            let bytes = client.readSome()
            guard !bytes.isEmpty else { throw Failure(description: "the connection ended, or nothing came") }
            received = received + bytes
        }
    }
}
