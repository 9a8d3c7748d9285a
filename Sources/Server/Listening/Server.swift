import EventLoop
import HTTP

/// The connections of one loop, and the listeners that bring them.
///
/// Confined to its loop; `listen` and `drain` are called on it.
public final class Server {
    /// The most connections that one loop has.
    public static var mostConnections: Int { Limits.connections }

    private let context: LoopContext
    private let service: any Service
    private let limits: MessageLimits
    /// Those of connections that are still to come.
    private(set) var timeouts: ClientTimeouts
    private var census: ConnectionCensus { context.census }
    /// By the address bound; several where several sockets of one address were inherited.
    private var listeners: [SocketAddress: [Listener]] = [:]
    private var connections: [ObjectIdentifier: any ServedConnection] = [:]
    /// Connections whose header has not come yet, in the order in which they came.
    private var waiting: [ProxyHeaderWait] = []
    private var whenDrained: [(_ cutOff: Int) -> Void] = []
    private var cutOff = 0

    /// No connection comes until it is told to listen.
    public init(
        context: LoopContext, service: any Service, limits: MessageLimits = .request,
        timeouts: ClientTimeouts = ClientTimeouts()
    ) {
        (self.context, self.service) = (context, service)
        (self.limits, self.timeouts) = (limits, timeouts)
    }

    /// Begins to listen; the address bound, with port 0 resolved.
    /// - Parameter isPaused: whether connections wait until `adopt` keeps the listener.
    public func listen(
        _ settings: ListenerSettings, sharesPort: Bool, isPaused: Bool = false
    ) throws(SystemError) -> SocketAddress {
        guard !settings.inherited.isEmpty else { return try listen(settings, on: nil, sharesPort, isPaused) }
        var address = settings.address
        do throws(SystemError) {
            for socket in settings.inherited { address = try listen(settings, on: socket, sharesPort, isPaused) }
        } catch {
            cancelListening(at: address)
            throw error
        }
        return address
    }

    /// Begins to listen at several addresses or at none; the first of those bound.
    func listen(_ first: ListenerSettings, _ others: [ListenerSettings]) throws(SystemError) -> SocketAddress {
        let address = try listen(first, sharesPort: false)
        do throws(SystemError) {
            for other in others { _ = try listen(other.filling(port: address.port), sharesPort: false) }
        } catch {
            for address in listeners.keys { cancelListening(at: address) }
            throw error
        }
        return address
    }

    private func listen(
        _ settings: ListenerSettings, on inherited: InheritedSocket?, _ sharesPort: Bool, _ isPaused: Bool
    ) throws(SystemError) -> SocketAddress {
        let listener = try Listener(
            address: settings.address, loop: context.loop, reusePort: sharesPort, tls: settings.tls,
            handshakeTimeout: timeouts.head, inherited: inherited, isPaused: isPaused
        ) { [unowned self] stream in accept(stream) }
        expect(settings.headers, on: listener)
        listeners[listener.address, default: []].append(listener)
        return listener.address
    }

    /// Goes over to other listeners and timeouts; no connection notices.
    package func adopt(_ listening: [BoundListener], _ timeouts: ClientTimeouts) {
        self.timeouts = timeouts
        let kept = Set(listening.map(\.address))
        for address in listeners.keys where !kept.contains(address) { stopListening(at: address) }
        for bound in listening {
            for listener in listeners[bound.address] ?? [] {
                (listener.tls, listener.handshakeTimeout) = (bound.settings.tls, timeouts.head)
                expect(bound.settings.headers, on: listener)
                listener.resume()
            }
        }
    }

    /// Takes back a listener that was never used.
    package func cancelListening(at address: SocketAddress) {
        for listener in listeners.removeValue(forKey: address) ?? [] { listener.close() }
    }

    private func stopListening(at address: SocketAddress) {
        for listener in listeners.removeValue(forKey: address) ?? [] { listener.closeAfterAccepting() }
    }

    private func accept(_ stream: Stream) {
        guard connections.count < Limits.connections, census.enter(from: stream.peer) else {
            stream.close()
            return
        }
        guard stream.offersHTTP2 else { return serve(stream) }
        let connection = NegotiatingConnection(stream) { [weak self] connection, stream in
            self?.connections[ObjectIdentifier(connection)] = nil
            self?.serve(stream)
        } onClose: { [weak self] connection, error in
            self?.closed(connection, error)
        }
        connections[ObjectIdentifier(connection)] = connection
    }

