import EventLoop
import HTTP

/// The way of one loop's requests to the pool: each starts when the process's budget says so.
/// Performs the actions of `BudgetState`, for its lane. Confined to its loop.
///
/// Must hold:
/// - every request that was started has its turn returned once, however it ends;
/// - no receiver is called from inside `send`, `promote` or `cancel`;
/// - while something waits here, this gate's timer is set whenever the budget wants to be asked
///   again: the timers of other loops may go with them.
public final class UpstreamGate {
    /// Sendings after the first that a 429 may cost, where the caller says nothing else.
    public static let defaultRepeats = RepeatPause.seconds.count

    let loop: EventLoop
    private let pool: UpstreamPool
    private let budget: UpstreamBudget
    let observer: any UpstreamObserver
    private var random: any RandomNumberGenerator
    private var lane = 0
    private var nextNumber = 0
    /// Exchanges that wait for their turn.
    private var waiting: [TurnID: UpstreamExchange] = [:]
    /// Requests that have not ended.
    private var open = 0
    private var isDraining = false
    /// Called once it has been retired and nothing is open.
    private var whenRetired: (() -> Void)?
    /// Whether its answers say nothing about the origin that is asked now.
    private var isOfFormerOrigin = false
    private let timer: DeadlineTimer
    /// Streamed answers that wait for slow readers.
    private var paused = PausedStreams<ObjectIdentifier>()
    private var pausedExchanges: [ObjectIdentifier: UpstreamExchange] = [:]
    private let pauseTimer: DeadlineTimer

    /// Takes a share of the budget as large as the pool. `random` spreads the repeats of requests
    /// that met a 429 together.
    public init(
        pool: UpstreamPool, budget: UpstreamBudget, observer: any UpstreamObserver,
        random: any RandomNumberGenerator = SystemRandomNumberGenerator()
    ) {
        loop = pool.loop
        (self.pool, self.budget, self.observer, self.random) = (pool, budget, observer, random)
        timer = DeadlineTimer(loop: loop)
        pauseTimer = DeadlineTimer(loop: loop)
        lane = budget.addLane(self, loop: loop, connections: pool.settings.maxConnections)
        timer.action = { [unowned self] in self.reconsider() }
        pauseTimer.action = { [unowned self] in self.endPauses() }
    }

    deinit {
        budget.ask { $0.closeLane(lane) }
    }

    /// Sends a request when its turn comes.
    ///
    /// - Parameters:
    ///   - priority: the more urgent goes first when not all may go.
    ///   - party: on whose behalf it is sent: parties that wait are served in turns.
    ///   - label: the counters that it is added to.
    ///   - tally: hears of each sending; may be called before this has returned.
    ///   - account: a number of something of the client's own that goes along, such as its token:
    ///     429s to that teach a limit of its own. 0 without.
    ///   - deadline: a request that has not left by then fails with `waitedTooLong`. Once it has
    ///     left, the pool's timeouts count.
    ///   - repeats: how often a GET or HEAD that met a 429 is sent again, after about 0.5, 1 and 2
    ///     seconds, where that is before the deadline and the origin does not refuse all for now;
    ///     3 at most. 0 for callers that have something to answer with.
    ///   - receiver: not called before this has returned. Of repeated requests it hears of the last
    ///     answer only, but perhaps of interim responses to the earlier sendings.
    public func send(
        _ request: UpstreamRequest, priority: UpstreamPriority, party: UpstreamParty = .everyone,
        label: UpstreamLabel, tally: (any UpstreamTally)? = nil, account: UInt64 = 0, deadline: Instant,
        repeats: Int = UpstreamGate.defaultRepeats, to receiver: any UpstreamReceiver
    ) -> UpstreamExchange {
        loop.assertOnLoop()
        let state = UpstreamState(
            priority, of: party, deadline: deadline, repeats: request.method.isSafe ? repeats : 0, at: loop.now)
        let exchange = UpstreamExchange(
            request, state, label: label, tally: tally, account: account, gate: self, loop: loop, receiver: receiver)
        open += 1
        exchange.handle(.sent(isDraining: isDraining))
        return exchange
    }

