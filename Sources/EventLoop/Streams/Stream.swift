import CLinux
import Glibc

/// A TCP connection of a loop, plain or TLS, by the same calls.
///
/// Must hold:
/// - it is confined to its loop, which keeps it alive until it is closed;
/// - it keeps its handler until it has told it of the end, which every way of closing leads to, the
///   loop's stop too; so stream and handler may hold each other. A stream without a handler closes
///   at its next event;
/// - nothing is read or written for the handler before `streamDidOpen`; bytes that are sent earlier
///   wait in the queue, so none of them leaves before a TLS peer is verified;
/// - calls after `close` do nothing.
public final class Stream {
    enum State {
        case connecting, handshaking, open
        /// `closeAfterSending` was called and output is left.
        case flushing
        /// Our side is shut down; input is discarded until the peer ends its own.
        case lingering
        case closed
    }

    /// The time for a TLS handshake where its user sets none.
    public static let handshakeTimeout: Duration = .seconds(10)
    /// Reads in one turn of an encrypted stream, each of a record at most: a peer decides how
    /// little is in one, and each costs some 2 us.
    static let recordsPerTurn = 64

    public let loop: EventLoop
    /// Called with the stream's events. Nil again once `streamDidClose` was called.
    public var handler: (any StreamHandler)? {
        didSet { if hasToldClose, handler != nil { handler = nil } }
    }
    /// The other end; nil only if the kernel did not say.
    public let peer: SocketAddress?

    let descriptor: CInt
    var tag: UInt64?
    var state: State
    private(set) var tls: TLSSession?
    var output = OutputQueue()
    /// The socket gave less than was asked for, so it is empty and the next event is sure to come.
    var isDrained = false
    /// The peer has ended its side, so a short read does not mean that there is nothing more to
    /// learn.
    public internal(set) var isEnding = false
    /// The peer has reset the connection: nothing that is sent arrives.
    public private(set) var isBroken = false
    /// The end of the stream was read.
    var hasReadEnd = false
    var closeError: StreamError?
    /// The loop knows that there is more to be done in another turn.
    private var isWaitingForTurn = false
    /// Whether a read, a write or the handshake broke off before the socket was empty, and goes on
    /// in another turn: a read that would block says nothing then.
    public private(set) var isHeldBack = false
    /// Reads in the turn of this number.
    private var reads = (turn: 0, count: 0)
    private let handshakeTimeout: Duration
    private var hasToldClose = false
    /// The client has begun with a handshake, or with something that the TLS library refuses.
    private var isHandshake = false
    /// The client has sent a byte before its handshake ended.
    private var hasBegun = false
    /// Told once how the handshake of a client has ended, before the handler is: nil when it is
    /// done. Not told where this side closes during it.
    public var onHandshake: ((Stream, HandshakeFailure?) -> Void)?
    var deadline: TimerToken?
    var lingeredBytes = 0

    /// Takes over a descriptor, which the stream closes.
    init(
        owning descriptor: CInt, peer: SocketAddress?, state: State, tls: TLSSession?, loop: EventLoop,
        handshakeTimeout: Duration = Stream.handshakeTimeout
    ) {
        (self.descriptor, self.peer, self.state) = (descriptor, peer, state)
        (self.tls, self.loop, self.handshakeTimeout) = (tls, loop, handshakeTimeout)
    }

    /// False before it has opened, and once it has failed or is being closed.
    public var isOpen: Bool { state == .open }

    /// True for a stream that is encrypted.
    public var isTLS: Bool { tls != nil }

    /// Whether the other end has answered, and the TLS handshake is under way.
    var isShakingHands: Bool { state == .handshaking }

    /// This end; nil once closed, and of a Unix socket.
    public var localAddress: SocketAddress? {
        loop.assertOnLoop()
        return state == .closed ? nil : Socket.localAddress(descriptor)
    }

    /// The user of the process at the other end of a Unix socket, as it was when it connected
    /// (unix(7)); nil for others.
    public var peerUserID: UInt32? {
        loop.assertOnLoop()
        return state == .closed ? nil : Socket.peerUserID(descriptor)
    }

    /// Whether the client may choose HTTP/2 by ALPN in the handshake that is to come or has been.
    public var offersHTTP2: Bool { tls?.offersHTTP2 ?? false }

