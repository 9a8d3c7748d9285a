/// Counters of a pool; totals unless said otherwise. Confined to the pool's loop.
struct UpstreamCounters: Sendable, Equatable {
    /// Connections that became usable.
    var opened = 0
    /// Requests sent on a connection that had been used before.
    var reused = 0
    /// Requests sent a second time because a reused connection broke before the first byte.
    var retried = 0
    /// Requests that ended without a complete answer, those that were refused included.
    var failures = 0
    /// Connections that could not be opened.
    var connectFailures = 0
    /// Connections being opened now.
    var starting = 0
    /// Unused connections now.
    var idle = 0
    /// Connections carrying an exchange now.
    var leased = 0
    /// Requests without a connection now.
    var waiting = 0
}
