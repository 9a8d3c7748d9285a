import Synchronization
import TestSupport
import Testing

@testable import EventLoop

// Without Foundation, which has a `Stream` of its own.

/// A client that sends given frames over TLS and shows those that come; it answers nothing.
final class HTTP2TestClient: Sendable {
    private struct Received {
        var bytes: [UInt8] = []
        var isClosed = false
        var isPaused = false
    }

    private final class Handler: StreamHandler, Sendable {
        let received = Mutex(Received())

        func streamDidOpen(_ stream: Stream) {}

        func streamDidBecomeReadable(_ stream: Stream) {
            guard received.withLock({ !$0.isPaused }) else { return }
            withUnsafeTemporaryAllocation(byteCount: 64 * 1024, alignment: 16) { buffer in
                while true {
                    switch stream.read(into: buffer) {
                    case .bytes(let count): received.withLock { $0.bytes += buffer[..<count] }
                    case .wouldBlock: return
                    case .end, .failed: return stream.close()
                    }
                }
            }
        }

        func streamDidDrain(_ stream: Stream) {}
        func streamDidClose(_ stream: Stream, _ error: StreamError?) { received.withLock { $0.isClosed = true } }
    }

    private let loop: EventLoop
    private let handler = Handler()
    private let stream: Confined<Stream>

    /// - Parameters:
    ///   - host: the server's name in the handshake.
    ///   - greets: whether preface and settings are sent.
    init(port: UInt16, _ authority: ThrowawayAuthority, host: String = "localhost", greets: Bool = true) throws {
        loop = try EventLoop(label: "refrain.test.http2")
        let tls = try ClientTLS(trustAnchors: .pem(authority.certificatePEM()), protocols: ["h2"])
        let address = SocketAddress(host: "127.0.0.1", port: port)!
        let (loop, handler) = (self.loop, self.handler)
        stream = try loop.sync { () throws(SystemError) in
            let stream = try Stream.connect(to: address, tls: (tls, host), loop: loop, handler: handler)
            return Confined(stream, to: loop)
        }
        if greets { send(HTTP2Frame.preface + HTTP2Frame(.settings).bytes) }
    }

    deinit { loop.stop(nil) }

    func send(_ bytes: [UInt8]) { stream.execute { stream in bytes.withUnsafeBytes { stream.send($0) } } }

    func send(_ frames: HTTP2Frame...) { send(frames.flatMap(\.bytes)) }

    func pause() { handler.received.withLock { $0.isPaused = true } }

    func resume() {
        handler.received.withLock { $0.isPaused = false }
        stream.execute { $0.readLater() }
    }

    func close() { stream.execute { $0.close() } }

    /// Whether the server has ended the connection.
    var isClosed: Bool { handler.received.withLock(\.isClosed) }

    /// The whole frames that have arrived.
    var frames: [HTTP2Frame] {
        let bytes = handler.received.withLock(\.bytes)
        var (frames, rest): ([HTTP2Frame], ArraySlice<UInt8>) = ([], bytes[...])
        while let (frame, count) = HTTP2Frame.first(in: rest) {
            frames.append(frame)
            rest = rest.dropFirst(count)
        }
        return frames
    }

    func frames(_ kind: HTTP2Frame.Kind, stream: UInt32? = nil) -> [HTTP2Frame] {
        frames.filter { $0.kind == kind && (stream == nil || $0.stream == stream) }
    }

    /// The content of a stream as far as it has come.
    func content(_ stream: UInt32) -> [UInt8] { frames(.data, stream: stream).flatMap(\.payload) }
    func text(_ stream: UInt32) -> String { String(decoding: content(stream), as: UTF8.self) }

    /// Whether a stream has been ended, by its answer or by a reset.
    func isOver(_ stream: UInt32) -> Bool {
        frames.contains {
            $0.stream == stream && ($0.kind == .reset || $0.endsStream && ($0.kind == .data || $0.kind == .headers))
        }
    }

    /// Waits until a stream is over; its content.
    func answer(_ stream: UInt32, sourceLocation: SourceLocation = #_sourceLocation) -> String {
        waitUntil(sourceLocation: sourceLocation) { isOver(stream) || isClosed }
        return text(stream)
    }

    /// Asks for a path and waits for the content of the answer.
    func ask(
        _ path: String, authority: String = "localhost", stream: UInt32,
        sourceLocation: SourceLocation = #_sourceLocation
    ) -> String {
        send(.head(HTTP2Frame.get(path, authority: authority), stream: stream))
        return answer(stream, sourceLocation: sourceLocation)
    }

    /// Asks for a path on each of these streams, at once.
    func get(_ streams: [UInt32], _ path: (UInt32) -> String) {
        send(streams.flatMap { HTTP2Frame.head(HTTP2Frame.get(path($0)), stream: $0).bytes })
    }

    /// Why the server says goodbye; nil where it has not.
    var goodbye: UInt32? { frames(.goAway).last.map { $0.word(at: 4) } }

    /// Waits for the end of the connection; why.
    func end(sourceLocation: SourceLocation = #_sourceLocation) -> UInt32? {
        waitUntil(sourceLocation: sourceLocation) { isClosed }
        return isClosed ? goodbye : nil
    }
}