    /// Whether it has chosen HTTP/2; known from `streamDidOpen` on.
    public var speaksHTTP2: Bool { tls?.speaksHTTP2 ?? false }

    /// The name of the server that the client has asked for in the handshake (RFC 6066 3).
    public var serverName: String? { tls?.serverName }

    /// True if the TLS session was resumed from an earlier one.
    var isResumed: Bool { tls?.isResumed ?? false }

    /// Bytes that `send` has queued and the kernel has not taken: stop producing while this is
    /// large, and go on at `streamDidDrain`.
    public var pendingBytes: Int { output.count }
    /// `streamDidDrain` is called when no more than this is queued.
    public var lowWaterMark = 0

    /// Reads waiting bytes, at most the buffer's size: one system call, or none where the last read
    /// has shown that the socket is empty.
    public func read(into buffer: UnsafeMutableRawBufferPointer) -> ReadResult {
        loop.assertOnLoop()
        guard state == .open, !buffer.isEmpty else { return .wouldBlock }
        let result = tls.map { read($0, into: buffer) } ?? readPlain(into: buffer)
        switch result {
        case .failed(let error): fail(error)
        case .end: hasReadEnd = true
        case .bytes, .wouldBlock: break
        }
        return result
    }

    private func read(_ tls: TLSSession, into buffer: UnsafeMutableRawBufferPointer) -> ReadResult {
        guard !isDrained, hasReadsLeft() else { return .wouldBlock }
        let result = tls.read(into: buffer, at: loop.now)
        isDrained = tls.isDrained && !isEnding
        if tls.isHeldBack { holdBack() }
        return result
    }

    private func hasReadsLeft() -> Bool {
        if reads.turn != loop.turnNumber { reads = (loop.turnNumber, 0) }
        reads.count += 1
        if reads.count > Stream.recordsPerTurn { holdBack() }
        return reads.count <= Stream.recordsPerTurn
    }

    /// Goes on in another turn: no event comes for bytes that were left in the socket.
    private func holdBack() {
        isHeldBack = true
        waitForTurn()
    }

    private func waitForTurn() {
        guard !isWaitingForTurn else { return }
        isWaitingForTurn = true
        loop.readLater(self)
    }

    private func readPlain(into buffer: UnsafeMutableRawBufferPointer) -> ReadResult {
        guard !isDrained else { return .wouldBlock }
        while true {
            let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
            if count > 0 {
                // Fewer bytes than asked for: the socket is empty (epoll(7)), unless an end is
                // already waiting.
                isDrained = count < buffer.count && !isEnding
                return .bytes(count)
            }
            if count == 0 { return .end }
            switch errno {
            case EINTR: continue
            case EAGAIN:
                isDrained = true
                return .wouldBlock
            default: return .failed(.system(.last("recv")))
            }
        }
    }

    /// Asks for `streamDidBecomeReadable` at the end of this turn, or, from inside such a call, of
    /// the next: for a handler that stopped before `.wouldBlock`.
    public func readLater() {
        loop.assertOnLoop()
        guard state == .open else { return }
        waitForTurn()
    }

    /// Writes one record's content; fewer bytes where it would block.
    func write(_ tls: TLSSession, _ bytes: UnsafeRawBufferPointer) -> Result<Int, StreamError> {
        let result = tls.write(bytes, at: loop.now)
        // A write reads where the peer has begun a message of the handshake.
        if tls.isHeldBack { holdBack() }
        return result
    }

    /// The end of the turn, called by the loop.
    func deliverReadable() {
        isWaitingForTurn = false
        let wasHeldBack = isHeldBack
        isHeldBack = false
        switch state {
        case .handshaking: handler == nil ? close() : continueHandshake()
        case .open:
            if wasHeldBack { flushAndTell() }
            if state == .open { handler?.streamDidBecomeReadable(self) }
        case .flushing: flushBeforeClosing()
        case .connecting, .lingering, .closed: break
        }
    }

    /// The end of the turn in which the stream was closed, called by the loop once.
    func deliverClosed() {
        let last = handler
        hasToldClose = true
        handler = nil
        last?.streamDidClose(self, closeError)
    }
}

