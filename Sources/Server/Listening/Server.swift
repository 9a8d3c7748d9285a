import EventLoop
import HTTP

/// An address to listen on, with TLS or without.
public struct ListenerSettings: Sendable {
    /// Port 0: any that is free.
    public let address: SocketAddress
    /// nil: without TLS.
    public let tls: ServerTLS?
    /// The socket that the process was started with for this address.
    public let inherited: InheritedSocket?

    /// Nothing is bound yet.
    public init(address: SocketAddress, tls: ServerTLS?, inherited: InheritedSocket? = nil) {
        self.address = address
        self.tls = tls
        self.inherited = inherited
    }
}

/// The connections of one loop, and the listeners that bring them.
///
/// Confined to its loop; `listen` and `drain` are called on it.
public final class Server {
    /// The most connections that one loop has.
    public static var mostConnections: Int { Limits.connections }

    private let context: LoopContext
    private let service: any Service
    private let limits: MessageLimits
    private let timeouts: ClientTimeouts
    private let census: ConnectionCensus
    /// By the address bound.
    private var listeners: [SocketAddress: Listener] = [:]
    private var connections: [ObjectIdentifier: ClientConnection] = [:]
    private var whenDrained: [(_ cutOff: Int) -> Void] = []
    private var cutOff = 0

    /// No connection comes until it is told to listen.
    public init(
        context: LoopContext, service: any Service, limits: MessageLimits = .request,
        timeouts: ClientTimeouts = ClientTimeouts(), census: ConnectionCensus = ConnectionCensus()
    ) {
        self.context = context
        self.service = service
        self.limits = limits
        self.timeouts = timeouts
        self.census = census
    }

    /// Begins to listen; the address bound, with port 0 resolved.
    /// - Parameter isPaused: whether connections wait until `adopt` says that the listener stands.
    public func listen(
        _ settings: ListenerSettings, sharesPort: Bool, isPaused: Bool = false
    ) throws(SystemError) -> SocketAddress {
        let listener = try Listener(
            address: settings.address, loop: context.loop, reusePort: sharesPort, tls: settings.tls,
            inherited: settings.inherited, isPaused: isPaused
        ) { [unowned self] stream in accept(stream) }
        listeners[listener.address] = listener
        return listener.address
    }

    /// Goes over to other listeners; no connection notices.
    package func adopt(_ listening: [BoundListener]) {
        let kept = Set(listening.map(\.address))
        for (address, listener) in listeners where !kept.contains(address) { stopListening(listener) }
        for bound in listening {
            listeners[bound.address]?.tls = bound.settings.tls
            listeners[bound.address]?.resume()
        }
    }

    /// Takes back a listener that was never used.
    package func cancelListening(at address: SocketAddress) {
        listeners.removeValue(forKey: address)?.close()
    }

    private func stopListening(_ listener: Listener) {
        listener.closeAfterAccepting()
        listeners[listener.address] = nil
    }

    private func accept(_ stream: Stream) {
        guard connections.count < Limits.connections, census.enter(from: stream.peer) else {
            stream.close()
            return
        }
        let connection = ClientConnection(
            stream: stream, context: context, service: service, limits: limits, timeouts: timeouts
        ) { [weak self] connection in self?.closed(connection) }
        connections[ObjectIdentifier(connection)] = connection
    }

    private func closed(_ connection: ClientConnection) {
        connections[ObjectIdentifier(connection)] = nil
        census.leave(from: connection.peer.address)
        if connections.isEmpty { drained() }
    }

    /// Stops listening, lets requests in hand finish, then calls `completion` with the number of
    /// those that had not finished by the drain timeout and were cut off.
    public func drain(_ completion: @escaping (_ cutOff: Int) -> Void) {
        for listener in listeners.values { stopListening(listener) }
        service.drain()
        whenDrained.append(completion)
        let now = context.loop.now
        for connection in connections.values { connection.drain(idleSince: now - timeouts.grace) }
        if connections.isEmpty { return drained() }
        _ = context.loop.schedule(at: now + min(timeouts.grace, timeouts.drain)) { [weak self] in
            for connection in (self?.connections ?? [:]).values { connection.endGrace() }
        }
        _ = context.loop.schedule(at: now + timeouts.drain) { [weak self] in self?.cutOffTheRest() }
    }

    private func cutOffTheRest() {
        cutOff += connections.values.count(where: \.isOpen)
        for connection in connections.values { connection.close() }
    }

    private func drained() {
        let completions = whenDrained
        whenDrained = []
        for completion in completions { completion(cutOff) }
    }
}
