/// Actions in the order in which they were decided, performed without recursion: actions that
/// follow from one are queued after it. A value without I/O; its owner performs them.
public struct ActionQueue<Action> {
    private var actions: [Action] = []
    private var performed = 0
    private var isPerforming = false

    public init() {}

    /// Queues actions. Returns whether the caller has to perform the actions of `next` until that
    /// is nil.
    public mutating func add(_ new: [Action]) -> Bool {
        actions += new
        defer { isPerforming = true }
        return !isPerforming
    }

    /// Queues the actions of a list, as above.
    public mutating func add(_ new: ActionList<Action>) -> Bool {
        for index in new.indices { actions.append(new[index]) }
        defer { isPerforming = true }
        return !isPerforming
    }

    /// The next action, for the caller that performs; nil after the last.
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
