import Synchronization

/// The number of nodes that serve the same clients: each gives a client its part of the rate. Set
/// and read from any thread.
final class NodeCount: Sendable {
    private let count = Atomic<Int>(1)

    /// This node included: 1 at least.
    var alive: Int {
        get { count.load(ordering: .relaxed) }
        set { count.store(max(1, newValue), ordering: .relaxed) }
    }
}
