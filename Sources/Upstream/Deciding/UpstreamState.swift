import EventLoop

/// The state of one request to the origin, from its turn to the end of its answer. Pure: events of
/// its sender, the gate, the pool and the connection in, effects out; no I/O and no clock.
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
        /// The failure is told in the next turn of the loop.
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
        var effects = Effects()
        if !hasEnded { handle(event, at: now, &effects) }
        return effects
    }

    private mutating func handle(_ event: Event, at now: Instant, _ effects: inout Effects) {
        switch event {
        case .sent(let isDraining): if isDraining { fail(.draining, at: now, &effects) } else { waitForTurn(&effects) }
        case .queued: if phase == .waitingForTurn { wake(at: deadline, &effects) }
        case .turnCame: turnCame(&effects)
        case .turnRefused(let failure):
            holdsTurn = false
            fail(failure, at: now, &effects)
        case .late(let failure):
            fail(failure, at: now, &effects)
            returnTurn(.unanswered, &effects)
        case .started: (phase, requestedAt) = (.onConnection, now)
        case .left: if phase == .onConnection { phase = .waitingForConnection }
        case .headCame(let head): note(head)
        case .continued: effects.append(.tell)
        case .began(let head):
            count(head, at: now, &effects)
            effects.append(.tell)
        case .answered(let head): answered(head, at: now, &effects)
        case .finished: end(.answered, by: .tell, &effects)
        case .failed(let failure): fail(failure, at: now, &effects)
        case .mayRepeat(let instant): repeatLater(at: instant, &effects)
        case .woken: woken(&effects)
        case .promoted(let priority, let party): promote(to: priority, of: party, &effects)
        case .moved(let place, let asked): move(to: place, or: asked)
        case .paused: pause(&effects)
        case .resumed: resume(&effects)
        case .cutOff: cutOff(&effects)
        case .cancelled: breakOff(nil, &effects)
        }
    }
}

// MARK: Waiting

extension UpstreamState {
    private mutating func waitForTurn(_ effects: inout Effects) {
        (phase, holdsTurn, refusal, isCounted) = (.waitingForTurn, true, nil, false)
        effects.append(.askForTurn)
    }

    /// The turn has come, or none is needed.
    private mutating func turnCame(_ effects: inout Effects) {
        phase = .waitingForConnection
        stopTimer(&effects)
        endPause(&effects)
        effects.append(.connect)
    }

    private mutating func woken(_ effects: inout Effects) {
        isTimed = false
        switch phase {
        case .waitingForTurn: effects.append(.askWhyLate)
        case .pausing:
            effects.append(.countRepeat)
            waitForTurn(&effects)
        case .failing: breakOff(.fail, &effects)
        case .unsent, .waitingForConnection, .onConnection, .refused, .ended: break
        }
    }

    private mutating func wake(at instant: Instant, _ effects: inout Effects) {
        isTimed = true
        effects.append(.wake(at: instant))
    }

    private mutating func stopTimer(_ effects: inout Effects) {
        if isTimed { effects.append(.stopTimer) }
        isTimed = false
    }
}

// MARK: Answers

extension UpstreamState {
    private mutating func note(_ head: Head) {
        refusal = head.status == 429 ? .rateLimited(retryAfter: head.retryAfter) : nil
    }

    /// After a 429 it may be sent again. One that is too large to be collected is handed on
    /// instead.
    private mutating func answered(_ head: Head, at now: Instant, _ effects: inout Effects) {
        note(head)
        count(head, at: now, &effects)
        guard refusal != nil, repeats < mostRepeats else { return end(.answered, by: .tell, &effects) }
        returnTurn(.answered, &effects)
        phase = .refused
        effects.append(.askToRepeat(number: repeats, retryAfter: head.retryAfter))
    }

    /// - Parameter instant: nil where the answer is handed on.
    private mutating func repeatLater(at instant: Instant?, _ effects: inout Effects) {
        guard let instant else { return end(.answered, by: .tell, &effects) }
        repeats += 1
        phase = .pausing
        wake(at: instant, &effects)
    }
}

// MARK: The sender

