import EventLoop
import HTTP

/// Answers whose content comes piece by piece.
extension ClientConnection {
    /// Begins an answer whose content is still coming. Without a length it is chunked, or ends with
    /// the connection for HTTP/1.0 clients.
    package func beginStreaming(length: Int?, writesDate: Bool = true, _ write: (inout ByteBuffer) -> Void) {
        guard case .answering = phase else { return assert(!isOpen, "a request is answered once") }
        let chunked = length == nil && head.version == .http11
        if length == nil && !chunked { keepsAlive = false }
        composeHead(writesDate: writesDate) { buffer in
            write(&buffer)
            if let length {
                buffer.append("Content-Length: ")
                buffer.append(decimal: length)
                buffer.append("\r\n")
            } else if chunked {
                buffer.append("Transfer-Encoding: chunked\r\n")
            }
        }
        sendScratch()
        phase = .streaming(chunked: chunked)
    }

    /// Begins an answer that goes on until one side ends it. The connection ends with it.
    public func beginEndlessAnswer(_ write: (inout ByteBuffer) -> Void) {
        keepsAlive = false
        beginStreaming(length: nil, write)
    }

    /// Sends a piece of a streamed answer; false when the client is slow and `resume` will be
    /// called once it has caught up, or has gone.
    public func stream(_ bytes: [UInt8], resume: @escaping () -> Void) -> Bool {
        guard case .streaming(let chunked) = phase, !bytes.isEmpty, head.method != .head else { return true }
        if chunked {
            context.scratch.append(hexadecimal: bytes.count)
            context.scratch.append("\r\n")
        }
        context.scratch.withUnsafeReadable { stream.send($0, bytes) }
        context.scratch.removeAll(keepingCapacity: true)
        if chunked { send("\r\n") }
        guard stream.pendingBytes > Limits.queuedBytes else { return true }
        resumeSource = resume
        expectRoom()
        return false
    }

    /// The streamed answer is complete.
    public func endStreaming() {
        guard case .streaming(let chunked) = phase else { return }
        resumeSource = nil
        if chunked && head.method != .head { send("0\r\n\r\n") }
        finish()
    }
}
