/// The owner of a stream's meaning, kept by the stream until the last call. All calls come on the
/// stream's loop and none from inside a call on the stream: `send`, `close` and `read` never call
/// back.
///
/// Every call may close the stream.
public protocol StreamHandler: AnyObject {
    /// Bytes may flow: connected and, with TLS, the peer verified (outgoing) or the handshake
    /// finished (incoming).
    func streamDidOpen(_ stream: Stream)

    /// A client has begun with an HTTP request in the clear where TLS is wanted. Bytes that are
    /// sent in this call go in the clear as well; the stream then ends, by `closeAfterSending` or
    /// as any whose handshake fails.
    func streamDidMeetPlainHTTP(_ stream: Stream)

    /// There is something to read: read until `.wouldBlock`, or remember to do so later; readiness
    /// is told once per change (edge-triggered). `Stream.readLater` asks for another call.
    func streamDidBecomeReadable(_ stream: Stream)

    /// Everything that had been queued by `send` is with the kernel, but for `Stream.lowWaterMark`.
    func streamDidDrain(_ stream: Stream)

    /// The last call, exactly once for every stream: after a failure with its error; after `close`,
    /// `closeAfterSending` and `reset` with nil, at the end of the turn.
    func streamDidClose(_ stream: Stream, _ error: StreamError?)
}

/// For those that a call says nothing.
extension StreamHandler {
    public func streamDidOpen(_ stream: Stream) {}
    public func streamDidDrain(_ stream: Stream) {}
    /// Says nothing to the client.
    public func streamDidMeetPlainHTTP(_ stream: Stream) {}
}

/// Result of `Stream.read`.
public enum ReadResult: Sendable, Equatable {
    /// The number of bytes written to the buffer; at least one.
    case bytes(Int)
    /// Nothing now; the handler will be called.
    case wouldBlock
    /// The peer has ended its side properly: FIN, and with TLS close_notify before it. Sending is
    /// still possible.
    case end
    /// The stream is closed; `streamDidClose` follows with the same error.
    case failed(StreamError)

    /// The bytes that were read.
    public var count: Int {
        if case .bytes(let count) = self { count } else { 0 }
    }
}

/// Why a stream ended.
public enum StreamError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A socket call failed: refused, reset, timed out, unreachable.
    case system(SystemError)
    /// The handshake or the record layer failed; the text is OpenSSL's reason.
    case tls(String)
    /// The TLS peer closed without close_notify: the bytes that have arrived may be cut short (RFC
    /// 8446, 6.1).
    case truncated
    /// The handshake took longer than it may.
    case handshakeTimedOut
    /// The TLS peer sent more records without content than one needs (`RecordBounds`).
    case recordFlood

    public var description: String {
        switch self {
        case .system(let error): error.description
        case .tls(let reason): "TLS: \(reason)"
        case .truncated: "TLS: closed without close_notify"
        case .handshakeTimedOut: "TLS: handshake timed out"
        case .recordFlood: "TLS: too many records without content"
        }
    }
}
