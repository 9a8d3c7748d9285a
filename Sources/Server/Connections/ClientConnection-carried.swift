import HTTP

// A connection that is one stream of an HTTP/2 session: how requests come to it, and answers leave.
// Everything between, from the memo of requests to the budgets, is the same as on a socket.

extension ClientConnection {
    /// Answer bytes that have been queued and have not left.
    var pendingBytes: Int { carrier?.pendingBytes ?? stream.pendingBytes }

    /// When the queue is short enough again for the source of a streamed answer.
    var lowWaterMark: Int {
        get { carrier?.lowWaterMark ?? stream.lowWaterMark }
        set { if let carrier { carrier.lowWaterMark = newValue } else { stream.lowWaterMark = newValue } }
    }

    /// Whether the service, the request or a streamed answer is still at work on it.
    var isBeingServed: Bool {
        switch phase {
        case .reading, .answering, .streaming: true
        case .draining, .closing: false
        }
    }

    // MARK: - Requests

    /// Lets bytes of the request be added, as long as it is read.
    func withInput(_ body: (inout ByteBuffer) -> Void) {
        guard case .reading = phase, let input else { return }
        body(&input.bytes)
    }

    /// What has come of a request counts towards the memory of requests while it is not whole.
    func countInput() {
        if case .reading = phase, let input { _ = context.hold(input, canBeRefused: false) }
    }

    // MARK: - Answers

    /// Begins the answer whose head is in the scratch.
    /// - Parameter content: nil where it is still coming.
    func answer(on carrier: HTTP2Stream, _ content: [UInt8]?) {
        context.scratch.withUnsafeReadable { carrier.answer($0, content) }
        context.scratch.removeAll(keepingCapacity: true)
    }

    /// Sends the interim response that is in the scratch.
    func hintScratch() {
        context.scratch.withUnsafeReadable { carrier?.hint($0) }
        context.scratch.removeAll(keepingCapacity: true)
    }

    /// The answer is with the session, and nobody looks at the request any more.
    func finishCarried() {
        releaseInput()
        expectNothing()
        phase = .draining
    }

    /// The session has sent something of the answer, or could not.
    func streamMoved() {
        switch phase {
        case .draining where pendingBytes > 0:
            if unsent == nil { countUnsentContent() }
            if !isWaitingForRoom { expectRoom() }
        case .streaming where pendingBytes <= lowWaterMark && resumeSource != nil:
            expectNothing()
            resumeSource.take()?()
        case .reading, .answering, .streaming, .draining, .closing: break
        }
    }

    private func countUnsentContent() {
        guard let carrier, carrier.contentPlace != 0 else { return countUnsentRest() }
        countUnsent(carrier.contentBytes, at: carrier.contentPlace)
    }

    /// Lets the answer go, and says so.
    func abandon(_ code: HTTP2ErrorCode) {
        uncountUnsent()
        carrier?.reset(code)
    }

    /// Both sides are done with the stream, or the client has gone.
    func streamEnded() {
        leave()
        uncountUnsent()
        tellEnd()
    }
}
