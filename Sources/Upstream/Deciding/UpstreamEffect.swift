import EventLoop

// Events and effects of `UpstreamState`.

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
