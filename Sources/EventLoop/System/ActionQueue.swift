/// Actions in the order in which they were decided, performed without recursion: what an action
/// brings about is queued behind it. A value without I/O; its owner performs.
public struct ActionQueue<Action> {
    private var actions: [Action] = []
    private var performed = 0
    private var isPerforming = false

    public init() {}

    /// Queues actions. Where it says so, and not otherwise, the caller is to perform what `next`
    /// returns until that is nil.
    public mutating func add(_ new: [Action]) -> Bool {
        actions += new
        defer { isPerforming = true }
        return !isPerforming
    }

    /// The next action, for who was told to perform; nil when all are.
    public mutating func next() -> Action? {
        guard performed < actions.count else {
            actions.removeAll(keepingCapacity: true)
            (performed, isPerforming) = (0, false)
            return nil
        }
        defer { performed += 1 }
        return actions[performed]
    }
}
