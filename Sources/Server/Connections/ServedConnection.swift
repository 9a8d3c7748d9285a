import EventLoop

/// A connection as its server sees it: it is there, and can be ended. Confined to its loop.
protocol ServedConnection: AnyObject {
    /// The peer.
    var peer: ConnectionPeer { get }
    /// False once the client has gone or is being let go.
    var isOpen: Bool { get }
    /// Serves requests under way, then closes. One that has been idle since `limit` is closed now;
    /// any other may have a request on its way, which would be reset.
    func drain(idleSince limit: Instant)
    /// Closes as soon as no request is in hand.
    func endGrace()
    /// Closes now, whatever is still queued.
    func close()
}
