import CLinux
import Glibc

/// A listening socket of one loop. Several loops listen on one address with `reusePort`, and the
/// kernel shares the connections out.
///
/// Must hold: an accept that fails for want of descriptors never spins. The listener pauses
/// and tries again by timer; from the second failure on it takes one waiting client by its reserve
/// descriptor and closes it, so that the queue moves and clients learn of it.
public final class Listener {
    /// Connections that the kernel keeps for us; it caps this at net.core.somaxconn.
    static let backlog: CInt = 4096
    /// Accepts per event, so that a rush of connections does not starve those that are open.
    static let acceptsPerEvent = 64
    /// The pause after an accept that failed.
    static let retryDelay: Duration = .milliseconds(100)

    /// The address that is bound; port 0 is resolved.
    public let address: SocketAddress
    /// Accepts that failed for want of descriptors or memory.
    private(set) var failedAccepts = 0

    private let loop: EventLoop
    /// TLS of connections that are accepted from now on; nil for plain text.
    public var tls: ServerTLS?
    /// The time for the handshake of connections that are accepted from now on.
    public var handshakeTimeout: Duration
    /// Takes the streams of connections that are accepted from now on.
    public var onAccept: (Stream) -> Void
    /// Takes connections that are to begin with a header of the PROXY protocol, from now on, and
    /// waits for it; nil for connections without.
    public var onWait: ((ProxyHeaderWait) -> Void)?
    /// Told of each connection that is closed because it could not be accepted, with why.
    public var onShed: ((SystemError) -> Void)?
    private let descriptor: CInt
    private var tag: UInt64?
    private var reserve: CInt
    private var retry: TimerToken?
    private var consecutiveFailures = 0
    private var isClosed = false
    private var isPaused: Bool
    /// Whether another process listens on the same socket, or will: connections in its queue are
    /// left to that process.
    private var leavesQueue: Bool
    /// The file of a Unix socket, which goes with the listener.
    private var file: UnixSocketFile?

    /// Binds and listens, on the loop (`EventLoop.sync` brings a starting thread there). `onAccept`
    /// sets the stream's handler; `streamDidOpen` follows, with TLS after the handshake.
    ///
    /// - Parameters:
    ///   - inherited: listened on in place of a socket of its own.
    ///   - isPaused: whether connections wait in the kernel's queue until `resume`.
    public init(
        address: SocketAddress, loop: EventLoop, reusePort: Bool = false, tls: ServerTLS? = nil,
        handshakeTimeout: Duration = Stream.handshakeTimeout, inherited: InheritedSocket? = nil,
        isPaused: Bool = false, onAccept: @escaping (Stream) -> Void
    ) throws(SystemError) {
        loop.assertOnLoop()
        (self.loop, self.tls, self.onAccept, self.isPaused) = (loop, tls, onAccept, isPaused)
        self.handshakeTimeout = handshakeTimeout
        leavesQueue = inherited?.isKept ?? false
        if let inherited {
            descriptor = try inherited.duplicate()
            file = inherited.isKept ? nil : address.path.flatMap { UnixSocketFile(adopting: $0) }
        } else if let path = address.path {
            (descriptor, file) = try UnixSocketFile.listen(address, path, backlog: Listener.backlog)
        } else {
            (descriptor, file) = (try Listener.bind(address, reusePort: reusePort), nil)
        }
        self.address = Socket.localAddress(descriptor) ?? address
        reserve = Listener.openReserve()
        do {
            tag = try loop.add(descriptor, self, .level)
            if isPaused { update() }
        } catch {
            close()
            throw error
        }
    }

    /// Checks that nothing listens at an address: a shared port could be bound next to another
    /// program of the same user. It does not listen, so that no client can connect meanwhile and be
    /// reset.
    /// - Throws: the error of `bind`, EADDRINUSE for one.
    public static func checkIsFree(_ address: SocketAddress) throws(SystemError) {
        _ = Glibc.close(try boundSocket(address, reusePort: false))
    }

    /// Whether a socket could listen at an address now; nothing is left of the trial.
    /// - Throws: why not, EADDRINUSE where another socket does.
    public static func rehearse(_ address: SocketAddress) throws(SystemError) {
        guard let path = address.path else { return try checkIsFree(address) }
        try UnixSocketFile.rehearse(address, path)
    }

    /// Whether one of this machine's interfaces has the address; its ports do not matter.
    public static func isOfThisMachine(_ address: SocketAddress) -> Bool {
        (try? checkIsFree(address.with(port: 0))) != nil
    }

    private static func bind(_ address: SocketAddress, reusePort: Bool) throws(SystemError) -> CInt {
        let descriptor = try boundSocket(address, reusePort: reusePort)
        guard listen(descriptor, backlog) == 0 else { throw closing(descriptor, .last("listen")) }
        return descriptor
    }

    static func boundSocket(_ address: SocketAddress, reusePort: Bool) throws(SystemError) -> CInt {
        let descriptor = try Socket.open(family: address.family)
        Socket.set(descriptor, Int(SOL_SOCKET), SO_REUSEADDR, 1)
        if reusePort { Socket.set(descriptor, Int(SOL_SOCKET), SO_REUSEPORT, 1) }
        if address.isIPv6 { Socket.set(descriptor, Int(IPPROTO_IPV6), IPV6_V6ONLY, 1) }
        setOptions(ofAccepted: descriptor)
        guard address.withSockaddr({ Glibc.bind(descriptor, $0, $1) }) == 0 else {
            throw closing(descriptor, .last("bind"))
        }
        return descriptor
    }

