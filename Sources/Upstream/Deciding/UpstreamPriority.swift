/// Urgency of a request to the origin, the least urgent first (DECISIONS 11.1).
public enum UpstreamPriority: Int, CaseIterable, Comparable, Sendable {
    /// A stored answer is renewed before anyone misses it, or after it was served stale.
    case refresh
    /// A client waits for a stored answer to be confirmed.
    case revalidation
    /// A client waits and has nothing.
    case waitingClient

    /// Whether `left` is less urgent.
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

    /// Whether no client waits for it. Such requests may use a part of the connections and of the
    /// queue only.
    package var isBackground: Bool { self <= .refresh }
}
