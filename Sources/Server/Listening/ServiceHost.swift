import EventLoop

/// A service on a loop of its own with its listeners: how the admin surface and the simulated API
/// run.
///
/// `@unchecked Sendable` because its server and service are touched only on the loop's queue.
public final class ServiceHost: @unchecked Sendable {
    /// The first address bound, with port 0 resolved.
    public let address: SocketAddress
    private let loop: EventLoop
    private let server: Server

    /// - Parameters:
    ///   - listener: where it listens.
    ///   - others: further addresses; port 0 of them is the port that `listener` got.
    ///   - makeService: called once, on the loop, with the context of the connections.
    /// - Throws: `SystemError` when the loop or a listener cannot be made.
    public init(
        label: String, listener: ListenerSettings, others: [ListenerSettings] = [],
        timeouts: ClientTimeouts = ClientTimeouts(), _ makeService: (LoopContext) -> any Service
    ) throws(SystemError) {
        let loop = try EventLoop(label: "refrain." + label)
        let context = LoopContext(loop: loop)
        let (server, address) = try loop.sync { () throws(SystemError) in
            let server = Server(context: context, service: makeService(context), timeouts: timeouts)
            return (server, try server.listen(listener, others))
        }
        for socket in ([listener] + others).flatMap(\.inherited) { socket.settle() }
        (self.address, self.loop, self.server) = (address, loop, server)
    }

    /// Finishes the requests in hand and ends the loop; safe to call more than once.
    /// - Parameter patience: see `Server.drain`.
    public func stop(patience: Duration? = nil, _ completion: (@Sendable () -> Void)? = nil) {
        loop.execute { [self] in
            server.drain(patience: patience) { [self] _ in loop.stop(completion) }
        }
    }

    /// See `Server.copySockets`. From any thread.
    public func copySockets() throws(SystemError) -> [(address: SocketAddress, socket: Descriptor)] {
        try loop.sync { () throws(SystemError) in try server.copySockets() }
    }

    /// See `Server.setAccepting`. From any thread.
    public func setAccepting(_ accepts: Bool) {
        loop.sync { server.setAccepting(accepts) }
    }
}
