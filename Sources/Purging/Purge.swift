/// The effect of a purge on each chosen answer.
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
    package init(widening purges: [Purge]) {
        let isHard = purges.contains { $0.mode == .hard }
        let last = purges.map(\.now).max() ?? .min
        self.init(selection: EntrySelection(), mode: isHard ? .hard : .soft, now: last)
    }

    /// Whether it only counts.
    package var isCount: Bool { mode == .dryRun }

    /// Whether nothing older is left once it has ended.
    package var endsAll: Bool { mode != .dryRun && selection.conditions.isEmpty }

    /// Whether nothing is left for the other one to do after this one.
    package func supersedes(_ other: Purge) -> Bool {
        selection == other.selection && mode == other.mode && now >= other.now
    }
}