    /// Takes no new requests; when those it has have ended, so does the pool.
    public func drain() {
        loop.assertOnLoop()
        isDraining = true
        if open == 0 { pool.drain() }
    }

    /// Another gate takes its place: its requests go on as they would, repeats after a 429
    /// included. Then its pool ends, and `completion` may let go of it; until then its owner must
    /// keep it.
    /// - Parameter isOfFormerOrigin: whether the new one asks another origin: what this one is told
    ///   from now on is no reason to ask that less often.
    package func retire(isOfFormerOrigin: Bool, _ completion: @escaping () -> Void) {
        loop.assertOnLoop()
        whenRetired = completion
        self.isOfFormerOrigin = isOfFormerOrigin
        if open == 0 { endRetired() }
    }

    private func endRetired() {
        guard let completion = whenRetired else { return }
        whenRetired = nil
        pool.drain()
        // In a turn of its own: this gate may be performing something.
        loop.schedule(at: loop.now) { completion() }
    }

    /// Seconds after which a request that met a 429 is worth another try, as far as it is known
    /// here.
    package func retryAfter(of account: UInt64) -> Int {
        budget.ask { $0.wait(of: account, now: loop.now) } ?? retryAfter(.waitingClient, of: .everyone)
    }

    /// The longest that an answer is waited for from the moment at which its request has its turn;
    /// content that keeps coming may take longer.
    package var patience: Duration { pool.settings.timeouts.patience }

    /// Whether an optional request would delay no other.
    package var hasRoom: Bool { budget.ask { $0.hasRoom(lane, now: loop.now) } }

    /// The budget may allow more than before.
    package func reconsider() {
        let now = loop.now
        decide { $0.tick(now: now) }
    }
}

// MARK: Requests of exchanges

extension UpstreamGate: TurnSource {
    var connections: any ConnectionSource { pool }

    func enqueue(_ exchange: UpstreamExchange) -> TurnID {
        let now = loop.now
        nextNumber += 1
        let turn = TurnID(lane: lane, number: nextNumber)
        let (actions, wakeAt) = budget.decide(for: lane) {
            $0.submit(
                turn, exchange.state.priority, of: exchange.state.party, causedBy: exchange.label.spender,
                account: exchange.account, isRepeated: exchange.state.isRepeated, now: now)
        }
        // Mostly it starts at once, and never waits.
        if actions.count == 1, actions[0] == .start(turn) {
            start(exchange)
            perform(ActionList(), wakeAt)
            return turn
        }
        waiting[turn] = exchange
        perform(actions, wakeAt)
        guard waiting[turn] != nil else { return turn }
        observer.upstreamQueued()
        if lacksShare(turn) { observer.upstreamLacksShare() }
        reviewPauses()
        exchange.handle(.queued)
        return turn
    }

    /// Whether a request waits because its party holds its share of the connections.
    private func lacksShare(_ turn: TurnID) -> Bool { budget.ask { $0.lacksShare(turn) } }

    func reasonOfWait(
        _ turn: TurnID, _ priority: UpstreamPriority, of party: UpstreamParty
    ) -> UpstreamFailure {
        let retryAfter = retryAfter(priority, of: party)
        return lacksShare(turn) ? .shareUsed(retryAfter: retryAfter) : .waitedTooLong(retryAfter: retryAfter)
    }

    func promote(
        _ turn: TurnID, to priority: UpstreamPriority, of party: UpstreamParty?
    ) -> UpstreamParty? {
        let now = loop.now
        decide { $0.promote(turn, to: priority, of: party, now: now) }
        return budget.ask { $0.party(of: turn) }
    }

    func end(_ turn: TurnID, _ outcome: BudgetState.Outcome) {
        if case .rateLimited = outcome { observer.upstreamRateLimited() }
        if !waiting.isEmpty { waiting[turn] = nil }
        let now = loop.now
        decide { $0.end(turn, isOfFormerOrigin ? .unanswered : outcome, now: now) }
    }

