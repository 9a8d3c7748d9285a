import EventLoop
import HTTP

/// A client's connection: reads requests one at a time, hands each to the service, sends its
/// answers.
///
/// Confined to its loop. Must hold:
/// - each request is answered exactly once; while that is outstanding nothing more is read from the
///   client, and while the answer has not left nothing more is begun, so a slow client costs one
///   answer at most, and pipelined requests are answered in their order (RFC 9112 9.3.2);
/// - the bytes of a request stay until it is answered, also when the client has gone meanwhile;
/// - the server keeps the connection until `onClose`, which is called once, when the socket is
///   closed.
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
        /// Nothing is read or answered any more; the last answer may still be leaving.
        case closing
    }

    /// The purpose of the deadline.
    private enum Awaited {
        case nothing, request, head, body, room
    }

    /// Shared with the other connections of its loop.
    public let context: LoopContext
    /// The socket; streams of HTTP/2 share one.
    let stream: Stream
    let carrier: any Carrier
    /// Whether it is one request of an HTTP/2 connection, whose carrier delimits content.
    public let isHTTP2: Bool
    let service: any Service
    let timeouts: ClientTimeouts
    private let limits: MessageLimits
    /// In nanoseconds.
    private let idle: Int64
    private(set) var input: RequestInput?
    var phase = Phase.reading
    private var awaited = Awaited.nothing
    private let deadlines: DeadlineTimer
    /// When the request being answered was complete, as of the beginning of that turn of the loop.
    public internal(set) var requestedAt: Instant
    /// The client, where the service has found it out; forgotten with the next request.
    public var client: Client?
    /// Whether the service has admitted the request by its head already.
    public internal(set) var isAdmitted = false
    /// The client that a trusted proxy names in the request; nil where the peer is the client.
    var namedClient: SocketAddress? {
        didSet { if namedClient != oldValue { peerText = textOfClient } }
    }
    /// The network under which the request counts; nil where it does not.
    var countedNetwork: UInt64?
    /// The client's address without its port, as the access log writes it; made once.
    package private(set) lazy var peerText: [UInt8] = textOfClient
    private var textOfClient: [UInt8] {
        if let namedClient { return Array(namedClient.host.utf8) }
        return Array((stream.peer?.host ?? "-").utf8)
    }
    /// Called when a streamed answer's queue has drained and the source may go on.
    var resumeSource: (() -> Void)?
    /// Called once when the client ends its side while its answer is outstanding; see `watchEnd`.
    var whenEnding: (() -> Void)?
    /// Ticket among the answers that have not left yet.
    var unsent: AnswerBudget.Ticket?
    private var isReadable = false
    private(set) var isPumping = false
    var keepsAlive = true
    private(set) var isLast = false
    /// Whether it closes rather than wait for a request.
    private var endsWhenIdle = false
    /// Bytes queued when the write deadline was set.
    private var pendingWhenWaiting = 0
    private let onClose: (any ServedConnection, StreamError?) -> Void

    /// Requests that one connection may have answered before others get their turn.
    private static let requestsPerTurn = 64

    /// A connection for one request of an HTTP/2 connection, on whose socket others are as well.
    /// - Parameter peerText: the client's address, as the access log writes it.
    convenience init(
        carrier: any Carrier, stream: Stream, input: RequestInput, context: LoopContext, service: any Service,
        limits: MessageLimits, timeouts: ClientTimeouts, peerText: [UInt8]
    ) {
        self.init(
            carrier: carrier, stream: stream, context: context, service: service, limits: limits, timeouts: timeouts,
            isHTTP2: true, onClose: { _, _ in })
        (self.input, self.peerText) = (input, peerText)
    }

    /// A socket, and all requests on it.
    convenience init(
        stream: Stream, context: LoopContext, service: any Service, limits: MessageLimits, timeouts: ClientTimeouts,
        onClose: @escaping (any ServedConnection, StreamError?) -> Void
    ) {
        self.init(
            carrier: stream, stream: stream, context: context, service: service, limits: limits, timeouts: timeouts,
            isHTTP2: false, onClose: onClose)
        stream.handler = self
        expect(.head, within: timeouts.head)
    }

    private init(
        carrier: any Carrier, stream: Stream, context: LoopContext, service: any Service, limits: MessageLimits,
        timeouts: ClientTimeouts, isHTTP2: Bool,
        onClose: @escaping (any ServedConnection, StreamError?) -> Void
    ) {
        (self.carrier, self.stream, self.isHTTP2) = (carrier, stream, isHTTP2)
        (self.context, self.service, self.timeouts) = (context, service, timeouts)
        (self.onClose, self.limits) = (onClose, limits)
        idle = timeouts.idle.wholeNanoseconds
        requestedAt = context.loop.now
        deadlines = DeadlineTimer(loop: context.loop)
        deadlines.action = { [unowned self] in self.deadlinePassed() }
    }

    /// A request whose answer broke off is counted until its service can no longer look at it.
    deinit { if let input { context.release(input) } }

    /// The peer's address, and that of this end.
    public var peer: ConnectionPeer { ConnectionPeer(of: stream) }

    /// The request being answered, and only while it is.
    public var head: RequestHead { answered.head }

    /// The request's body; empty when there is none.
    public var body: [UInt8] { answered.body }

    /// The request being answered, if the same came before.
    public var repeated: RepeatedRequest? { answered.repeated }

    private var answered: RequestInput {
        guard let input else { preconditionFailure("there is no request to be answered") }
        return input
    }

    /// False once the client has gone or is being let go; answers are dropped then.
    public var isOpen: Bool {
        if case .closing = phase { false } else { true }
    }

    /// The bytes that the ranges of `head` count in: those of the request being answered, and only
    /// while it is.
    public func withHeadBytes<R, E: Error>(_ body: (Span<UInt8>) throws(E) -> R) throws(E) -> R {
        try answered.withHeadBytes(body)
    }

    /// The beginning of the request being refused, as far as it has come: the request line, and
    /// perhaps more. Nil where nothing is kept of it.
    public func withBegunBytes<R>(_ body: (Span<UInt8>) -> R) -> R? { input?.withHeadBytes(body) }

    /// Answers one more request, the one in hand or the next, then closes. A connection that has
    /// been idle since `limit` is closed now; any other may have a request on its way, in whose
    /// face it would be closed, and has until `endGrace`.
    func drain(idleSince limit: Instant) {
        isLast = true
        guard case .reading = phase, input == nil, awaited == .request, let end = deadlines.deadline else { return }
        if end <= limit.advanced(by: idle) { close() }
    }

    /// Closes as soon as no request is in hand.
    func endGrace() {
        endsWhenIdle = true
        if case .reading = phase, input == nil { close() }
    }

    /// Closes now, whatever is still queued.
    public func close() { end(.cancelled) }

    /// Breaks the connection so that the client sees a reset, and cannot take half an answer for a
    /// whole one.
    public func reset() { end(.failed) }

    private func end(_ reason: CarrierEnd) {
        leave()
        uncountUnsent()
        carrier.end(reason)
    }

    /// Nothing more will be read or answered.
    func leave() {
        guard isOpen else { return }
        uncountRequest()
        // A service that is still to answer may look at the request until it has.
        if case .reading = phase { releaseInput() }
        phase = .closing
        deadlines.cancel()
        resumeSource.take()?()
    }

    func releaseInput() {
        guard let released = input else { return }
        input = nil
        context.giveBack(released)
    }
}

