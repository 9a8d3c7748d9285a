import TestSupport

@testable import EventLoop

/// Passes connections to its port on to another over TLS, so that a plain client can ask there.
final class SecureRelay {
    let port: Int
    private let loop: EventLoop

    init(to port: Int, tls: ClientTLS) throws {
        guard let target = SocketAddress(host: "127.0.0.1", port: UInt16(port)),
            let address = SocketAddress("127.0.0.1:0")
        else { preconditionFailure("literal addresses") }
        let loop = try EventLoop(label: "secure relay")
        let listener = try loop.sync {
            try Listener(address: address, loop: loop, tls: nil) { _ = Pair($0, target, tls) }
        }
        (self.loop, self.port) = (loop, Int(listener.address.port))
    }

    deinit { loop.stop() }

    private final class Pair: StreamHandler {
        private let plain: Stream
        private var secure: Stream?

        init(_ plain: Stream, _ target: SocketAddress, _ tls: ClientTLS) {
            self.plain = plain
            plain.handler = self
            secure = try? Stream.connect(
                to: target, tls: (configuration: tls, hostName: "127.0.0.1"), loop: plain.loop, handler: self)
        }

        func streamDidBecomeReadable(_ stream: Stream) {
            guard let other = stream === plain ? secure : plain else { return }
            withUnsafeTemporaryAllocation(byteCount: 16_384, alignment: 1) { buffer in
                while case .bytes(let count) = stream.read(into: buffer) {
                    other.send(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
                }
            }
        }

        func streamDidClose(_ stream: Stream, _ error: StreamError?) {
            (stream === plain ? secure : plain)?.closeAfterSending()
        }
    }
}
