/// The effect of a purge on what it chooses.
public enum PurgeMode: String, Sendable {
    /// Removes it.
    case hard
    /// Takes its freshness away, so that the next request revalidates it or finds it stale.
    case soft
    /// Only counts it.
    case dryRun
}

/// A purge as both tiers carry it out.
public struct Purge: Sendable, Equatable {
    public let selection: EntrySelection
    public let mode: PurgeMode
    /// When it was asked for, unix seconds: where the freshness of the chosen ends, if it is soft.
    public let now: Int64

    public init(selection: EntrySelection, mode: PurgeMode, now: Int64) {
        (self.selection, self.mode, self.now) = (selection, mode, now)
    }

    /// One of everything in place of others; hard where one of them is.
    init(widening purges: [Purge]) {
        let isHard = purges.contains { $0.mode == .hard }
        let last = purges.map(\.now).max() ?? .min
        self.init(selection: EntrySelection(), mode: isHard ? .hard : .soft, now: last)
    }

    /// Whether it only counts.
    var isCount: Bool { mode == .dryRun }

    /// Whether nothing older is left once it has ended.
    var endsAll: Bool { mode != .dryRun && selection.conditions.isEmpty }

    /// Whether nothing is left for the other one to do after this one.
    func supersedes(_ other: Purge) -> Bool {
        selection == other.selection && mode == other.mode && now >= other.now
    }
}

/// The answers that a purge chose, each once, be it in memory, on disk or between the two.
public struct PurgeCount: Sendable {
    private(set) var total = 0
    /// The rows that were found in memory or in the queue, to be known again on disk.
    private var rows: Set<Int64> = []

    public init() {}

    /// Counts one in memory or in the queue, unless it has been.
    /// - Parameter index: its key's; nil for one user's, which has no row.
    public mutating func add(_ index: Int64?) {
        if index.map({ rows.insert($0).inserted }) ?? true { total += 1 }
    }

    /// Rows that are about to go are not counted on disk.
    mutating func ignore(rows: [Int64]) { self.rows.formUnion(rows) }

    /// Counts one on disk. Each row is met once.
    mutating func add(row: Int64) {
        if !rows.contains(row) { total += 1 }
    }
}