extension ClientConnection {
    /// Sets the deadline unless it is already set for the same thing: deadlines are absolute, bytes
    /// do not move them.
    private func expect(_ next: Awaited, within timeout: Duration) {
        guard awaited != next else { return }
        awaited = next
        deadlines.set(context.loop.now + timeout)
    }

    func expectNothing() {
        awaited = .nothing
        deadlines.clear()
    }

    func expectRoom() {
        awaited = .room
        pendingWhenWaiting = carrier.pendingBytes
        carrier.beginWaiting()
        deadlines.set(context.loop.now + timeouts.write)
    }

    var isWaitingForRoom: Bool { awaited == .room }

    /// Bytes that have left since the write deadline was set.
    private var taken: Int { max(pendingWhenWaiting - carrier.pendingBytes, carrier.sentMeanwhile) }

    private func deadlinePassed() {
        switch awaited {
        case .head where input != nil, .body:
            let cause = awaited == .body ? "slow content" : "slow head"
            refuse(status: 408, detail: "The request took too long.", because: cause)
        case .room where taken >= timeouts.leastBytesWritten: expectRoom()
        case .nothing, .request, .head, .room: close()
        }
    }

    /// After an answer: the next request, at any time.
    func becomeIdle() {
        phase = .reading
        awaited = .request
        deadlines.set(context.loop.now.advanced(by: idle))
    }
}

