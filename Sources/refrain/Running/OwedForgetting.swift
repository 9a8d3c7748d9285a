import EventLoop

/// Purges that wait until the predecessor has forgotten its answers. Pure.
///
/// Must hold: at most one question is on the way, and its answer counts for the purges that asked
/// before it was sent; those that ask later share the next question.
struct OwedForgetting {
    typealias Completion = @Sendable () -> Void

    /// The effect of an event.
    struct Step {
        /// Whether a question is to be sent.
        var asks = false
        /// The completions that are due.
        var done: [Completion] = []
    }

    /// The times after which the predecessor is killed.
    struct Limits: Sendable {
        /// Without a byte while a question is before it.
        var silence = Duration.seconds(5)
        /// From a question to its answer, however often it says that it works.
        var answer = Duration.seconds(60)
    }

    private enum State {
        /// The upgrade can still fail, and until then the predecessor reads no question.
        case beginning
        case idle
        case asked(since: Instant, heard: Instant)
        case over
    }

    private var state = State.beginning
    private var askedFor: [Completion] = []
    private var waiting: [Completion] = []

    /// The predecessor reads questions from now on.
    mutating func begin(at now: Instant) -> Step {
        state = .idle
        return Step(asks: send(at: now))
    }

    /// Something was purged. Where there is no predecessor any more, that is complete.
    mutating func ask(_ completion: @escaping Completion, at now: Instant) -> Step {
        if case .over = state { return Step(done: [completion]) }
        waiting.append(completion)
        return Step(asks: send(at: now))
    }

    /// The predecessor has said something else.
    mutating func noteSign(at now: Instant) {
        if case .asked(let since, _) = state { state = .asked(since: since, heard: now) }
    }

    mutating func noteForgotten(at now: Instant) -> Step {
        guard case .asked = state else { return Step() }
        let done = askedFor
        (state, askedFor) = (.idle, [])
        return Step(asks: send(at: now), done: done)
    }

    /// The predecessor has ended.
    mutating func end() -> Step {
        defer { (state, askedFor, waiting) = (.over, [], []) }
        return Step(done: askedFor + waiting)
    }

    /// Whether the predecessor owes an answer beyond one of the limits.
    func isOverdue(at now: Instant, _ limits: Limits) -> Bool {
        guard case .asked(let since, let heard) = state else { return false }
        return now - since >= limits.answer || now - heard >= limits.silence
    }

    private mutating func send(at now: Instant) -> Bool {
        guard case .idle = state, !waiting.isEmpty else { return false }
        (state, askedFor, waiting) = (.asked(since: now, heard: now), waiting, [])
        return true
    }
}
