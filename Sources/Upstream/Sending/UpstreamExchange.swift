import EventLoop

/// Receives the answer to a request. All calls come on the exchange's loop, and none after
/// `finished`, `answered`, `failed`, or after `cancel()` has returned. A receiver is kept alive by
/// its exchange until then.
public protocol UpstreamReceiver: AnyObject {
    /// Something came of the exchange.
    func upstream(_ exchange: UpstreamExchange, _ event: UpstreamEvent)
    /// Whether an answer whose head has come is to be `answered` in one piece. Nothing larger than
    /// `maxCollectedBytes` is.
    func upstream(_ exchange: UpstreamExchange, wantsWhole response: UpstreamResponse) -> Bool
}

extension UpstreamReceiver {
    public func upstream(_ exchange: UpstreamExchange, wantsWhole response: UpstreamResponse) -> Bool { true }
}

/// The gate, as an exchange asks it.
protocol TurnSource: AnyObject {
    var observer: any UpstreamObserver { get }
    var connections: any ConnectionSource { get }
    /// Asks for a turn, of which the exchange hears now or later; returns its name.
    func enqueue(_ exchange: UpstreamExchange) -> TurnID
    /// - Returns: on whose behalf it waits now; nil once its turn has come.
    func promote(_ turn: TurnID, to priority: UpstreamPriority, of party: UpstreamParty?) -> UpstreamParty?
    /// The failure of a request whose turn did not come in time.
    func reasonOfWait(_ turn: TurnID, _ priority: UpstreamPriority, of party: UpstreamParty) -> UpstreamFailure
    /// The turn is over, whether it had come or not.
    func end(_ turn: TurnID, _ outcome: BudgetState.Outcome)
    /// Nil when the request has been sent often enough, would come too late, or would be refused.
    /// - Parameter retryAfter: that of the origin.
    func pause(beforeRepeat number: Int, of account: UInt64, retryAfter: Duration?, deadline: Instant) -> Instant?
    /// The reader of a streamed answer is slow, and the answer's connection pauses.
    func paused(_ exchange: UpstreamExchange)
    func resumed(_ exchange: UpstreamExchange)
    /// An exchange has ended.
    func ended()
}

/// The pool, as an exchange asks it.
protocol ConnectionSource: AnyObject {
    /// Sends the request of an exchange whose turn has come; returns the name of the sending.
    func submit(_ exchange: UpstreamExchange) -> PoolState.RequestID
    func cancel(_ id: PoolState.RequestID)
    /// Stops the origin's timeout: nothing is read until `resume`.
    func pause(_ id: PoolState.RequestID)
    func resume(_ id: PoolState.RequestID)
}

/// A request to the origin and its answer, as its sender holds it: performs the effects of
/// `UpstreamState`. Confined to its loop.
///
/// The gate, the pool and a connection tell it events, and nothing else; it alone asks something of
/// gate and pool. A request given to a pool directly has no gate.
public final class UpstreamExchange {
    let request: UpstreamRequest
    let label: UpstreamLabel
    let tally: (any UpstreamTally)?
    /// The account whose limit counts beside the common one; 0: none.
    let account: UInt64
    private(set) var state: UpstreamState

    private let loop: EventLoop
    /// Nil after the end.
    private var receiver: (any UpstreamReceiver)?
    private var timer: TimerToken?
    private weak var gate: (any TurnSource)?
    /// Nil where there is a gate, which has a pool.
    private weak var ownPool: (any ConnectionSource)?
    /// The sending that waits for its turn or has it.
    private var turn = TurnID(lane: 0, number: -1)
    /// The sending in the pool.
    private var sending = PoolState.RequestID(number: -1)

    /// - Parameters:
    ///   - gate: nil for a request that is given to a pool alone.
    ///   - pool: nil for a request that waits for a turn.
    init(
        _ request: UpstreamRequest, _ state: UpstreamState, label: UpstreamLabel, tally: (any UpstreamTally)? = nil,
        account: UInt64 = 0, gate: (any TurnSource)? = nil, pool: (any ConnectionSource)? = nil, loop: EventLoop,
        receiver: any UpstreamReceiver
    ) {
        (self.request, self.state, self.label, self.tally, self.account) = (request, state, label, tally, account)
        (self.gate, ownPool, self.loop, self.receiver) = (gate, pool, loop, receiver)
    }

    /// Ends the exchange without another call to the receiver. A connection that it is on goes with
    /// it, because the rest of the answer is still to come there. Does nothing after the end.
    public func cancel() {
        handle(.cancelled)
        receiver = nil
    }