    /// Accepted sockets inherit these, which saves the calls per connection.
    static func setOptions(ofAccepted descriptor: CInt) {
        Socket.set(descriptor, IPPROTO_TCP, TCP_NODELAY, 1)
        Socket.setKeepAlive(descriptor)
    }

    private static func closing(_ descriptor: CInt, _ error: SystemError) -> SystemError {
        _ = Glibc.close(descriptor)
        return error
    }

    private static func openReserve() -> CInt {
        Glibc.open("/dev/null", O_RDONLY | O_CLOEXEC)
    }

    /// Stops listening; connections that were accepted stay. New ones are refused, unless another
    /// listener shares the address.
    public func close() {
        loop.assertOnLoop()
        guard !isClosed else { return }
        isClosed = true
        if let retry { loop.cancel(retry) }
        // A process that was started meanwhile may have it too.
        if let tag { loop.remove(tag, shared: descriptor) }
        file?.remove()
        _ = Glibc.close(descriptor)
        if reserve >= 0 { _ = Glibc.close(reserve) }
    }

    /// Accepts the connections in the kernel's queue, which closing would reset, then closes. The
    /// queue of a socket that another process has too is left to that one.
    public func closeAfterAccepting() {
        if !leavesQueue, !isPaused { while acceptSome() {} }
        close()
    }

    /// Another process has the socket, and its file, from now on.
    public func handOver() {
        (leavesQueue, file) = (true, nil)
    }

    /// Another descriptor of the socket.
    public func copy() throws(SystemError) -> Descriptor {
        try Descriptor(copying: descriptor)
    }

    /// Begins to accept.
    public func resume() {
        isPaused = false
        update()
    }

    /// Leaves new connections in the kernel's queue until `resume`.
    public func pause() {
        isPaused = true
        update()
    }

    /// Leaves new connections in the kernel's queue while it is paused or a retry is due.
    private func update() {
        guard !isClosed, let tag else { return }
        // Changing the events of a descriptor that is in the set cannot fail.
        try? loop.setEnabled(retry == nil && !isPaused, descriptor, tag: tag)
    }

    /// Whether more may wait.
    @discardableResult
    private func acceptSome() -> Bool {
        for _ in 0..<Listener.acceptsPerEvent {
            guard !isClosed, let (descriptor, peer) = acceptOne() else { return false }
            consecutiveFailures = 0
            open(descriptor, peer)
        }
        return true
    }

    private func acceptOne() -> (CInt, SocketAddress?)? {
        while true {
            var accepted: CInt = -1
            let peer = Socket.read { address, length in
                accepted = clinux_accept4(descriptor, address, length)
                return accepted >= 0 ? 0 : -1
            }
            if accepted >= 0 { return (accepted, peer) }
            switch errno {
            case EAGAIN: return nil
            case EINTR, ECONNABORTED, EPROTO: continue  // That client has gone again (accept(2)).
            default:  // EMFILE, ENFILE, ENOBUFS, ENOMEM
                acceptFailed(.last("accept"))
                return nil
            }
        }
    }

    private func acceptFailed(_ error: SystemError) {
        failedAccepts += 1
        consecutiveFailures += 1
        if consecutiveFailures > 1, shedOne() { onShed?(error) }
        retry = loop.schedule(after: Listener.retryDelay) { [unowned self] in
            retry = nil
            update()
        }
        update()
    }

    /// Returns whether there was one to close.
    private func shedOne() -> Bool {
        if reserve >= 0 { _ = Glibc.close(reserve) }
        let shed = clinux_accept4(descriptor, nil, nil)
        if shed >= 0 { _ = Glibc.close(shed) }
        reserve = Listener.openReserve()
        return shed >= 0
    }

    private func open(_ descriptor: CInt, _ peer: SocketAddress?) {
        let arrival = Stream.Arrival(tls: tls, handshakeTimeout: handshakeTimeout, loop: loop, onAccept: onAccept)
        guard let onWait else { return Stream.open(accepted: descriptor, from: peer, arrival) }
        onWait(ProxyHeaderWait(owning: descriptor, peer: peer, arrival))
    }
}

extension Stream {
    /// How a listener's connections become streams.
    struct Arrival {
        let tls: ServerTLS?
        let handshakeTimeout: Duration
        let loop: EventLoop
        let onAccept: (Stream) -> Void
    }

    /// Takes over an accepted descriptor, which is closed where no stream can be made of it.
    static func open(accepted descriptor: CInt, from peer: SocketAddress?, _ arrival: Arrival) {
        let session: TLSSession?
        do {
            session = try arrival.tls?.makeSession(descriptor: descriptor)
        } catch {
            _ = Glibc.close(descriptor)
            return
        }
        let stream = Stream(
            owning: descriptor, peer: peer, state: .open, tls: session, loop: arrival.loop,
            handshakeTimeout: arrival.handshakeTimeout)
        if session != nil { stream.state = .handshaking }
        arrival.onAccept(stream)
        guard stream.state != .closed else { return }
        stream.register()
        guard stream.state != .closed else { return }
        if session != nil {
            stream.beginHandshake()
        } else {
            stream.didOpen([])
        }
    }
}

extension Listener: PollTarget {
    func descriptorIsReady(_ readiness: Readiness) {
        acceptSome()
    }

    func loopStops() {
        close()
    }
}
