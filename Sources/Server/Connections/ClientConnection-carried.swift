import HTTP

// Events of an HTTP/2 session, for a connection that is one of its streams. Those of a socket are
// events of `StreamHandler`.

extension ClientConnection {
    /// Whether the service, the request or a streamed answer is still at work on it.
    var isBeingServed: Bool {
        switch phase {
        case .reading, .answering, .streaming: true
        case .draining, .closing: false
        }
    }

    /// Lets bytes of the request be added, as long as it is read.
    func withInput(_ body: (inout ByteBuffer) -> Void) {
        guard case .reading = phase, let input else { return }
        body(&input.bytes)
    }

    /// A request that is not whole yet counts towards the memory of requests.
    func countInput() {
        if case .reading = phase, let input { _ = context.hold(input, of: party, canBeRefused: false) }
    }

    /// The session has sent something of the answer, or could not.
    /// - Parameter content: a content that other connections may be sent as well.
    func streamMoved(_ content: (byteCount: Int, place: UInt)?) {
        switch phase {
        case .draining where carrier.pendingBytes > 0:
            if unsent == nil {
                if let content { countUnsent(content.byteCount, at: content.place) } else { countUnsentRest() }
            }
            if !isWaitingForRoom { expectRoom() }
        case .streaming where carrier.pendingBytes <= carrier.lowWaterMark && resumeSource != nil:
            expectNothing()
            resumeSource.take()?()
        case .reading, .answering, .streaming, .draining, .closing: break
        }
    }

    /// Ends the connection: both sides are done with the stream, or the client has gone.
    func streamEnded() {
        leave()
        uncountUnsent()
        tellEnd()
    }
}