    /// Makes it more urgent. One that has its turn already keeps its place among the connections; a
    /// repeat of it counts as urgent as this.
    /// - Parameter party: another that wants it too. A request that is as urgent as before waits
    ///   among those of that party if fewer of these wait.
    public func promote(to priority: UpstreamPriority, of party: UpstreamParty? = nil) {
        handle(.promoted(priority, of: party))
    }

    /// Whether it waits for its turn, not sent.
    public var isWaitingForTurn: Bool { state.phase == .waitingForTurn }

    /// Reads no more of a streamed answer until `resume`, so that the origin is slowed down by TCP.
    /// Bytes read before may still be reported. The deadline of the whole exchange goes
    /// on, and a pause that is too long, or that keeps others from their turn, ends it.
    public func pause() { handle(.paused) }

    /// Reads on; the next bytes come in a later call, never inside this one.
    public func resume() { handle(.resumed) }
}

// MARK: Events

extension UpstreamExchange {
    /// Performs the effects of an event.
    /// - Returns: whether the receiver is to be told of it.
    @discardableResult
    func handle(_ event: UpstreamState.Event) -> Bool {
        let effects = state.handle(event, at: loop.now)
        guard effects.count > 0 else { return false }
        let gate = gate
        for index in 0..<effects.count - 1 { _ = perform(effects[index], gate) }
        return perform(effects[effects.count - 1], gate)
    }

    /// A connection reports a part of the answer, or the whole.
    func report(_ event: UpstreamEvent) {
        if handle(UpstreamState.Event(event)) { tell(event) }
    }

    /// Whether the answer is to be reported in one piece.
    func wantsWhole(_ response: UpstreamResponse) -> Bool {
        receiver?.upstream(self, wantsWhole: response) ?? true
    }
}

// MARK: Effects

extension UpstreamExchange {
    /// True for `tell`.
    private func perform(_ effect: UpstreamState.Effect, _ gate: (any TurnSource)?) -> Bool {
        switch effect {
        case .wake(let instant): wake(at: instant)
        case .stopTimer: stopTimer()
        case .askForTurn:
            guard let gate else { return handle(.turnRefused(.draining)) }
            turn = gate.enqueue(self)
        case .moveTurn(let priority, let party):
            handle(.moved(to: gate?.promote(turn, to: priority, of: party), or: party))
        case .askWhyLate:
            handle(.late(gate?.reasonOfWait(turn, state.priority, of: state.party) ?? .waitedTooLong(retryAfter: 1)))
        case .returnTurn(let outcome): gate?.end(turn, outcome)
        case .askToRepeat(let number, let retryAfter):
            let instant = gate?.pause(
                beforeRepeat: number, of: account, retryAfter: retryAfter, deadline: state.deadline)
            return handle(.mayRepeat(at: instant))
        case .connect: if let pool = gate?.connections ?? ownPool { sending = pool.submit(self) }
        case .leavePool: pool?.cancel(sending)
        case .pauseReading:
            if state.phase == .onConnection { pool?.pause(sending) }
            gate?.paused(self)
        case .resumeReading: if state.phase == .onConnection { pool?.resume(sending) }
        case .endPause: gate?.resumed(self)
        case .count(let status, let time):
            gate?.observer.upstreamAnswered(state.priority, status: status, after: time)
        case .countRepeat: gate?.observer.upstreamRepeated()
        case .end: gate?.ended()
        case .tell: return true
        case .fail: if let failure = state.failure { tell(.failed(failure)) }
        }
        return false
    }

    private var pool: (any ConnectionSource)? { gate?.connections ?? ownPool }

    private func tell(_ event: UpstreamEvent) {
        guard let receiver else { return }
        if state.hasEnded { self.receiver = nil }
        receiver.upstream(self, event)
    }

    private func wake(at instant: Instant) {
        stopTimer()
        timer = loop.schedule(at: instant) { [self] in
            timer = nil
            handle(.woken)
        }
    }

    private func stopTimer() {
        if let timer = timer.take() { loop.cancel(timer) }
    }
}

extension UpstreamState.Event {
    fileprivate init(_ event: UpstreamEvent) {
        self =
            switch event {
            case .interim, .received: .continued
            case .answered(let response): .answered(UpstreamState.Head(response))
            case .began(let response): .began(UpstreamState.Head(response))
            case .finished: .finished
            case .failed(let failure): .failed(failure)
            }
    }
}
