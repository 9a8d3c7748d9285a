import EventLoop

/// A purge that was asked for on this node and is not reported yet.
struct PurgeWait: Sendable {
    /// How far this node is with it.
    enum Own: Equatable {
        /// The engine has not said yet whether it takes it.
        case announced
        /// The log was not read so far.
        case unread
        case applying
        /// How many answers it chose; nil where the disk refused.
        case done(Int?)
    }

    let number: Int
    let record: PurgeRecord
    /// Until then it waits for others.
    let deadline: Instant
    /// The purge's place in the log; nil where that is not known.
    var position: LogPosition?
    /// The life of the log that this node followed then. In another one `position` says nothing:
    /// nodes that have come as far there may never have heard of the purge.
    var epoch: LogEpoch?
    var replication = PurgeReport.Replication.unlogged
    var own = Own.announced
    /// Whether other nodes will be told of a purge of everything in its place.
    var isWidened = false

    /// A node at this mark has applied it; nil where that is not known.
    var mark: LogMark? { epoch.flatMap { epoch in position.map { LogMark(epoch, $0) } } }
}
