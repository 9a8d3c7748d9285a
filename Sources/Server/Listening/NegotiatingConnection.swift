import EventLoop

/// A connection until its TLS handshake has chosen the protocol. Confined to its loop; the stream
/// bounds the time of the handshake.
final class NegotiatingConnection: StreamHandler, ServedConnection {
    private let stream: Stream
    private let onOpen: (NegotiatingConnection, Stream) -> Void
    private let onClose: (any ServedConnection, StreamError?) -> Void

    /// - Parameter onOpen: gives the stream another handler.
    init(
        _ stream: Stream, onOpen: @escaping (NegotiatingConnection, Stream) -> Void,
        onClose: @escaping (any ServedConnection, StreamError?) -> Void
    ) {
        (self.stream, self.onOpen, self.onClose) = (stream, onOpen, onClose)
        stream.handler = self
    }

    var peer: ConnectionPeer { ConnectionPeer(of: stream) }
    var isOpen: Bool { true }

    func streamDidOpen(_ stream: Stream) { onOpen(self, stream) }
    func streamDidMeetPlainHTTP(_ stream: Stream) {
        onOpen(self, stream)
        stream.handler?.streamDidMeetPlainHTTP(stream)
    }
    func streamDidBecomeReadable(_ stream: Stream) {}
    func streamDidClose(_ stream: Stream, _ error: StreamError?) { onClose(self, error) }

    /// It has asked for nothing yet, and will be told when it can.
    func drain(idleSince limit: Instant) {}
    func endGrace() { close() }
    func close() { stream.close() }
}
