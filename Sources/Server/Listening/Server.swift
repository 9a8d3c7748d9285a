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
    /// Timeouts of connections that are still to come.
    private(set) var timeouts: ClientTimeouts
    private var census: ConnectionCensus { context.census }
    /// By the address bound; several where several sockets of one address were inherited.
    private var listeners: [SocketAddress: [BoundSocket]] = [:]
    private var connections: [ObjectIdentifier: Member] = [:]
    /// Connections whose header has not come yet, in the order in which they came.
    private var waiting: [(wait: ProxyHeaderWait, term: Int)] = []
    private var lastTerm = 0
    /// Terms that are over while connections of theirs are left.
    private var endedTerms: Set<Int> = []
    private var whenDrained: [(_ cutOff: Int) -> Void] = []
    private var cutOff = 0
    /// A closure that the streams of all connections share.
    private let noteHandshake: (Stream, HandshakeFailure?) -> Void

    /// A socket that is listened on, in its present *term*: the time in which its settings allow
    /// the connections that come by it. A reload that wants others begins another term.
    private struct BoundSocket {
        let listener: Listener
        let term: Int
    }

    /// A connection, which ends after its term.
    private struct Member {
        let connection: any ServedConnection
        let term: Int
    }

    /// No connection comes until it is told to listen.
    public init(
        context: LoopContext, service: any Service, limits: MessageLimits = .request,
        timeouts: ClientTimeouts = ClientTimeouts()
    ) {
        (self.context, self.service) = (context, service)
        (self.limits, self.timeouts) = (limits, timeouts)
        noteHandshake = { [census = context.census, loop = context.loop] stream, failure in
            census.refusals.noteHandshake(failure, stream.peer, at: loop.now)
        }
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
        ) { $0.close() }
        listener.onShed = { [census, loop = context.loop] error in
            census.refusals.note(.accept, nil, error.description, at: loop.now)
        }
        listeners[listener.address, default: []].append(beginTerm(of: listener, settings.headers))
        return listener.address
    }

    /// Sets what becomes of the connections that a listener accepts from now on.
    private func beginTerm(of listener: Listener, _ headers: ProxyHeaders?) -> BoundSocket {
        lastTerm += 1
        let bound = BoundSocket(listener: listener, term: lastTerm)
        listener.onAccept = { [unowned self] stream in accept(stream, bound.term) }
        expect(headers, on: bound)
        return bound
    }

    /// Goes over to other listeners and timeouts.
    /// - Parameter ended: addresses whose connections end, as in a stop; no other notices.
    /// - Returns: the number of these connections.
    package func adopt(
        _ listening: [BoundListener], _ timeouts: ClientTimeouts, ending ended: Set<SocketAddress>
    ) -> Int {
        self.timeouts = timeouts
        let terms = Set(ended.flatMap { listeners[$0] ?? [] }.map(\.term))
        // First, for a listener that stops accepts the connections in its queue.
        endedTerms.formUnion(terms)
        let kept = Set(listening.map(\.address))
        for address in listeners.keys where !kept.contains(address) { stopListening(at: address) }
        for bound in listening {
            listeners[bound.address] = listeners[bound.address]?.map { socket in
                (socket.listener.tls, socket.listener.handshakeTimeout) = (bound.settings.tls, timeouts.head)
                defer { socket.listener.resume() }
                if terms.contains(socket.term) { return beginTerm(of: socket.listener, bound.settings.headers) }
                expect(bound.settings.headers, on: socket)
                return socket
            }
        }
        return terms.isEmpty ? 0 : end(terms)
    }

    /// Ends the connections of terms that are over. A listener that comes back begins another term,
    /// so its new connections stay.
    private func end(_ terms: Set<Int>) -> Int {
        let count = members(of: terms).count + waiting.count { terms.contains($0.term) }
        dismiss(
            grace: timeouts.grace, end: timeouts.drain, members: { $0.members(of: terms) },
            cutOff: { server in
                for member in server.members(of: terms) { member.close() }
                server.endedTerms.subtract(terms)
            })
        return count
    }

    private func members(of terms: Set<Int>) -> [any ServedConnection] {
        connections.values.filter { terms.contains($0.term) }.map(\.connection)
    }

    /// Takes back a listener that was never used.
    package func cancelListening(at address: SocketAddress) {
        for socket in listeners.removeValue(forKey: address) ?? [] { socket.listener.close() }
    }

    private func stopListening(at address: SocketAddress) {
        for socket in listeners.removeValue(forKey: address) ?? [] { socket.listener.closeAfterAccepting() }
    }

    private func accept(_ stream: Stream, _ term: Int) {
        guard hasRoom(for: stream.peer), census.enter(from: stream.peer, at: context.loop.now) else {
            stream.close()
            return
        }
        if stream.isTLS { stream.onHandshake = noteHandshake }
        guard stream.offersHTTP2 else { return serve(stream, term) }
        let connection = NegotiatingConnection(stream) { [weak self] connection, stream in
            self?.connections[ObjectIdentifier(connection)] = nil
            self?.serve(stream, term)
        } onClose: { [weak self] connection, error in
            self?.closed(connection, error)
        }
        connections[ObjectIdentifier(connection)] = Member(connection: connection, term: term)
    }

    private func hasRoom(for peer: SocketAddress?) -> Bool {
        guard connections.count >= Limits.connections else { return true }
        census.refusals.note(.loop, peer, at: context.loop.now)
        return false
    }

    /// Begins to read requests.
    private func serve(_ stream: Stream, _ term: Int) {
        let onClose: (any ServedConnection, StreamError?) -> Void = { [weak self] in self?.closed($0, $1) }
        let connection: any ServedConnection =
            if stream.speaksHTTP2 {
                HTTP2Session(
                    stream: stream, context: context, service: service, limits: limits, timeouts: timeouts,
                    onOffence: { [census, loop = context.loop, peer = stream.peer] offence in
                        census.refusals.note(.http2Frames, peer, "too many \(offence.words)", at: loop.now)
                    }, onClose: onClose)
            } else {
                ClientConnection(
                    stream: stream, context: context, service: service, limits: limits, timeouts: timeouts,
                    onClose: onClose)
            }
        connections[ObjectIdentifier(connection)] = Member(connection: connection, term: term)
        if isDraining || endedTerms.contains(term) {
            connection.drain(idleSince: context.loop.now - timeouts.grace)
        }
    }

    private func closed(_ connection: any ServedConnection, _ error: StreamError?) {
        connections[ObjectIdentifier(connection)] = nil
        if error == .recordFlood {
            census.refusals.note(.tlsRecords, connection.peer.address, at: context.loop.now)
        }
        census.leave(from: connection.peer.address)
        endIfDrained()
    }

    /// Stops listening, lets requests in hand finish, then calls `completion` with the number of
    /// those that had not finished by the drain timeout and were cut off.
    /// - Parameter patience: given where another process has the sockets from now on: there is no
    ///   hurry then, and requests and idle connections have that long.
    public func drain(patience: Duration? = nil, _ completion: @escaping (_ cutOff: Int) -> Void) {
        if patience != nil { for socket in listeners.values.joined() { socket.listener.handOver() } }
        for address in listeners.keys { stopListening(at: address) }
        service.drain()
        whenDrained.append(completion)
        if connections.isEmpty, waiting.isEmpty { return endIfDrained() }
        dismiss(
            grace: patience ?? timeouts.grace, end: patience ?? timeouts.drain,
            members: { $0.connections.values.map(\.connection) },
            cutOff: { server in
                server.cutOff += server.connections.values.count(where: \.connection.isOpen)
                for member in server.connections.values { member.connection.close() }
            })
    }

    /// Lets connections go: those that have been idle for the grace now, the others with their next
    /// answer, or once the grace is over and no request is in hand.
    /// - Parameters:
    ///   - members: the connections that are left; asked again when the grace is over.
    ///   - cutOff: called at the end.
    private func dismiss(
        grace: Duration, end: Duration, members: @escaping (Server) -> [any ServedConnection],
        cutOff: @escaping (Server) -> Void
    ) {
        let now = context.loop.now
        for connection in members(self) { connection.drain(idleSince: now - grace) }
        _ = context.loop.schedule(at: now + min(grace, end)) { [weak self] in
            guard let self else { return }
            closeWaiting()
            for connection in members(self) { connection.endGrace() }
        }
        _ = context.loop.schedule(at: now + end) { [weak self] in
            guard let self else { return }
            closeWaiting()
            cutOff(self)
        }
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
    private func expect(_ headers: ProxyHeaders?, on socket: BoundSocket) {
        socket.listener.onWait = headers.map { headers in
            { [unowned self] wait in awaitHeader(wait, headers, socket.term) }
        }
    }

    /// Waits for the header of a connection. Where many wait, the eldest has had its time: a load
    /// balancer sends the header at once.
    private func awaitHeader(_ wait: ProxyHeaderWait, _ headers: ProxyHeaders, _ term: Int) {
        if waiting.count >= Limits.awaitedHeaders {
            census.refusals.note(.proxyHeaders, waiting[0].wait.peer, at: context.loop.now)
            waiting[0].wait.close(.late)
        }
        guard census.enter(from: nil, sentBy: wait.peer, at: context.loop.now) else { return wait.close() }
        waiting.append((wait, term))
        wait.start(timeout: timeouts.head) { [weak self, census, loop = context.loop] wait, failure in
            census.leave(from: nil)
            if let words = failure?.words {
                census.refuseHeader()
                headers.refused(from: wait.peer, because: words, at: loop.now)
            }
            self?.waiting.removeAll { $0.wait === wait }
            self?.endIfDrained()
        }
    }

    /// Closes those whose connections would have to end.
    private func closeWaiting() {
        for (wait, term) in waiting where isDraining || endedTerms.contains(term) { wait.close() }
    }
}

// Sockets for another process that goes on in the place of this one.

extension Server {
    /// Another descriptor of each socket that is listened on, with its address.
    public func copySockets() throws(SystemError) -> [(address: SocketAddress, socket: Descriptor)] {
        try listeners.values.joined().map { socket throws(SystemError) in
            (socket.listener.address, try socket.listener.copy())
        }
    }

    /// Leaves new connections in the kernel's queues, or goes on accepting them.
    public func setAccepting(_ accepts: Bool) {
        for socket in listeners.values.joined() { accepts ? socket.listener.resume() : socket.listener.pause() }
    }
}
