import EventLoop

/// One request to the origin, from its turn to the end of its answer. Pure: events of its sender,
/// the gate, the pool and the connection in, effects out; no I/O and no clock.
///
///     sent ─► waitingForTurn ─► waitingForConnection ◄─► onConnection ─► ended
///              ▲    └────────────┬──┘                       │
///              │                 └─► failing ─► ended       │ 429
///              └─────────── pausing ◄── asking whether ◄────┘
///
/// Must hold:
/// - a turn that was asked for is returned once, however the exchange ends;
/// - the sender hears of one end, and of nothing after it or after `cancelled`;
/// - nothing is told in answer to an event of the sender: a failure waits for the clock;
/// - one timer serves the wait for the turn, the pause, and the failure that is still to be told.
struct UpstreamState {
    enum Phase: Equatable {
        case unsent
        /// The gate has it.
        case waitingForTurn
        /// The pool has it, also after its connection was dead.
        case waitingForConnection
        case onConnection
        /// The gate is asked whether a request that met a 429 is sent again.
        case refused
        /// It waits to be repeated after a 429.
        case pausing
        /// Its failure is told in the next turn of the loop.
        case failing
        case ended
    }

    private(set) var phase = Phase.unsent
    private(set) var priority: UpstreamPriority
    private(set) var party: UpstreamParty
    /// When its last connection got the request.
    private(set) var requestedAt: Instant
    /// Whether the receiver wants no bytes for now.
    private(set) var isPaused = false
    /// The failure that `fail` tells.
    private(set) var failure: UpstreamFailure?

    /// Until when it may wait for its turn.
    let deadline: Instant
    private let mostRepeats: Int
    private var repeats = 0
    /// Whether a turn was asked for and is still to be returned.
    private var holdsTurn = false
    /// A 429 whose head has come, for the budget, however the rest ends.
    private var refusal: BudgetState.Outcome?
    /// Whether the result of this sending was counted.
    private var isCounted = false
    private var isTimed = false

    /// - Parameter repeats: how often it may be sent again after a 429.
    init(
        _ priority: UpstreamPriority, of party: UpstreamParty, deadline: Instant, repeats: Int, at now: Instant
    ) {
        (self.priority, self.party, self.deadline) = (priority, party, deadline)
        (mostRepeats, requestedAt) = (repeats, now)
    }

    /// Whether it was sent before, and met a 429.
    var isRepeated: Bool { repeats > 0 }
    var hasEnded: Bool { phase == .ended }

    /// Decides on an event. After the end none has an effect.
    mutating func handle(_ event: Event, at now: Instant) -> Effects {
        guard !hasEnded else { return Effects() }
        switch event {
        case .sent(let isDraining): return isDraining ? fail(.draining, at: now) : waitForTurn()
        case .queued: return phase == .waitingForTurn ? wake(at: deadline) : Effects()
        case .turnCame: return turnCame()
        case .turnRefused(let failure):
            holdsTurn = false
            return fail(failure, at: now)
        case .late(let failure): return late(failure, at: now)
        case .started: start(at: now)
        case .left: leaveConnection()
        case .headCame(let head): note(head)
        case .began(let head): return began(head, at: now)
        case .continued: return Effects(.tell)
        case .answered(let head): return answered(head, at: now)
        case .finished: return end(.answered, by: .tell)
        case .failed(let failure): return fail(failure, at: now)
        case .mayRepeat(let instant): return repeatLater(at: instant)
        case .woken: return woken()
        case .promoted(let priority, let party): return promote(to: priority, of: party)
        case .moved(let place, let asked): move(to: place, or: asked)
        case .paused: return pause()
        case .resumed: return resume()
        case .cutOff: return cutOff()
        case .cancelled: return cancel()
        }
        return Effects()
    }
}

// MARK: Waiting

extension UpstreamState {
    private mutating func waitForTurn() -> Effects {
        (phase, holdsTurn, refusal, isCounted) = (.waitingForTurn, true, nil, false)
        return Effects(.askForTurn)
    }

    /// Its turn has come, or it needs none.
    private mutating func turnCame() -> Effects {
        phase = .waitingForConnection
        var effects = Effects()
        stopTimer(&effects)
        endPause(&effects)
        effects.append(.connect)
        return effects
    }

    private mutating func late(_ failure: UpstreamFailure, at now: Instant) -> Effects {
        var effects = fail(failure, at: now)
        returnTurn(.unanswered, &effects)
        return effects
    }

    private mutating func woken() -> Effects {
        isTimed = false
        switch phase {
        case .waitingForTurn: return Effects(.askWhyLate)
        case .pausing:
            var effects = Effects(.countRepeat)
            effects += waitForTurn()
            return effects
        case .failing: return breakOff(.fail)
        case .unsent, .waitingForConnection, .onConnection, .refused, .ended: return Effects()
        }
    }

