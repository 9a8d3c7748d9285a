import EventLoop
import HTTP

/// One client's connection: reads requests one at a time, hands each to the service, sends what it answers.
///
/// Confined to its loop. While a request is being answered nothing more is read from the client, and while the answer
/// has not left nothing more is begun: a slow client costs at most `Limits.queuedBytes` above one answer, and pipelined
/// requests are answered in their order (RFC 9112 9.3.2).
public final class ClientConnection {
    enum Phase {
        /// Between requests, or in the middle of reading one.
        case reading
        /// The service has the request.
        case answering
        /// The head of a streamed answer is out; more of its content follows.
        case streaming(chunked: Bool)
        /// The answer waits in the output queue for a slow client.
        case draining
        case closed
    }

    public let context: LoopContext
    public let stream: Stream
    let service: any Service
    let timeouts: ClientTimeouts
    var reader: RequestReader
    var input: PooledBuffer?
    var phase = Phase.reading
    /// The peer's address without its port, as the access log writes it; made once.
    private(set) lazy var peerText: [UInt8] = Array((stream.peer?.host ?? "-").utf8)
    /// Called when a streamed answer's queue has drained and the source may go on.
    var resumeStreaming: (() -> Void)?
    private var isReadable = false
    private var isPumping = false
    private var keepsAlive = true
    /// What was queued when the write deadline was set: as long as it shrinks, the client is slow and not gone.
    private var pendingWhenWaiting = 0
    private var isDraining = false
    private var deadlines: DeadlineTimer
    private let onClose: (ClientConnection) -> Void

    /// Requests that one connection may have answered before others get their turn.
    private static let requestsPerTurn = 64

    init(
        stream: Stream, context: LoopContext, service: any Service, limits: MessageLimits, timeouts: ClientTimeouts,
        onClose: @escaping (ClientConnection) -> Void
    ) {
        self.stream = stream
        self.context = context
        self.service = service
        self.timeouts = timeouts
        self.onClose = onClose
        reader = RequestReader(limits: limits)
        deadlines = DeadlineTimer(loop: context.loop)
        stream.handler = self
        deadlines.action = { [unowned self] in self.deadlinePassed() }
        deadlines.set(context.loop.now + timeouts.head)
    }

    /// The request being answered.
    public var head: RequestHead { reader.head }

    /// Its body; empty when there is none.
    public var body: [UInt8] { reader.body }

    /// False once the client has gone; answers are dropped then.
    public var isOpen: Bool {
        if case .closed = phase { false } else { true }
    }

    /// Whether the head of a streamed answer has left and its content is still coming.
    var isStreaming: Bool {
        if case .streaming = phase { true } else { false }
    }

    /// The bytes that the ranges of `head` count in.
    public func withHeadBytes<R, E: Error>(_ body: (Span<UInt8>) throws(E) -> R) throws(E) -> R {
        guard let input else { return try body([UInt8]().span) }
        return try reader.withHeadBytes(input.bytes, body)
    }

    /// Finishes the request in hand, then closes; an idle connection closes at once.
    func drain() {
        isDraining = true
        if case .reading = phase, input == nil { close() }
    }

    public func close() {
        guard isOpen else { return }
        stream.close()
        didClose()
    }

    private func didClose() {
        phase = .closed
        deadlines.cancel()
        releaseInput()
        let resume = resumeStreaming
        resumeStreaming = nil
        resume?()
        onClose(self)
    }

    private func releaseInput() {
        guard let buffer = input, buffer.bytes.isEmpty else {
            input = nil
            return
        }
        input = nil
        context.giveBack(buffer)
    }
}

// MARK: - Reading

extension ClientConnection: StreamHandler {
    public func streamDidOpen(_ stream: Stream) {}

    public func streamDidBecomeReadable(_ stream: Stream) {
        isReadable = true
        pump()
    }

    public func streamDidDrain(_ stream: Stream) {
        switch phase {
        case .draining:
            becomeIdle()
            pump()
        case .streaming:
            deadlines.clear()
            let resume = resumeStreaming
            resumeStreaming = nil
            resume?()
        case .reading, .answering, .closed: break
        }
    }