extension UpstreamState {
    private mutating func promote(
        to priority: UpstreamPriority, of party: UpstreamParty?, _ effects: inout Effects
    ) {
        guard priority > self.priority || party != nil else { return }
        self.priority = max(priority, self.priority)
        if phase == .waitingForTurn {
            effects.append(.moveTurn(to: priority, of: party))
        } else {
            move(to: nil, or: party)
        }
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

    private mutating func pause(_ effects: inout Effects) {
        guard !isPaused else { return }
        isPaused = true
        effects.append(.pauseReading)
    }

    private mutating func resume(_ effects: inout Effects) {
        guard isPaused else { return }
        endPause(&effects)
        effects.append(.resumeReading)
    }

    private mutating func endPause(_ effects: inout Effects) {
        if isPaused { effects.append(.endPause) }
        isPaused = false
    }
}

// MARK: Ending

extension UpstreamState {
    /// The failure is told in a turn of its own, so that no receiver is called from inside `send`.
    private mutating func fail(_ failure: UpstreamFailure, at now: Instant, _ effects: inout Effects) {
        (phase, self.failure) = (.failing, failure)
        wake(at: now, &effects)
    }

    /// The reader of a streamed answer is too slow.
    private mutating func cutOff(_ effects: inout Effects) {
        guard phase == .onConnection else { return }
        failure = .readerTooSlow
        breakOff(.fail, &effects)
    }

    /// Ends without a whole answer.
    /// - Parameter last: tells the receiver, where it is told.
    private mutating func breakOff(_ last: Effect?, _ effects: inout Effects) {
        if phase == .waitingForConnection || phase == .onConnection { effects.append(.leavePool) }
        if phase != .waitingForTurn { count(nil, at: requestedAt, &effects) }
        end(.unanswered, by: last, &effects)
    }

    private mutating func end(_ outcome: BudgetState.Outcome, by last: Effect?, _ effects: inout Effects) {
        returnTurn(outcome, &effects)
        stopTimer(&effects)
        endPause(&effects)
        phase = .ended
        effects.append(.end)
        if let last { effects.append(last) }
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

// MARK: Events and effects

extension UpstreamState {
    enum Event {
        /// The sender hands it to the gate.
        case sent(isDraining: Bool)
        /// A client waits for it, or another party.
        case promoted(UpstreamPriority, of: UpstreamParty?)
        /// The receiver wants no bytes of a streamed answer until `resumed`.
        case paused, resumed
        case cancelled

        /// The turn that was asked for did not come at once.
        case queued
        case turnCame
        /// The queue is full, or the origin refuses the account.
        case turnRefused(UpstreamFailure)
        /// Answers `askWhyLate`.
        case late(UpstreamFailure)
        /// Answers `moveTurn`.
        case moved(to: UpstreamParty?, or: UpstreamParty?)
        /// Answers `askToRepeat`.
        case mayRepeat(at: Instant?)
        /// The pause has been too long.
        case cutOff

        /// The pool gives up, or the connection broke during the answer.
        case failed(UpstreamFailure)
        /// A connection gets the request.
        case started
        /// The connection is closed, before the end of the answer.
        case left
        /// The head of the final answer has come, before its end.
        case headCame(Head)
        /// `interim` or `received` of `UpstreamEvent`; the next three are the others.
        case continued
        case began(Head)
        case answered(Head)
        case finished

        /// The timer has run.
        case woken
    }

    /// Tasks of the runner, which performs them in their order. A task that may lead to a further
    /// event is the last.
    enum Effect: Equatable {
        /// Replaces the timer.
        case wake(at: Instant)
        case stopTimer
        /// Ask the gate for a turn; `queued`, `turnCame` or `turnRefused` follows.
        case askForTurn
        case moveTurn(to: UpstreamPriority, of: UpstreamParty?)
        case askWhyLate
        case returnTurn(BudgetState.Outcome)
        /// Ask the gate for the pause before a repeat of this number, from 0.
        case askToRepeat(number: Int, retryAfter: Duration?)
        /// Hand it to the pool.
        case connect
        case leavePool
        case pauseReading, resumeReading
        /// It is not to be cut off any more.
        case endPause
        /// Count the result of a sending: the status, and the time until its head; nil: none.
        case count(status: Int?, after: Duration?)
        case countRepeat
        /// Nothing follows but `tell` or `fail`.
        case end
        /// Hand the receiver what has just come.
        case tell
        /// Tell the receiver of `failure`.
        case fail
    }

    /// The facts of an answer's head that decide.
    struct Head {
        let status: Int
        /// Nil for any status but 429, and where the origin does not say.
        let retryAfter: Duration?
    }

    /// Effects of one event, without an allocation.
    struct Effects {
        private var effects = InlineArray<6, Effect>(repeating: .end)
        private(set) var count = 0

        init() {}

        init(_ only: Effect) { append(only) }

        mutating func append(_ effect: Effect) {
            effects[count] = effect
            count += 1
        }

        subscript(index: Int) -> Effect { effects[index] }
    }
}

extension UpstreamState.Head {
    init(_ response: UpstreamResponse) {
        let status = response.status
        self.init(status: status, retryAfter: status == 429 ? response.retryAfter() : nil)
    }
}
