/// What a pool has done and holds; totals unless said otherwise. Confined to the pool's loop.
public struct UpstreamCounters: Sendable, Equatable {
    /// Connections that became usable.
    public internal(set) var opened = 0
    /// Requests sent on a connection that had been used before.
    public internal(set) var reused = 0
    /// Requests sent a second time because a reused connection broke before the first byte.
    public internal(set) var retried = 0
    /// Requests that ended without a complete answer, those that were refused included.
    public internal(set) var failures = 0
    /// Connections that could not be opened.
    public internal(set) var connectFailures = 0
    /// Connections being opened now.
    public internal(set) var starting = 0
    /// Unused connections now.
    public internal(set) var idle = 0
    /// Connections carrying an exchange now.
    public internal(set) var leased = 0
    /// Requests without a connection now.
    public internal(set) var waiting = 0
}
