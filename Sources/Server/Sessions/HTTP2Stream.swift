import EventLoop
import HTTP

/// A stream of an HTTP/2 session: it carries the one request and the one answer of a
/// `ClientConnection`, as a socket carries those of the others.
///
/// Confined to its loop. Must hold: the session keeps it until both sides are done with it or the
/// connection has gone, and tells its `ClientConnection` of that once; later calls do nothing.
final class HTTP2Stream {
    let session: HTTP2Session
    let identifier: Int32
    /// The connection that is served on it; nil once it has ended.
    private(set) var connection: ClientConnection?
    /// Content of the answer that has not left yet.
    private var content = OutputQueue()
    /// How large the content is and where it lies, for the budget of answers; nil for content of
    /// this stream's own.
    private var shared: (byteCount: Int, place: UInt)?
    /// Bytes promised to a frame that has not been made yet.
    private var promisedBytes = 0
    /// Told to the connection when no more than this waits.
    var lowWaterMark = 0
    /// Why the head is refused.
    var failure: ParseError?
    private var sentWhenWaiting = 0
    private var writesChunks = false
    private var isRequestWhole = false
    private var hasAnswer = false
    private var isAnswerWhole = false
    private(set) var isOver = false
    /// Whether it was ended from here.
    private(set) var isReset = false
    /// Whether the session will look at it before the turn ends.
    var isReady = false
    var isTouched = false

    init(_ identifier: Int32, of session: HTTP2Session) {
        (self.identifier, self.session) = (identifier, session)
    }

    /// Whether the whole answer has left although the request is not whole.
    var isAnsweredEarly: Bool { isAnswerWhole && content.isEmpty && !isRequestWhole && !isOver && !isReset }

    // MARK: - The request

    func begin(_ connection: ClientConnection) { self.connection = connection }

    func headEnded(_ following: HTTP2RequestHead.Content) {
        writesChunks = following == .chunked
        isRequestWhole = following == .none
    }

    /// Takes a piece of the request's content; dropped where no connection reads it.
    func receive(_ bytes: UnsafeRawBufferPointer) {
        connection?.withInput { input in
            if writesChunks {
                input.append(hexadecimal: bytes.count)
                input.append("\r\n")
            }
            input.append(bytes)
            if writesChunks { input.append("\r\n") }
        }
    }

    func contentEnded() {
        isRequestWhole = true
        if writesChunks { connection?.withInput { $0.append("0\r\n\r\n") } }
    }

    // MARK: - Frames

    /// The session has sent something of the answer, or could not.
    func tellMoved() { connection?.streamMoved(shared) }

    /// Ends it at once. Content that has not left is released now, for the client may not read for
    /// long; but the bytes promised to a frame have to be there.
    func reset(_ code: HTTP2ErrorCode) {
        guard !isOver, !isReset else { return }
        isReset = true
        let promised = [UInt8](unsafeUninitializedCapacity: promisedBytes) { room, count in
            count = content.copyFront(
                into: UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(room)[..<promisedBytes]))
        }
        content.removeAll()
        content.append(retaining: promised, from: 0)
        session.reset(self, code)
    }

    /// How much there is for a frame; nil while there is none.
    func available(_ most: Int) -> (count: Int, isLast: Bool)? {
        guard !isReset else { return nil }
        if content.isEmpty { return isAnswerWhole ? (0, true) : nil }
        promisedBytes = min(most, content.count)
        return (promisedBytes, isAnswerWhole && promisedBytes == content.count)
    }

    /// Takes content out.
    func take(_ count: Int, into frames: inout ByteBuffer) {
        promisedBytes = 0
        guard count > 0 else { return }
        frames.withUnsafeWritable(minimum: count) { room in
            let written = content.copyFront(into: UnsafeMutableRawBufferPointer(rebasing: room[..<count]))
            return (written, ())
        }
        content.consume(count)
    }

    /// Ends the stream once both sides are done with it.
    func end() {
        isOver = true
        content.removeAll()
        let connection = connection.take()
        connection?.streamEnded()
    }
}

/// The answer. The session sends at the end of the turn, and then tells the streams that have
/// moved.
extension HTTP2Stream: Carrier {
    var pendingBytes: Int { content.count }

    func beginWaiting() { sentWhenWaiting = session.sentBytes }

    /// Counts all streams: on a slow line that many share, each moves little. Nothing where the
    /// client's own window holds this one up.
    var sentMeanwhile: Int { session.isShut(self) ? 0 : session.sentBytes - sentWhenWaiting }

    func hint(_ head: UnsafeRawBufferPointer) {
        guard !isOver, !hasAnswer else { return }
        session.submitHint(head, self)
    }

    func answer(_ head: UnsafeRawBufferPointer, _ content: [UInt8], _ file: SealedFile?) -> Bool {
        guard !isOver, !hasAnswer else { return false }
        if !content.isEmpty {
            shared = (content.count, content.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) })
            self.content.append(retaining: content, from: 0)
        }
        isAnswerWhole = true
        submit(head, hasContent: !content.isEmpty)
        return false
    }

    func begin(_ head: UnsafeRawBufferPointer) {
        guard !isOver, !hasAnswer else { return }
        submit(head, hasContent: true)
    }

    private func submit(_ head: UnsafeRawBufferPointer, hasContent: Bool) {
        hasAnswer = true
        session.submit(head, self, hasContent: hasContent)
    }

    /// Frames delimit the content.
    func write(_ delimiter: UnsafeRawBufferPointer, _ bytes: [UInt8]) {
        guard !isOver, !isReset else { return }
        content.append(retaining: bytes, from: 0)
        session.resume(self)
    }

    func endAnswer() -> Bool {
        guard !isOver, !isReset, !isAnswerWhole else { return false }
        isAnswerWhole = true
        session.resume(self)
        return false
    }

    /// It carries one answer, and ends with it.
    func closeAfterSending(_ timeouts: ClientTimeouts) -> Bool { false }

    func end(_ reason: CarrierEnd) {
        switch reason {
        case .cancelled: reset(.cancel)
        case .failed: reset(.internalError)
        case .excess: reset(.enhanceYourCalm)
        }
    }
}

/// RFC 9113 7.
enum HTTP2ErrorCode: UInt32 {
    case noError = 0
    case protocolError = 1
    case internalError = 2
    case cancel = 8
    case enhanceYourCalm = 11
}