    /// Begins to read requests.
    private func serve(_ stream: Stream) {
        let onClose: (any ServedConnection, StreamError?) -> Void = { [weak self] in self?.closed($0, $1) }
        let connection: any ServedConnection =
            if stream.speaksHTTP2 {
                HTTP2Session(
                    stream: stream, context: context, service: service, limits: limits, timeouts: timeouts,
                    onOffence: { [census] in census.noteFlood() }, onClose: onClose)
            } else {
                ClientConnection(
                    stream: stream, context: context, service: service, limits: limits, timeouts: timeouts,
                    onClose: onClose)
            }
        connections[ObjectIdentifier(connection)] = connection
        if isDraining { connection.drain(idleSince: context.loop.now - timeouts.grace) }
    }

    private func closed(_ connection: any ServedConnection, _ error: StreamError?) {
        connections[ObjectIdentifier(connection)] = nil
        census.noteEnd(of: connection.peer.address, by: error, at: context.loop.now)
        census.leave(from: connection.peer.address)
        endIfDrained()
    }

    /// Stops listening, lets requests in hand finish, then calls `completion` with the number of
    /// those that had not finished by the drain timeout and were cut off.
    /// - Parameter patience: given where another process has the sockets from now on: there is no
    ///   hurry then, and requests and idle connections have that long.
    public func drain(patience: Duration? = nil, _ completion: @escaping (_ cutOff: Int) -> Void) {
        if patience != nil { for listener in listeners.values.joined() { listener.handOver() } }
        for address in listeners.keys { stopListening(at: address) }
        service.drain()
        whenDrained.append(completion)
        let now = context.loop.now
        let (grace, end) = (patience ?? timeouts.grace, patience ?? timeouts.drain)
        for connection in connections.values { connection.drain(idleSince: now - grace) }
        if connections.isEmpty, waiting.isEmpty { return endIfDrained() }
        _ = context.loop.schedule(at: now + min(grace, end)) { [weak self] in
            self?.closeWaiting()
            for connection in (self?.connections ?? [:]).values { connection.endGrace() }
        }
        _ = context.loop.schedule(at: now + end) { [weak self] in self?.cutOffTheRest() }
    }

    private func cutOffTheRest() {
        closeWaiting()
        cutOff += connections.values.count(where: \.isOpen)
        for connection in connections.values { connection.close() }
    }

    private var isDraining: Bool { !whenDrained.isEmpty }

    private func endIfDrained() {
        guard isDraining, connections.isEmpty, waiting.isEmpty else { return }
        let completions = whenDrained
        whenDrained = []
        for completion in completions { completion(cutOff) }
    }
}

// Connections that begin with a header of the PROXY protocol.
// Must hold: each counts among all connections from the moment it is accepted, and among those of
// its client from its header on; so a flood of silent ones takes no more descriptors than others.

extension Server {
    /// Sets how connections that come from now on begin.
    private func expect(_ headers: ProxyHeaders?, on listener: Listener) {
        listener.onWait = headers.map { headers in { [unowned self] wait in awaitHeader(wait, headers) } }
    }

    /// Waits for the header of a connection. Where many wait, the eldest has had its time: a load
    /// balancer sends the header at once.
    private func awaitHeader(_ wait: ProxyHeaderWait, _ headers: ProxyHeaders) {
        if waiting.count >= Limits.awaitedHeaders { waiting[0].close(.late) }
        guard census.enter(from: nil) else { return wait.close() }
        waiting.append(wait)
        wait.start(timeout: timeouts.head) { [weak self, census, loop = context.loop] wait, failure in
            census.leave(from: nil)
            if let words = failure?.words {
                census.refuseHeader()
                headers.refused(from: wait.peer, because: words, at: loop.now)
            }
            self?.waiting.removeAll { $0 === wait }
            self?.endIfDrained()
        }
    }

    private func closeWaiting() {
        for wait in waiting { wait.close() }
    }
}

// Sockets for another process that goes on in the place of this one.

extension Server {
    /// Another descriptor of each socket that is listened on, with its address.
    public func copySockets() throws(SystemError) -> [(address: SocketAddress, socket: Descriptor)] {
        try listeners.values.joined().map { listener throws(SystemError) in (listener.address, try listener.copy()) }
    }

    /// Leaves new connections in the kernel's queues, or goes on accepting them.
    public func setAccepting(_ accepts: Bool) {
        for listener in listeners.values.joined() { accepts ? listener.resume() : listener.pause() }
    }
}
