/// The answers that a purge chose, each once, be it in memory, on disk or between the two.
public struct PurgeCount: Sendable {
    public private(set) var total = 0
    /// The rows that were found in memory or in the queue, to be known again on disk.
    private var rows: Set<Int64> = []

    public init() {}

    /// Counts one in memory or in the queue, unless it has been.
    /// - Parameter index: its key's; nil for one user's, which has no row.
    mutating func add(_ index: Int64?) {
        if index.map({ rows.insert($0).inserted }) ?? true { total += 1 }
    }

    /// Counts one on disk. Each row is met once.
    mutating func add(row: Int64) {
        if !rows.contains(row) { total += 1 }
    }
}
