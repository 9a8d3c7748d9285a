// What following the log asks of who performs it, and where a node stands.

extension PurgeLogState {
    /// They are performed in their order. What concerns the history is done before any other event
    /// is told and before any value is judged: `mayTake` counts on it.
    enum Action: Sendable, Equatable {
        /// Ask for the page beyond that, then `read`.
        case read(after: LogPosition)
        /// Begin with a `PurgeHistory` that knows nothing.
        case beginHistory(LogEpoch, forgottenUntil: LogPosition)
        /// Put it into the history. The cache has had it.
        case note(PurgeLogEntry)
        /// Put it into the history, purge the cache, then `applied`.
        case apply(PurgeLogEntry)
        /// Take the freshness of everything that is stored now, then `madeStale`.
        case makeAllStale(LogBreak)
        /// Write it down; what comes next does not wait for that.
        case persist(LogMark)
        /// Call `woken` after a pause, or sooner when the log is said to have grown.
        case wait
    }

    package enum Standing: Sendable, Equatable {
        /// Without a connection. What is purged elsewhere is not heard of.
        case away
        /// There may be purges that were not applied.
        case catchingUp
        /// All that was in the log when it was read last is applied.
        case ready
    }
}
