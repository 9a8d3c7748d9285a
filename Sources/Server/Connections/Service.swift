import HTTP

/// Answers the requests of one loop's connections: the proxy itself, the admin surface, the
/// simulated API.
///
/// Confined to the loop of the connections it serves.
public protocol Service: AnyObject {
    /// The head of a request has arrived on `connection`, and content follows. The service may
    /// answer it now by one of the connection's `respond` calls; none of the content is read then.
    /// - Returns: whether it wants the whole request, which `handle` gets then.
    func admits(_ connection: ClientConnection) -> Bool

    /// A whole request, body included, has arrived on `connection`. The service answers it exactly
    /// once by one of the connection's `respond` calls, now or later, on the same loop. The bytes
    /// of the head are valid until then.
    func handle(_ connection: ClientConnection)

    /// A request is refused that no service gets: malformed, too large, too slow. Called before the
    /// answer is sent.
    /// - Parameter cause: lower-case words for the log.
    func refused(_ connection: ClientConnection, status: Int, contentLength: Int, because cause: String)

    /// Writes lines of fields for the answer to a request that no service saw.
    func writeRefusalFields(to buffer: inout ByteBuffer)

    /// The server takes no new connections from now on and waits for the answers in hand: those
    /// that would go on without an end have to end.
    func drain()
}

extension Service {
    /// Content is read whatever the head says.
    public func admits(_ connection: ClientConnection) -> Bool { true }
    /// Nothing is to be done about it.
    public func refused(_ connection: ClientConnection, status: Int, contentLength: Int, because cause: String) {}
    /// There are none.
    public func writeRefusalFields(to buffer: inout ByteBuffer) {}
    /// There is nothing to end.
    public func drain() {}
}
