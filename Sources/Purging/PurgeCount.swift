/// The answers that a purge chose, each once, be it in memory, on disk or between the two.
struct PurgeCount: Sendable {
    /// The rows that were found in memory or in the queue, to be known again on disk.
    private var rows: Set<Int64> = []

    /// Notes one in memory or in the queue.
    /// - Parameter index: its key's; nil for one user's, which has no row.
    /// - Returns: whether it was not noted before.
    mutating func add(_ index: Int64?) -> Bool { index.map { rows.insert($0).inserted } ?? true }

    /// The same for a row on disk. Each is met once.
    func isNew(row: Int64) -> Bool { !rows.contains(row) }
}
