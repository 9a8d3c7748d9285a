import Glibc

/// One TCP connection of a loop, plain or TLS behind the same calls.
///
/// What must hold:
/// - it is confined to its loop, which keeps it alive until it is closed;
/// - it keeps its handler until it has told it of the end, which every way of closing leads to, the
///   loop's stop too; so stream and handler may hold each other. A stream without a handler closes
///   at its next event;
/// - nothing is read or written for the handler before `streamDidOpen`; what is sent earlier waits
///   in the queue, so no byte of it leaves before a TLS peer is verified;
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

    /// The time for a TLS handshake, on both sides.
    public static let handshakeTimeout: Duration = .seconds(10)

    public let loop: EventLoop
    /// Who is told. Nil again once `streamDidClose` was called.
    public var handler: (any StreamHandler)? {
        didSet { if hasToldClose, handler != nil { handler = nil } }
    }
    /// The other end; nil only if the kernel did not say.
    public let peer: SocketAddress?

    let descriptor: CInt
    var tag: UInt64?
    var state: State
    let tls: TLSSession?
    var output = OutputQueue()
    /// The socket gave less than was asked for, so it is empty and the next event is sure to come.
    var isDrained = false
    /// The peer has ended its side, so a short read does not mean that there is nothing more to
    /// learn.
    var isEnding = false
    /// The end of the stream was read.
    var hasReadEnd = false
    var closeError: StreamError?
    /// The loop knows that the handler wants to read on.
    private var isReadingLater = false
    private var hasToldClose = false
    var deadline: TimerToken?
    var lingeredBytes = 0

    /// Takes over a descriptor, which the stream closes.
    init(owning descriptor: CInt, peer: SocketAddress?, state: State, tls: TLSSession?, loop: EventLoop) {
        self.descriptor = descriptor
        self.peer = peer
        self.state = state
        self.tls = tls
        self.loop = loop
    }

    /// True for a stream that is encrypted.
    public var isTLS: Bool { tls != nil }

    /// True between `streamDidOpen` and the first call or failure that closes.
    public var isOpen: Bool { state == .open }

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

    /// True if the TLS session was resumed from an earlier one.
    var isResumed: Bool { tls?.isResumed ?? false }

    /// Bytes that `send` has queued and the kernel has not taken: stop producing while this is
    /// large, and go on at `streamDidDrain`.
    public var pendingBytes: Int { output.count }

    /// Reads what is there, at most the buffer's size: one system call, or none where the last read
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
        guard !isDrained else { return .wouldBlock }
        let result = tls.read(into: buffer)
        isDrained = tls.isDrained && !isEnding
        return result
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
        guard state == .open, !isReadingLater else { return }
        isReadingLater = true
        loop.readLater(self)
    }

    /// The end of the turn, called by the loop.
    func deliverReadable() {
        isReadingLater = false
        guard state == .open else { return }
        handler?.streamDidBecomeReadable(self)
    }

    /// The end of the turn in which the stream was closed, called by the loop once.
    func deliverClosed() {
        let last = handler
        hasToldClose = true
        handler = nil
        last?.streamDidClose(self, closeError)
    }
}
