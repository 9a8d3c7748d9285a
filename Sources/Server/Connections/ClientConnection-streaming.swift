import EventLoop
import HTTP

/// Interim answers, and answers whose content comes piece by piece.
extension ClientConnection {
    /// The client waits for this before it sends its content (RFC 9110 10.1.1).
    func sendContinue() {
        context.scratch.append("HTTP/1.1 100 Continue\r\n\r\n")
        withScratch(carrier.hint)
    }

    /// Calls `body` once, in a turn of its own, when the client ends its side while its answer is
    /// outstanding: it has gone, or at least asks for nothing more.
    package func watchEnd(_ body: @escaping () -> Void) {
        whenEnding = body
        guard stream.isEnding || !isOpen else { return }
        context.loop.schedule(at: context.loop.now) { [self] in tellEnd() }
    }

    /// Ends the watch.
    package func unwatchEnd() {
        whenEnding = nil
    }

    func tellEnd() {
        whenEnding.take()?()
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
        withScratch(carrier.hint)
    }

    /// Begins an answer whose content is still coming. Without a length it is chunked, or ends with
    /// the connection for HTTP/1.0 clients.
    package func beginStreaming(length: Int?, writesDate: Bool = true, _ write: (inout ByteBuffer) -> Void) {
        guard case .answering = phase else { return assert(!isOpen, "a request is answered once") }
        let chunked = length == nil && head.version == .http11 && !isHTTP2
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
        withScratch(carrier.begin)
        phase = .streaming(chunked: chunked)
    }

    /// Begins an answer that goes on until one side ends it. The connection ends with it.
    public func beginEndlessAnswer(_ write: (inout ByteBuffer) -> Void) {
        keepsAlive = false
        beginStreaming(length: nil, write)
    }

    /// Sends a piece of a streamed answer; false when the client is slow and `resume` will be
    /// called once it has taken as much as makes it slow, or has gone. Without `resume` all waits
    /// for the client here.
    public func stream(_ bytes: [UInt8], resume: (() -> Void)?) -> Bool {
        guard case .streaming(let chunked) = phase, !bytes.isEmpty, head.method != .head else { return true }
        if chunked {
            context.scratch.append(hexadecimal: bytes.count)
            context.scratch.append("\r\n")
        }
        withScratch { carrier.write($0, bytes) }
        if chunked { sendDelimiter("\r\n") }
        let pendingBytes = carrier.pendingBytes
        guard let resume, pendingBytes > Limits.queuedBytes else { return true }
        // Not when all has left: the larger the piece, the longer that would take.
        carrier.lowWaterMark = pendingBytes - Limits.queuedBytes
        resumeSource = resume
        expectRoom()
        return false
    }

    private func sendDelimiter(_ text: StaticString) {
        carrier.write(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount), [])
    }

    /// The streamed answer is complete.
    public func endStreaming() {
        guard case .streaming(let chunked) = phase else { return }
        resumeSource = nil
        carrier.lowWaterMark = 0
        if chunked && head.method != .head { sendDelimiter("0\r\n\r\n") }
        let isWaiting = carrier.endAnswer()
        if isWaiting { countUnsentRest() }
        finish(isWaiting: isWaiting)
    }

    /// Answers with less content than the head promises, then closes, as a broken origin does.
    public func respondTruncated(content: [UInt8], _ write: (inout ByteBuffer) -> Void) {
        keepsAlive = false
        respond(content: content, write)
    }
}
