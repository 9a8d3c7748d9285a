import EventLoop

/// Purges that wait until the predecessor has forgotten what it has. Pure.
///
/// Must hold: at most one question is on the way, and its answer counts for the purges that asked
/// before it was sent; those that ask later share the next question.
struct OwedForgetting {
    typealias Completion = @Sendable () -> Void

    private enum State {
        /// The upgrade can still fail, and until then the predecessor reads no question.
        case beginning
        case idle
        case asked(since: Instant)
        case over
    }

    private var state = State.beginning
    private var askedFor: [Completion] = []
    private var waiting: [Completion] = []

    /// The predecessor reads questions from now on.
    /// - Returns: whether one is to be sent, here and below.
    mutating func begin(at now: Instant) -> Bool {
        state = .idle
        return send(at: now)
    }

    /// - Returns: `isOver` where there is no predecessor any more, and the completion is not kept.
    mutating func ask(_ completion: @escaping Completion, at now: Instant) -> (isOver: Bool, asks: Bool) {
        if case .over = state { return (true, false) }
        waiting.append(completion)
        return (false, send(at: now))
    }

    /// - Returns: the completions that are due.
    mutating func noteForgotten(at now: Instant) -> (done: [Completion], asks: Bool) {
        guard case .asked = state else { return ([], false) }
        let done = askedFor
        (state, askedFor) = (.idle, [])
        return (done, send(at: now))
    }

    /// The predecessor has ended.
    /// - Returns: the completions that are due.
    mutating func end() -> [Completion] {
        defer { (state, askedFor, waiting) = (.over, [], []) }
        return askedFor + waiting
    }

    /// Whether a predecessor that has been silent for `patience` owes an answer for as long.
    func isOverdue(at now: Instant, _ patience: Duration) -> Bool {
        guard case .asked(let since) = state else { return false }
        return now - since >= patience
    }

    private mutating func send(at now: Instant) -> Bool {
        guard case .idle = state, !waiting.isEmpty else { return false }
        (state, askedFor, waiting) = (.asked(since: now), waiting, [])
        return true
    }
}
