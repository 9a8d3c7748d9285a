import EventLoop

// One leader's way through the tier: events in, actions out, `now` passed in, no I/O.
// Must hold: every look ends, within `patience` and its last replies, with the value or a fetch; a
// claim is given back only while it is surely this node's; whatever fails, the origin is asked.

/// A leader's look before it asks the origin: whether another node has the answer, or
/// is about to have it.
struct TierLook: Sendable {
    enum Action: Sendable, Equatable {
        /// In one pipeline: get the value, and set the claim for this node where there is none, for
        /// `claimLife`. Then `answered`.
        case ask
        /// Get the values that hints lead to, and try to compose the answer of them. Then
        /// `gathered`.
        case gather
        /// Call `woken` then.
        case wake(at: Instant)
        /// Use the value that was found. The look is over, but for a claim to be given back.
        case take
        /// Ask the origin, then `fetchEnded`.
        case fetch
        /// Delete the claim, after the value where one is written.
        case giveBack
    }

    /// The engine's answer to the question for the claim.
    enum Claim: Sendable, Equatable {
        /// This node has it.
        case got
        /// Another node has it.
        case taken
        /// The engine refuses it, as it refuses writes: no node can have one.
        case refused

        /// Nil for a reply that is no answer to that.
        init?(_ reply: RESPReply) {
            if reply.isOK {
                self = .got
            } else if reply.isNil {
                self = .taken
            } else if reply.errorCode != nil {
                self = .refused
            } else {
                return nil
            }
        }
    }

    private enum State: Equatable {
        case unstarted
        case asking(since: Instant)
        case pausing
        /// There is no value, but there are parts of one. `claimed` as in `fetching`; `isRefused`:
        /// the engine has refused the claim.
        case gathering(claimed: Instant?, isRefused: Bool)
        /// `claimed` is when the claim was asked for, nil without one.
        case fetching(claimed: Instant?)
        case over
    }

    private var state = State.unstarted
    /// When it stops waiting for others.
    private var deadline = Instant(nanoseconds: 0)

    /// How often it looks whether another node's fetch has ended.
    static var interval: Duration { .milliseconds(25) }
    /// How long it waits for another node at most: less than waiters wait for a leader, or one of
    /// them would ask the origin while the leader does.
    static var patience: Duration { .seconds(4) }
    /// How long a claim holds where the node that has it dies.
    static var claimLife: Duration { .seconds(5) }
    /// After that a claim is left to end by itself: its end may come before the deletion, and then
    /// that would be another node's claim.
    static var certainlyOurs: Duration { .seconds(4) }

    /// The leader begins.
    mutating func start(now: Instant) -> [Action] {
        guard state == .unstarted else { return [] }
        deadline = now + Self.patience
        state = .asking(since: now)
        return [.ask]
    }

    /// Takes the replies, once all have come. `isFound`: a value that this node can use; one that
    /// it cannot use is as good as none. `hasHints`: other values may hold parts of the answer.
    mutating func answered(
        isFound: Bool, claim: Claim, hasHints: Bool = false, now: Instant
    ) -> [Action] {
        guard case .asking(let since) = state else { return [] }
        let claimed = claim == .got ? since : nil
        if isFound {
            state = .over
            return [.take] + givingBack(claimed, now)
        }
        if hasHints {
            state = .gathering(claimed: claimed, isRefused: claim == .refused)
            return [.gather]
        }
        return goOn(claimed, isRefused: claim == .refused, now)
    }

    /// The parts named by hints have come. `isComposed`: the answer could be made of them.
    mutating func gathered(isComposed: Bool, now: Instant) -> [Action] {
        guard case .gathering(let claimed, let isRefused) = state else { return [] }
        guard isComposed else { return goOn(claimed, isRefused: isRefused, now) }
        state = .over
        return [.take] + givingBack(claimed, now)
    }

    /// The pause is over.
    mutating func woken(now: Instant) -> [Action] {
        guard state == .pausing else { return [] }
        guard now < deadline else { return fetch(nil) }
        state = .asking(since: now)
        return [.ask]
    }

    /// The tier does not answer, or answers nonsense. A claim that it may have given ends by
    /// itself.
    mutating func failed() -> [Action] {
        switch state {
        case .asking, .pausing: fetch(nil)
        case .gathering(let claimed, _): fetch(claimed)
        case .unstarted, .fetching, .over: []
        }
    }

    /// The answer is on its way to the tier, or there is nothing to be put there.
    mutating func fetchEnded(now: Instant) -> [Action] {
        guard case .fetching(let claimed) = state else { return [] }
        state = .over
        return givingBack(claimed, now)
    }

    /// Fetches, or waits for the node that does.
    private mutating func goOn(_ claimed: Instant?, isRefused: Bool, _ now: Instant) -> [Action] {
        if claimed != nil || isRefused || now >= deadline { return fetch(claimed) }
        state = .pausing
        return [.wake(at: min(now + Self.interval, deadline))]
    }

    private mutating func fetch(_ claimed: Instant?) -> [Action] {
        state = .fetching(claimed: claimed)
        return [.fetch]
    }

    private func givingBack(_ claimed: Instant?, _ now: Instant) -> [Action] {
        guard let claimed, now - claimed < Self.certainlyOurs else { return [] }
        return [.giveBack]
    }
}