/// Events from the loop to the stream, and from there to its handler.
extension Stream: PollTarget {
    /// Begins to watch the descriptor; a failure is reported like any other, at the end of the
    /// turn.
    func register() {
        do {
            tag = try loop.add(descriptor, self, .edge)
        } catch {
            fail(.system(error))
        }
    }

    func loopStops() {
        close()
    }

    func descriptorIsReady(_ readiness: Readiness) {
        if readiness.contains(.readable) { isDrained = false }
        if readiness.contains(.ending) { isEnding = true }
        if readiness.contains(.broken) { isBroken = true }
        if handler == nil, state != .flushing, state != .lingering { return close() }
        switch state {
        case .connecting: finishConnecting(readiness)
        // The stream waits for its turn among the others.
        case .handshaking: waitForTurn()
        case .open: transfer(readiness)
        case .flushing: flushBeforeClosing()
        case .lingering: discardInput()
        case .closed: break
        }
    }

    private func transfer(_ readiness: Readiness) {
        // A TLS write may wait for input and a read for room, so with TLS any event moves both.
        if readiness.contains(.writable) || isTLS { flushAndTell() }
        let isReadable = readiness.contains(.readable) || tls?.readWantsWrite == true
        if state == .open, isReadable { handler?.streamDidBecomeReadable(self) }
    }

    private func finishConnecting(_ readiness: Readiness) {
        guard readiness.contains(.writable) || readiness.contains(.ending) else { return }
        var code: CInt = 0
        var length = socklen_t(MemoryLayout<CInt>.size)
        getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &length)
        guard code == 0 else { return fail(.system(SystemError(call: "connect", errno: code))) }
        if tls == nil {
            didOpen(readiness)
        } else {
            beginHandshake()
        }
    }

    /// Begins the handshake, which has to end in its time, however it comes.
    func beginHandshake() {
        state = .handshaking
        deadline = loop.schedule(after: handshakeTimeout) { [unowned self] in
            deadline = nil
            failHandshake(.handshakeTimedOut)
        }
        waitForTurn()
    }

    private func continueHandshake() {
        guard let tls, tls.isClient || hasBegunHandshake() else { return }
        guard loop.handshakes.take() else { return waitForTurn() }
        switch tls.handshake(at: loop.now) {
        case .success(false): if tls.isHeldBack { holdBack() }
        case .success(true):
            cancelDeadline()
            tellHandshake(nil)
            // OpenSSL's buffer may already hold bytes after the handshake, for which no event
            // comes.
            didOpen(.readable)
        case .failure(let error): failHandshake(error)
        }
    }

    private func failHandshake(_ error: StreamError) {
        if onHandshake != nil, let tls {
            let failure = tls.failure(of: error)
            let isSilent = !hasBegun && (failure.kind == .closed || failure.kind == .late)
            tellHandshake(isSilent ? HandshakeFailure(.silent) : failure)
        }
        fail(error)
    }

    private func tellHandshake(_ failure: HandshakeFailure?) {
        onHandshake.take()?(self, failure)
    }

    /// Whether the client's bytes are for the TLS library; a request in the clear is refused here.
    private func hasBegunHandshake() -> Bool {
        guard !isHandshake else { return true }
        switch FirstBytes(peekingInto: descriptor) {
        case .nothing where !isEnding: return false
        case .unknown where !isEnding:
            hasBegun = true
            return false
        case .nothing, .end:
            isHandshake = true
            return true
        case .unknown, .other:
            (isHandshake, hasBegun) = (true, true)
            return true
        case .request:
            cancelDeadline()
            tellHandshake(HandshakeFailure(.notTLS, reason: "HTTP in the clear"))
            tls = nil
            state = .open
            handler?.streamDidMeetPlainHTTP(self)
            if state == .open { fail(.tls("HTTP without TLS")) }
            return false
        }
    }

    /// Opens, sends queued bytes, and looks for input.
    func didOpen(_ readiness: Readiness) {
        state = .open
        handler?.streamDidOpen(self)
        flushAndTell()
        if state == .open, readiness.contains(.readable) { handler?.streamDidBecomeReadable(self) }
    }

    private func flushAndTell() {
        guard state == .open, !output.isEmpty else { return }
        flush()
        if state == .open, output.count <= lowWaterMark { handler?.streamDidDrain(self) }
    }

    func cancelDeadline() {
        if let deadline { loop.cancel(deadline) }
        deadline = nil
    }
}
