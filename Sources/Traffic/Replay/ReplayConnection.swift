import EventLoop
import HTTP

/// A connection to the target: one request at a time, and its answer. Confined to its run's loop.
///
/// A target may close an idle connection just as the next request leaves. That is no failure: a
/// request without a byte of an answer is sent once more over a new connection, as all clients do
/// (RFC 9112 9.3.1). The run counts these as resets.
final class ReplayConnection {
    let number: Int
    private unowned let run: ReplayRun
    private var stream: Stream?
    private var reader = AnswerReader(mostKept: ReplayConnection.mostKept)
    /// The request under way, and its position; nil: none.
    private var current: (request: PlannedRequest, position: Int)?
    /// In nanoseconds since the start: when the request was sent first, or connecting began.
    private(set) var since: Int64 = 0
    /// How late the run was with the request, in nanoseconds.
    private(set) var lag: Int64 = 0
    private var isSent = false
    private var isOpen = false
    private var hasAnswered = false

    /// Length of the longest recorded content. Longer content is not collected further: its length
    /// differs already.
    private static let mostKept = 8 << 20

    init(_ number: Int, run: ReplayRun) {
        self.number = number
        self.run = run
    }

    /// Whether a request waits for its answer, or for the connection to open.
    var isWorking: Bool { current != nil || stream != nil && !isOpen }

    /// - Throws: where no socket can be made.
    func dial(at now: Int64) throws(SystemError) {
        (isOpen, hasAnswered) = (false, false)
        if current == nil { since = now }
        stream = try Stream.connect(to: run.address, tls: run.tls, loop: run.loop, handler: self)
    }

    func use(_ stream: Stream) {
        self.stream = stream
        isOpen = true
        stream.handler = self
    }

    func send(
        _ request: PlannedRequest, position: Int, at now: Int64, lag: Int64 = 0, keepsContent: Bool
    ) {
        (current, since, self.lag) = ((request, position), now, lag)
        reader.begin(isHead: request.isHead, keepsContent: keepsContent)
        write()
    }

    private func write() {
        isSent = true
        current?.request.message.withUnsafeBytes { stream?.send($0) }
    }

    /// Closes the connection without telling the run.
    func close() {
        let stream = stream
        (self.stream, current) = (nil, nil)
        stream?.close()
    }

    // MARK: Answers

    /// Parses received bytes; they are valid during the call.
    private func take(_ bytes: Span<UInt8>) {
        do throws(ParseError) {
            guard current != nil else { return fail("bytes that were not asked for") }
            guard let surplus = try reader.take(bytes) else { return }
            finish(hasSurplus: surplus > 0)
        } catch {
            fail("malformed answer: \(error.reason)")
        }
    }

    private func finish(hasSurplus: Bool) {
        guard let (request, position) = current else { return }
        let stays = reader.keepsAlive && !hasSurplus && stream != nil
        hasAnswered = true
        current = nil
        if !stays { close() }
        run.answered(self, reader, request, position, stays: stays)
        // Not inside `answered`: the next request resets the reader that was passed to it.
        run.goOn()
    }

    private func fail(_ reason: String, isTimeout: Bool = false) {
        stream?.close()
        stream = nil
        guard let (request, position) = current else {
            return isOpen ? run.lost(self) : run.couldNotOpen(self, reason, isTimeout: isTimeout)
        }
        if isSent, hasAnswered, reader.isUntouched {
            isSent = false
            if (try? dial(at: since)) != nil { return }
        }
        current = nil
        run.failed(self, request, position, reason, isTimeout: isTimeout)
    }

    func timeOut() {
        hasAnswered = false
        fail(isOpen ? "timed out" : "timed out while connecting", isTimeout: true)
    }
}

extension ReplayConnection: StreamHandler {
    func streamDidOpen(_ stream: Stream) {
        guard stream === self.stream else { return }
        isOpen = true
        guard current != nil else { return run.opened(self) }
        run.sentAgain()
        write()
    }

    func streamDidBecomeReadable(_ stream: Stream) {
        while stream === self.stream {
            switch stream.read(into: run.buffer) {
            case .bytes(let count):
                take(Span(_unsafeBytes: UnsafeRawBufferPointer(rebasing: run.buffer[..<count])))
            case .wouldBlock, .failed: return
            case .end: ended()
            }
        }
    }

    private func ended() {
        guard current != nil, reader.end() else {
            return fail(reader.hasHead ? "closed in the middle of an answer" : "closed without an answer")
        }
        finish(hasSurplus: false)
    }

    func streamDidClose(_ stream: Stream, _ error: StreamError?) {
        guard stream === self.stream else { return }
        self.stream = nil
        fail(error?.description ?? "closed")
    }
}
