import TestSupport

@testable import EventLoop

/// Ends TLS in front of a plain origin: the origin's bytes and its way of closing go through.
final class TLSFront {
    let port: UInt16
    private let loop: EventLoop
    private let origin: SocketAddress
    private var listener: Listener?
    private var relays: [Relay] = []
    /// Ends TLS without close_notify, as a peer does that was cut off.
    private let truncates: Bool

    init(originPort: UInt16, tls: ServerTLS, truncates: Bool = false) throws {
        guard let origin = SocketAddress(host: "127.0.0.1", port: originPort),
            let address = SocketAddress("127.0.0.1:0")
        else { preconditionFailure("a literal address") }
        self.origin = origin
        self.truncates = truncates
        let loop = try EventLoop(label: "tls front")
        self.loop = loop
        var accept: (Stream) -> Void = { _ in }
        let listener = try loop.sync {
            try Listener(address: address, loop: loop, tls: tls) { stream in accept(stream) }
        }
        port = listener.address.port
        self.listener = listener
        loop.sync {
            accept = { [unowned self] stream in relays.append(Relay(stream, to: origin, truncates: truncates)) }
        }
    }

    deinit {
        loop.sync {
            listener?.close()
            relays = []
        }
        loop.stop()
    }

    /// Both directions of one connection.
    private final class Relay: StreamHandler {
        private let client: Stream
        private var origin: Stream?
        private let truncates: Bool

        init(_ client: Stream, to address: SocketAddress, truncates: Bool) {
            self.client = client
            self.truncates = truncates
            client.handler = self
            origin = try? Stream.connect(to: address, loop: client.loop, handler: self)
        }

        func streamDidBecomeReadable(_ stream: Stream) {
            guard let other = stream === client ? origin : client else { return }
            withUnsafeTemporaryAllocation(byteCount: 16384, alignment: 1) { buffer in
                while true {
                    switch stream.read(into: buffer) {
                    case .bytes(let count): other.send(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
                    case .wouldBlock: return
                    case .end, .failed:
                        if truncates, other === client { other.reset() } else { other.closeAfterSending() }
                        return
                    }
                }
            }
        }

        func streamDidClose(_ stream: Stream, _ error: StreamError?) {
            (stream === client ? origin : client)?.closeAfterSending()
        }
    }
}