    public func streamDidClose(_ stream: Stream, _ error: StreamError?) {
        guard isOpen else { return }
        didClose()
    }

    /// Reads and hands on requests until the socket is empty, an answer is outstanding, or others deserve a turn.
    private func pump() {
        if isPumping { return }
        isPumping = true
        defer { isPumping = false }
        var handled = 0
        while case .reading = phase {
            guard handled < Self.requestsPerTurn else {
                stream.readLater()
                return
            }
            let buffer = input ?? context.takeBuffer()
            input = buffer
            switch buffer.bytes.isEmpty ? .needMore : reader.advance(&buffer.bytes) {
            case .complete:
                handled += 1
                deadlines.clear()
                phase = .answering
                service.handle(self)
            case .continueExpected:
                sendContinue()
                if !fill(buffer) { return }
            case .needMore:
                if !fill(buffer) { return }
            case .failed(let error):
                refuse(error)
            }
        }
    }

    /// Reads once into `buffer`; false when there is nothing to go on with.
    private func fill(_ buffer: PooledBuffer) -> Bool {
        guard isReadable else {
            waitForMore(buffer)
            return false
        }
        let result = buffer.bytes.withUnsafeWritable(minimum: 4096) { target -> (written: Int, result: ReadResult) in
            let result = stream.read(into: target)
            if case .bytes(let count) = result { return (count, result) }
            return (0, result)
        }
        switch result {
        case .bytes: return true
        case .wouldBlock:
            isReadable = false
            waitForMore(buffer)
        case .end, .failed: close()
        }
        return false
    }

    private func waitForMore(_ buffer: PooledBuffer) {
        if reader.isReadingBody {
            deadlines.setIfClear(context.loop.now + timeouts.body)
        } else if !buffer.bytes.isEmpty {
            deadlines.setIfLater(context.loop.now + timeouts.head)
        } else {
            releaseInput()
            if isDraining { close() }
        }
    }

    private func sendContinue() {
        let line: StaticString = "HTTP/1.1 100 Continue\r\n\r\n"
        stream.send(UnsafeRawBufferPointer(start: line.utf8Start, count: line.utf8CodeUnitCount))
    }

    private func deadlinePassed() {
        switch phase {
        case .reading where reader.isReadingBody || input != nil:
            refuse(status: 408, detail: "The request took too long.")
        case .draining, .streaming:
            if stream.pendingBytes < pendingWhenWaiting { waitForWrite() } else { close() }
        case .reading, .answering, .closed: close()
        }
    }

    private func waitForWrite() {
        pendingWhenWaiting = stream.pendingBytes
        deadlines.set(context.loop.now + timeouts.write)
    }
}

// MARK: - Answering

extension ClientConnection {
    /// Answers with a head that `write` completes (status line and fields, framing included) and `content` behind it.
    ///
    /// `Date` and `Connection` are added here. Content is left out for HEAD. One system call, no copy of the content.
    public func respond(content: [UInt8], _ write: (inout ByteBuffer) -> Void) {
        guard isOpen else { return }
        let hidesContent = reader.head.method == .head
        sendHead(write)
        context.scratch.withUnsafeReadable { head in
            if hidesContent || content.isEmpty {
                stream.send(head)
            } else {
                stream.send(head, content)
            }
        }
        context.scratch.removeAll(keepingCapacity: true)
        finish()
    }

    /// Answers with less content than the head promises, then closes: what a broken origin does.
    public func respondTruncated(content: [UInt8], _ write: (inout ByteBuffer) -> Void) {
        keepsAlive = false
        respond(content: content, write)
    }

    /// Breaks the connection so that the client sees a reset instead of an answer.
    public func reset() {
        guard isOpen else { return }
        stream.reset()
        didClose()
    }

