/// A purge and its position in the log.
struct PurgeLogEntry: Sendable, Equatable {
    let position: LogPosition
    let record: PurgeRecord

    init(_ position: LogPosition, _ record: PurgeRecord) {
        (self.position, self.record) = (position, record)
    }
}

/// A page of the engine's log, all of one moment: the entries beyond a position, in one transaction
/// with the epoch and the facts of `XINFO STREAM`.
struct PurgeLogPage: Sendable, Equatable {
    let epoch: LogEpoch
    /// The number stored next to the log; with `engine` it makes the epoch.
    let stored: LogEpoch
    /// The entry at the place of the node that asked; nil where there is none.
    let place: PurgeLogEntry?
    /// Position of the first entry; nil where there is none.
    let first: LogPosition?
    /// The last id ever given (`last-generated-id`), whether its entry is there or not; `start`
    /// where there was never an entry.
    let last: LogPosition
    /// Whether entries are gone that once were there (`entries-added` is more than `length`).
    let hasForgotten: Bool
    /// In their order; not all of them where there are many.
    let entries: [PurgeLogEntry]

    /// The engine's own mark of its history.
    var engine: UInt64 { epoch.number ^ stored.number }

    /// The most entries that are asked for at once.
    static let mostEntries = 512

    /// Whether it can be the page that was asked for: a connection whose replies slipped may yield
    /// anything.
    func isPlausible(after position: LogPosition) -> Bool {
        var before = position
        for entry in entries {
            guard entry.position > before else { return false }
            before = entry.position
        }
        return entries.isEmpty || before <= last
    }
}

/// Why a node must take all its earlier answers for stale.
enum LogBreak: Sendable, Equatable {
    /// It reads the log for the first time: it never heard of earlier purges on other nodes.
    case joined
    /// The engine was emptied, or another took its place.
    case otherEpoch
    /// The log lacks entries that this node has read: the engine lost its latest writes.
    case beyondEnd
    /// Purges that this node has not read are gone: it was away for longer than the log reaches
    /// back.
    case trimmed

    /// For the log.
    var text: String {
        switch self {
        case .joined: "this node reads the purge log for the first time"
        case .otherEpoch: "the purge log was started again"
        case .beyondEnd: "the purge log lost entries that were already read"
        case .trimmed: "the purge log lost purges that were not read yet"
        }
    }

    /// The line for the log, with the number of answers that count as stale.
    func text(stale count: Int) -> String {
        let answers = count == 1 ? "1 stored answer is" : "\(count) stored answers are"
        return "purge log: \(text): \(answers) treated as stale"
    }
}