    private func retryAfter(_ priority: UpstreamPriority, of party: UpstreamParty) -> Int {
        budget.ask { $0.retryAfter(priority, of: party, now: loop.now) }
    }

    func pause(beforeRepeat number: Int, of account: UInt64, retryAfter: Duration?, deadline: Instant) -> Instant? {
        let isRefused = budget.ask { state in
            [account, 0].contains { state.wait(of: $0, now: loop.now) != nil }
        }
        guard !isDraining, !isRefused, let pause = RepeatPause.duration(beforeRepeat: number, using: &random) else {
            return nil
        }
        let instant = loop.now + max(pause, retryAfter ?? .zero)
        return instant < deadline ? instant : nil
    }

    func ended() {
        open -= 1
        guard open == 0 else { return }
        if isDraining { pool.drain() }
        endRetired()
    }
}

// MARK: Slow readers

extension UpstreamGate {
    func paused(_ exchange: UpstreamExchange) {
        paused.begin(ObjectIdentifier(exchange), of: exchange.state.party, at: loop.now)
        pausedExchanges[ObjectIdentifier(exchange)] = exchange
        reviewPauses()
    }

    func resumed(_ exchange: UpstreamExchange) {
        paused.end(ObjectIdentifier(exchange))
        pausedExchanges[ObjectIdentifier(exchange)] = nil
    }

    /// In a turn of its own, so that no receiver is called from inside `send` or `pause`.
    private func reviewPauses() {
        guard !paused.isEmpty, let due = paused.due(isContended: isCrowded, of: pool.settings.maxConnections) else {
            return
        }
        pauseTimer.set(max(due, loop.now))
    }

    private func endPauses() {
        let connections = pool.settings.maxConnections
        if let id = paused.overdue(isContended: isCrowded, of: connections, now: loop.now) {
            let exchange = pausedExchanges[id]
            exchange?.handle(.cutOff)
            if let exchange { resumed(exchange) }
        }
        reviewPauses()
    }

    /// Whether requests wait here because the connections are taken.
    private var isCrowded: Bool { !waiting.isEmpty && budget.ask { $0.isCrowded(lane) } }
}

// MARK: Actions

extension UpstreamGate: BudgetLane {
    private func decide(_ event: (inout BudgetState) -> ActionList<BudgetState.Action>) {
        loop.assertOnLoop()
        let (actions, wakeAt) = budget.decide(for: lane, event)
        perform(actions, wakeAt)
    }

    private func perform(_ actions: ActionList<BudgetState.Action>, _ wakeAt: Instant?) {
        for index in actions.indices { perform(actions[index]) }
        if let wakeAt, !waiting.isEmpty { timer.hasten(to: wakeAt) }
    }

    /// Performs a decision. A request that was taken back on the action's way here from another
    /// loop has returned its turn already.
    func perform(_ action: BudgetState.Action) {
        guard let exchange = waiting.removeValue(forKey: action.job) else { return }
        switch action {
        case .start: start(exchange)
        case .refuse(_, let retryAfter):
            observer.upstreamRefused()
            exchange.handle(.turnRefused(.tooManyWaiting(retryAfter: retryAfter)))
        case .turnAway(_, let retryAfter):
            exchange.handle(.turnRefused(.heldBack(retryAfter: retryAfter)))
        }
    }

    private func start(_ exchange: UpstreamExchange) {
        observer.upstreamStarted(exchange.label, isRepeated: exchange.state.isRepeated)
        exchange.tally?.noteSending(at: loop.now)
        exchange.handle(.turnCame)
    }
}

/// When a request that met a 429 is sent again (DECISIONS 11.3): nearly all of them succeed after
/// half a second, and none needs more than a few (APPLE-MUSIC-API 10.3).
enum RepeatPause {
    static let seconds = [0.5, 1, 2]

    /// The pause before the repeat of this number, from 0, a quarter shorter or longer; nil after
    /// the last.
    static func duration(beforeRepeat number: Int, using random: inout some RandomNumberGenerator) -> Duration? {
        guard seconds.indices.contains(number) else { return nil }
        return .seconds(seconds[number] * Double.random(in: 0.75...1.25, using: &random))
    }
}
