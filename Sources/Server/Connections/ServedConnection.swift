import EventLoop

/// What a server knows of a connection: that it is there, and how to end it. Confined to its loop.
protocol ServedConnection: AnyObject {
    /// Who is at the other end.
    var peer: ConnectionPeer { get }
    /// False once the client has gone or is being let go.
    var isOpen: Bool { get }
    /// Serves what is under way, then closes. One that has been idle since `limit` is closed now;
    /// any other may have a request on its way, in whose face it would be closed.
    func drain(idleSince limit: Instant)
    /// Closes as soon as no request is in hand.
    func endGrace()
    /// Closes now, whatever is still queued.
    func close()
}
