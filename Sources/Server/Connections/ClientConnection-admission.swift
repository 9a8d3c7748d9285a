import EventLoop
import HTTP

// The bounds of a request before its service gets it: its memory, and its client's address, which a
// trusted load balancer names where one connection brings the requests of many clients.
// Must hold: a request that counts for its client's address stops counting once, when it is over.

extension ClientConnection {
    /// Lets the service judge the head before content is read. An answer now leaves content unread,
    /// after which nothing on this connection has a meaning (FRAMING 1.9).
    func admitContent() {
        phase = .answering
        requestedAt = context.loop.now
        client = nil
        keepsAlive = false
        isAdmitted = nameClient() && service.admits(self)
        guard isAdmitted, isOpen else { return }
        keepsAlive = true
        phase = .reading
    }

    /// Counts the bytes of the input; refuses the request where the budget has no room for them.
    func hold(_ input: RequestInput) -> Bool {
        switch context.hold(input, of: party) {
        case .taken: return true
        case _ where !context.requestBudget.canHold(input.size):
            noteRefusal()
            refuse(
                status: 413, detail: "The request is larger than one client's share of the memory for requests.",
                because: "request memory")
        case .full:
            noteRefusal()
            refuse(status: 503, detail: "The proxy has no memory left for more requests.", because: "request memory")
        case .shareUsed:
            noteRefusal()
            refuse(
                status: 503, detail: "This client's other requests hold its share of the memory for requests.",
                because: "share of request memory")
        }
        return false
    }

    private func noteRefusal() {
        context.census.refusals.note(.requestMemory, namedClient ?? stream.peer, at: context.loop.now)
    }

    /// Whether a request of this client's may wait for an answer of the origin's.
    package var requestRoom: RequestBudget.Taking { context.requestBudget.room(of: party) }

    /// The number of the client's network; nil for a Unix socket.
    package var peerNetwork: UInt64? { (namedClient ?? stream.peer)?.network }

    /// Finds the client of the request, and counts the request for its address.
    /// - Returns: false where the address has too many requests, and this one has been answered.
    @inline(__always)
    func nameClient() -> Bool { context.trustedProxies == nil && namedClient == nil || nameClientAnew() }

    private func nameClientAnew() -> Bool {
        namedClient = stream.peer.flatMap { peer in
            withHeadBytes { context.trustedProxies?.client(of: head, $0, from: peer) }
        }
        guard let network = namedClient?.network else { return true }
        if context.census.enterRequest(of: network, namedClient, at: context.loop.now) {
            countedNetwork = network
            return true
        }
        let error = AppleError(status: 503, detail: "This address has too many concurrent requests.")
        let content = error.content
        service.refused(self, status: error.status, contentLength: content.count, because: "requests of this address")
        respond(content: content) { buffer in
            AppleError.writeHead(status: error.status, contentLength: content.count, to: &buffer)
            service.writeRefusalFields(to: &buffer)
        }
        return false
    }

    /// The request is over.
    func uncountRequest() {
        guard let network = countedNetwork else { return }
        countedNetwork = nil
        context.census.leaveRequest(of: network)
    }
}
