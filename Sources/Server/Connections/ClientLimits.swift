/// How long a client may take; absolute deadlines, not idle timers, so that a byte a second cannot
/// hold a connection (FRAMING 6.1).
public struct ClientTimeouts: Sendable, Equatable {
    /// From the first byte of a head, or from the connection's opening, to the head's end.
    public var head = Duration.seconds(10)
    /// From a head to its body's last byte.
    var body = Duration.seconds(30)
    /// For a queued answer to leave, or for `leastBytesWritten` of it.
    var write = Duration.seconds(30)
    /// A client that takes fewer bytes in the time of `write` is as good as gone: a kibibyte a
    /// second.
    var leastBytesWritten = 30 << 10
    /// Between requests.
    public var idle = Duration.seconds(60)
    /// While the server stops: for idle connections to send a request that may be on its way
    /// already. Its answer says that it is the last.
    var grace = Duration.seconds(2)
    /// For connections to finish when the server stops.
    public var drain = Duration.seconds(10)

    /// The defaults.
    public init() {}
}

/// Bounds of the client side that are not of the grammar (those are HTTP's `MessageLimits`).
enum Limits {
    /// Answer bytes waiting for a slow client before its source is paused, and those that it then
    /// takes before the source goes on.
    static let queuedBytes = 256 << 10
    /// Requests of one HTTP/2 connection at once; further ones are refused, and may be made again.
    static let streams = 128
    /// Frames that wait for a slow client before no more are made, and nothing more is read of it.
    static let queuedFrames = 64 << 10
    /// Frames that are made before they are sent together.
    static let gatheredFrames = 48 << 10
    /// Frames sent in one turn to a client that takes them as fast as they are made.
    static let framesPerTurn = 1 << 20
    /// Bytes read of an HTTP/2 connection before others have their turn.
    static let readFrames = 16 << 10
    /// Clients of one loop at once; further ones are closed as they come.
    static let connections = 20_000
    /// Connections of one loop whose header of the PROXY protocol has not come; beyond it the
    /// oldest is closed.
    static let awaitedHeaders = 1_024
}
