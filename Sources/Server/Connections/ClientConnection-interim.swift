import EventLoop
import HTTP

extension ClientConnection {
    /// The client waits for this before it sends its content (RFC 9110 10.1.1).
    func sendContinue() {
        send("HTTP/1.1 100 Continue\r\n\r\n")
    }

    /// Passes an interim response on (RFC 9110 15.2), or drops it where it has no place: once the
    /// answer has begun, and for HTTP/1.0 clients, which do not know such responses.
    ///
    /// - Parameters:
    ///   - status: 102 to 199.
    ///   - fields: whole lines, each with its CRLF.
    public func sendInterim(status: Int, fields: [UInt8]) {
        precondition((102...199).contains(status), "100 is sent by the connection itself, and 101 never")
        guard case .answering = phase, head.version == .http11 else { return }
        context.scratch.appendStatusLine(status)
        context.scratch.append(fields)
        context.scratch.append("\r\n")
        context.scratch.withUnsafeReadable { stream.send($0) }
        context.scratch.removeAll(keepingCapacity: true)
    }
}