    /// Begins an answer whose content is still coming. Without a length it is chunked, or ends with the connection for
    /// HTTP/1.0 clients.
    func beginStreaming(length: Int?, _ write: (inout ByteBuffer) -> Void) {
        guard isOpen else { return }
        let chunked = length == nil && reader.head.version == .http11
        if length == nil && !chunked { keepsAlive = false }
        sendHead { buffer in
            write(&buffer)
            if let length {
                buffer.append("Content-Length: ")
                buffer.append(decimal: length)
                buffer.append("\r\n")
            } else if chunked {
                buffer.append("Transfer-Encoding: chunked\r\n")
            }
        }
        context.scratch.withUnsafeReadable { stream.send($0) }
        context.scratch.removeAll(keepingCapacity: true)
        phase = .streaming(chunked: chunked)
    }

    /// Sends a piece of a streamed answer; false when the client is slow and `resume` will be called once it has caught up.
    func stream(_ bytes: [UInt8], resume: @escaping () -> Void) -> Bool {
        guard case .streaming(let chunked) = phase, !bytes.isEmpty, reader.head.method != .head else { return true }
        if chunked {
            context.scratch.append(hexadecimal: bytes.count)
            context.scratch.append("\r\n")
            context.scratch.withUnsafeReadable { stream.send($0, bytes) }
            context.scratch.removeAll(keepingCapacity: true)
            let end: StaticString = "\r\n"
            stream.send(UnsafeRawBufferPointer(start: end.utf8Start, count: 2))
        } else {
            bytes.withUnsafeBytes { stream.send($0) }
        }
        guard stream.pendingBytes > Limits.queuedBytes else { return true }
        resumeStreaming = resume
        waitForWrite()
        return false
    }

    func endStreaming() {
        guard case .streaming(let chunked) = phase else { return }
        if chunked && reader.head.method != .head {
            let end: StaticString = "0\r\n\r\n"
            stream.send(UnsafeRawBufferPointer(start: end.utf8Start, count: 5))
        }
        finish()
    }

    /// Breaks a streamed answer off so that the client sees that it is incomplete.
    func abortStreaming() {
        close()
    }

    private func sendHead(_ write: (inout ByteBuffer) -> Void) {
        keepsAlive = keepsAlive && reader.head.keepsAlive && !isDraining
        write(&context.scratch)
        context.scratch.append(context.clock.dateLine(at: context.loop.now))
        if !keepsAlive {
            context.scratch.append("Connection: close\r\n")
        } else if reader.head.version == .http10 {
            context.scratch.append("Connection: keep-alive\r\n")
        }
        context.scratch.append("\r\n")
    }

    private func finish() {
        guard isOpen else { return }
        if let buffer = input { reader.finish(&buffer.bytes) }
        guard keepsAlive else {
            closeAfterSending()
            return
        }
        if stream.pendingBytes > 0 {
            phase = .draining
            waitForWrite()
        } else {
            becomeIdle()
            // Answered later than it was asked: nobody is pumping, and the next request may be in the buffer.
            if !isPumping { pump() }
        }
    }

    /// The answer leaves, and what the client still sends is discarded for a while so that no reset overtakes it.
    private func closeAfterSending() {
        phase = .closed
        deadlines.cancel()
        input = nil
        stream.closeAfterSending()
        onClose(self)
    }

    private func becomeIdle() {
        phase = .reading
        deadlines.set(context.loop.now + timeouts.idle)
    }

    private func refuse(_ error: ParseError) {
        refuse(status: error.status, detail: "Malformed request: \(error.reason).")
    }

    /// Answers a request that cannot be read to its end, and closes: what follows on this connection has no meaning. Nothing
    /// is asked of the reader, whose head is that of the request before or half of this one.
    private func refuse(status: Int, detail: String) {
        keepsAlive = false
        phase = .answering
        let content = AppleError(status: status, detail: detail).content
        sendHead { buffer in
            AppleError.writeHead(status: status, contentLength: content.count, to: &buffer)
        }
        context.scratch.withUnsafeReadable { stream.send($0, content) }
        context.scratch.removeAll(keepingCapacity: true)
        service.refused(self, status: status)
        closeAfterSending()
    }
}
