import EventLoop
import HTTP

/// An address to listen on, with TLS or without.
public struct ListenerSettings: Sendable {
    public let address: SocketAddress
    public let tls: ServerTLS?

    public init(address: SocketAddress, tls: ServerTLS?) {
        self.address = address
        self.tls = tls
    }
}

/// The connections of one loop, and the listeners that bring them.
///
/// Confined to its loop; `listen` and `drain` are called on it.
public final class Server {
    private let context: LoopContext
    private let service: any Service
    private let limits: MessageLimits
    private let timeouts: ClientTimeouts
    private var listeners: [Listener] = []
    private var connections: [ObjectIdentifier: ClientConnection] = [:]
    private var whenDrained: [() -> Void] = []

    public init(
        context: LoopContext, service: any Service, limits: MessageLimits = .request,
        timeouts: ClientTimeouts = ClientTimeouts()
    ) {
        self.context = context
        self.service = service
        self.limits = limits
        self.timeouts = timeouts
    }

    /// Begins to listen; the address bound, with port 0 resolved.
    public func listen(_ settings: ListenerSettings, sharesPort: Bool) throws(SystemError) -> SocketAddress {
        let listener = try Listener(
            address: settings.address, loop: context.loop, reusePort: sharesPort, tls: settings.tls
        ) { [unowned self] stream in accept(stream) }
        listeners.append(listener)
        return listener.address
    }

    private func accept(_ stream: Stream) {
        guard connections.count < Limits.connections else {
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
        if connections.isEmpty { drained() }
    }

    /// Stops listening, lets requests in hand finish, then calls `completion`; what has not finished by the drain
    /// timeout is cut off.
    public func drain(_ completion: @escaping () -> Void) {
        for listener in listeners { listener.close() }
        listeners = []
        whenDrained.append(completion)
        for connection in connections.values { connection.drain() }
        if connections.isEmpty {
            drained()
            return
        }
        _ = context.loop.schedule(at: context.loop.now + timeouts.drain) { [weak self] in
            guard let self else { return }
            for connection in connections.values { connection.close() }
        }
    }

    private func drained() {
        let completions = whenDrained
        whenDrained = []
        for completion in completions { completion() }
    }
}
