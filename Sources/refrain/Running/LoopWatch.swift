import EventLoop

/// Judges from the words that event loops give whether each still takes turns. Pure.
///
/// Must hold: the program's own word is given only when every loop has given one since the last; a
/// stall is said once, and so is its end; a loop owes one word at a time, so none is asked again
/// before it has answered. Time in which nobody looked does not count: then the whole process was
/// stopped.
struct LoopWatch {
    enum Action: Equatable {
        /// Ask a loop for its word.
        case ask(loop: Int)
        /// Tell the service manager that the program is alive.
        case tellAlive
        /// A loop has taken no turn for that long.
        case sayStalled(loop: Int, Duration)
        /// A loop takes turns again, after that long.
        case sayRecovered(loop: Int, Duration)
    }

    private struct Loop {
        /// The time of a question that was not answered yet.
        var askedAt: Instant?
        /// Whether it has given one since the program's last.
        var hasSpoken = false
        var isStalled = false
    }

    private let patience: Duration
    private var loops: [Loop]
    private var lastTick: Instant

    /// - Parameter patience: how long a word may take; `tick` is called more often.
    init(loops: Int, patience: Duration, at now: Instant) {
        self.loops = Array(repeating: Loop(), count: loops)
        (self.patience, lastTick) = (patience, now)
    }

    /// Time has passed.
    mutating func tick(at now: Instant) -> [Action] {
        let wasStopped = now - lastTick > patience
        lastTick = now
        return loops.indices.compactMap { index in
            guard let askedAt = loops[index].askedAt, !wasStopped else {
                defer { loops[index].askedAt = now }
                return loops[index].askedAt == nil ? .ask(loop: index) : nil
            }
            guard now - askedAt >= patience, !loops[index].isStalled else { return nil }
            loops[index].isStalled = true
            return .sayStalled(loop: index, now - askedAt)
        }
    }

    /// A loop has given its word.
    mutating func heard(loop index: Int, at now: Instant) -> [Action] {
        guard let askedAt = loops[index].askedAt else { return [] }
        var actions: [Action] = loops[index].isStalled ? [.sayRecovered(loop: index, now - askedAt)] : []
        loops[index] = Loop(hasSpoken: true)
        guard loops.allSatisfy(\.hasSpoken) else { return actions }
        for index in loops.indices { loops[index].hasSpoken = false }
        actions.append(.tellAlive)
        return actions
    }
}