    private mutating func wake(at instant: Instant) -> Effects {
        isTimed = true
        return Effects(.wake(at: instant))
    }

    private mutating func stopTimer(_ effects: inout Effects) {
        if isTimed { effects.append(.stopTimer) }
        isTimed = false
    }
}

// MARK: On its connection

extension UpstreamState {
    private mutating func start(at now: Instant) {
        (phase, requestedAt) = (.onConnection, now)
    }

    private mutating func leaveConnection() {
        if phase == .onConnection { phase = .waitingForConnection }
    }

    private mutating func note(_ head: Head) {
        refusal = head.status == 429 ? .rateLimited(retryAfter: head.retryAfter) : nil
    }

    private mutating func began(_ head: Head, at now: Instant) -> Effects {
        var effects = Effects()
        count(head, at: now, &effects)
        effects.append(.tell)
        return effects
    }

    /// After a 429 it may be sent again. One that is too large to be collected is handed on
    /// instead.
    private mutating func answered(_ head: Head, at now: Instant) -> Effects {
        note(head)
        var effects = Effects()
        count(head, at: now, &effects)
        guard refusal != nil, repeats < mostRepeats else { return effects + end(.answered, by: .tell) }
        returnTurn(.answered, &effects)
        phase = .refused
        effects.append(.askToRepeat(number: repeats, retryAfter: head.retryAfter))
        return effects
    }

    /// - Parameter instant: nil where the answer is handed on.
    private mutating func repeatLater(at instant: Instant?) -> Effects {
        guard let instant else { return end(.answered, by: .tell) }
        repeats += 1
        phase = .pausing
        return wake(at: instant)
    }
}

// MARK: Its sender

extension UpstreamState {
    private mutating func promote(to priority: UpstreamPriority, of party: UpstreamParty?) -> Effects {
        guard priority > self.priority || party != nil else { return Effects() }
        self.priority = max(priority, self.priority)
        guard phase != .waitingForTurn else { return Effects(.moveTurn(to: priority, of: party)) }
        move(to: nil, or: party)
        return Effects()
    }

    /// - Parameters:
    ///   - place: the party among whose requests it waits; nil where it does not wait.
    ///   - asked: on whose behalf a repeat of it waits, if it was no client's until now.
    private mutating func move(to place: UpstreamParty?, or asked: UpstreamParty?) {
        if let place {
            party = place
        } else if let asked, party == .background || party == .everyone {
            party = asked
        }
    }

    private mutating func pause() -> Effects {
        guard !isPaused else { return Effects() }
        isPaused = true
        return Effects(.pauseReading)
    }

    private mutating func resume() -> Effects {
        guard isPaused else { return Effects() }
        var effects = Effects()
        endPause(&effects)
        effects.append(.resumeReading)
        return effects
    }

    private mutating func endPause(_ effects: inout Effects) {
        if isPaused { effects.append(.endPause) }
        isPaused = false
    }
}

// MARK: Ending

extension UpstreamState {
    /// The failure is told in a turn of its own, so that no receiver is called from inside `send`.
    private mutating func fail(_ failure: UpstreamFailure, at now: Instant) -> Effects {
        (phase, self.failure) = (.failing, failure)
        return wake(at: now)
    }

    /// Ends without a whole answer.
    /// - Parameter last: tells the receiver, where it is told.
    private mutating func breakOff(_ last: Effect?) -> Effects {
        var effects = Effects()
        if phase == .waitingForConnection || phase == .onConnection { effects.append(.leavePool) }
        if phase != .waitingForTurn { count(nil, at: requestedAt, &effects) }
        return effects + end(.unanswered, by: last)
    }

    private mutating func cancel() -> Effects { breakOff(nil) }

    /// The reader of a streamed answer is too slow.
    private mutating func cutOff() -> Effects {
        guard phase == .onConnection else { return Effects() }
        failure = .readerTooSlow
        return breakOff(.fail)
    }

    /// - Parameter last: tells the receiver, where it is told.
    private mutating func end(_ outcome: BudgetState.Outcome, by last: Effect?) -> Effects {
        var effects = Effects()
        returnTurn(outcome, &effects)
        stopTimer(&effects)
        endPause(&effects)
        phase = .ended
        effects.append(.end)
        if let last { effects.append(last) }
        return effects
    }

    /// Counts the result of a sending that had its turn; nil: none.
    private mutating func count(_ head: Head?, at now: Instant, _ effects: inout Effects) {
        guard holdsTurn, !isCounted else { return }
        isCounted = true
        effects.append(.count(status: head?.status, after: head.map { _ in now - requestedAt }))
    }

    /// The budget is told `outcome`, unless it met a 429.
    private mutating func returnTurn(_ outcome: BudgetState.Outcome, _ effects: inout Effects) {
        if holdsTurn { effects.append(.returnTurn(refusal ?? outcome)) }
        holdsTurn = false
    }
}
