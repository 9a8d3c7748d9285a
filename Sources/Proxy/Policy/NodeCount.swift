import Synchronization

/// How many nodes serve the same clients, for what one of them may give a client its part of. Set
/// by whoever knows; from any thread.
final class NodeCount: Sendable {
    private let count = Atomic<Int>(1)

    /// This node included: 1 at least.
    var alive: Int {
        get { count.load(ordering: .relaxed) }
        set { count.store(max(1, newValue), ordering: .relaxed) }
    }
}