// MARK: - Reading

extension ClientConnection: StreamHandler, ServedConnection {
    /// Says so in the clear, which is all that the client understands.
    public func streamDidMeetPlainHTTP(_ stream: Stream) {
        refuse(status: 400, detail: "A plain HTTP request was sent to an HTTPS port.", because: "plain http")
    }

    /// Reads, as far as nothing is being answered.
    public func streamDidBecomeReadable(_ stream: Stream) {
        isReadable = true
        if stream.isEnding { tellEnd() }
        pump()
    }

    /// The client has caught up.
    public func streamDidDrain(_ stream: Stream) {
        uncountUnsent()
        switch phase {
        case .draining:
            becomeIdle()
            pump()
        case .streaming:
            expectNothing()
            resumeSource.take()?()
        case .reading, .answering, .closing: break
        }
    }

    /// The client has gone, or was let go.
    public func streamDidClose(_ stream: Stream, _ error: StreamError?) {
        leave()
        uncountUnsent()
        tellEnd()
        onClose(self, error)
    }

    /// Reads and hands on requests until the socket is empty, an answer is outstanding, or others
    /// deserve a turn.
    func pump() {
        if isPumping { return }
        isPumping = true
        defer { isPumping = false }
        var handled = 0
        while case .reading = phase {
            guard handled < Self.requestsPerTurn else {
                stream.readLater()
                return
            }
            let input = self.input ?? context.takeInput(limits)
            self.input = input
            switch context.advance(input) {
            case .complete:
                handled += 1
                expectNothing()
                phase = .answering
                requestedAt = context.loop.now
                if !isAdmitted {
                    client = nil
                    guard nameClient() else { break }
                }
                service.handle(self)
                isAdmitted = false
            case .contentAhead: admitContent()
            case .continueExpected:
                sendContinue()
                if !fill(input) { return }
            case .needMore:
                if input.isReadingBody, !hold(input) { return }
                if !fill(input) { return }
            case .failed(let error): refuse(malformed: error)
            }
        }
        // An answer that comes later; until then the request keeps its memory.
        guard case .answering = phase, let input else { return }
        // One socket may bring very many.
        if context.hold(input, of: party, canBeRefused: isHTTP2) != .taken { end(.excess) }
    }

    /// Reads once into `input`; false when there is nothing to go on with.
    private func fill(_ input: RequestInput) -> Bool {
        guard isReadable else {
            waitForMore(input)
            return false
        }
        let result = input.bytes.withUnsafeWritable(minimum: 4096) { target in
            let result = stream.read(into: target)
            return (written: result.count, result: result)
        }
        switch result {
        case .bytes: return true
        case .wouldBlock:
            isReadable = false
            waitForMore(input)
        case .end, .failed: close()
        }
        return false
    }

    private func waitForMore(_ input: RequestInput) {
        if input.isReadingBody {
            if hold(input) { expect(.body, within: timeouts.body) }
        } else if !input.bytes.isEmpty {
            if hold(input) { expect(.head, within: timeouts.head) }
        } else {
            releaseInput()
            if endsWhenIdle { close() }
        }
    }
}
