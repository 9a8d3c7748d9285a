import EventLoop

/// A request to the origin and its answer, as its sender holds it. Confined to its loop.
///
/// It waits for its turn in the budget, then for a connection, is sent, perhaps pauses after a 429
/// and waits again, and ends. A request given to a pool directly has no turn.
///
/// Must hold:
/// - a turn that was asked for is returned once, however the exchange ends;
/// - the receiver hears of one end, and of none after `cancel`; it is never called from inside
///   `send`, `promote` or `cancel`;
/// - one timer serves the wait for the turn, the pause, and the failure that is still to be told.
public final class UpstreamExchange {
    enum Phase {
        /// The gate has it.
        case waitingForTurn
        /// The pool has it, also after its connection was dead.
        case waitingForConnection
        case onConnection
        /// It waits to be repeated after a 429.
        case pausing
        /// A failure is reported in the next turn of the loop.
        case failing
        case ended
    }

    let request: UpstreamRequest
    private(set) var priority: UpstreamPriority
    private(set) var party: UpstreamParty
    let label: UpstreamLabel
    let tally: (any UpstreamTally)?
    /// The account whose limit counts beside the common one; 0: none.
    let account: UInt64
    /// When its last connection got the request.
    private(set) var requestedAt: Instant
    /// Whether the receiver wants no bytes for now.
    private(set) var isPaused = false

    private(set) var phase = Phase.waitingForConnection
    /// Nil after the end and after `cancel`.
    private var receiver: (any UpstreamReceiver)?
    private let loop: EventLoop
    private var timer: TimerToken?

    private weak var gate: UpstreamGate?
    private let deadline: Instant
    private let mostRepeats: Int
    private var repeats = 0
    /// The turn that was asked for and is still to be returned.
    private var turn: BudgetState.JobID?
    /// A 429 whose head has come, for the budget, however the rest ends.
    private var refusal: BudgetState.Outcome?
    private var isCounted = false

    private weak var pool: UpstreamPool?
    /// Number in the pool, new with each sending.
    private(set) var id = PoolState.RequestID(number: -1)
    private weak var connection: UpstreamConnection?

    /// - Parameters:
    ///   - gate: nil for a request that is given to a pool alone.
    ///   - deadline: until when it may wait for its turn.
    init(
        _ request: UpstreamRequest, priority: UpstreamPriority = .waitingClient, party: UpstreamParty = .everyone,
        label: UpstreamLabel, tally: (any UpstreamTally)? = nil, account: UInt64 = 0, gate: UpstreamGate? = nil,
        deadline: Instant,
        repeats: Int = 0, loop: EventLoop,
        receiver: any UpstreamReceiver
    ) {
        (self.request, self.priority, self.party) = (request, priority, party)
        (self.label, self.tally, self.account, self.gate, self.deadline) = (label, tally, account, gate, deadline)
        mostRepeats = repeats
        (self.loop, self.receiver) = (loop, receiver)
        requestedAt = loop.now
    }

    /// Ends the exchange without another call to the receiver. A connection that it is on goes with
    /// it, because the rest of the answer is still to come there. Does nothing after the end.
    public func cancel() {
        guard phase != .ended else { return }
        if phase != .waitingForTurn {
            receiver = nil
            pool?.cancel(self)
            count(nil)
        }
        returnTurn(.unanswered)
        finish()
    }

    /// Makes it more urgent. One that has its turn already keeps its place among the connections; a
    /// repeat of it counts as urgent as this.
    /// - Parameter party: another that wants it too. A request that is as urgent as before waits
    ///   among those of that party if fewer of these wait.
    public func promote(to priority: UpstreamPriority, of party: UpstreamParty? = nil) {
        guard priority > self.priority || party != nil else { return }
        self.priority = max(priority, self.priority)
        if case .waitingForTurn = phase, let turn, let place = gate?.promote(turn, to: priority, of: party) {
            self.party = place
        } else if let party, self.party == .background || self.party == .everyone {
            // No client's until now; a repeat of it waits on behalf of this one.
            self.party = party
        }
    }

    /// Whether it was sent before, and met a 429.
    var isRepeated: Bool { repeats > 0 }

    /// Whether it waits for its turn, not sent.
    public var isWaitingForTurn: Bool { phase == .waitingForTurn }

    /// Reads no more of a streamed answer until `resume`, so that the origin is slowed down by TCP.
    /// Bytes read before may still be reported. The deadline of the whole exchange goes
    /// on, and a pause that is too long, or that keeps others from their turn, ends it.
    public func pause() {
        guard !isPaused else { return }
        isPaused = true
        connection?.pauses()
        gate?.paused(self)
    }

    /// Reads on; the next bytes come in a later call, never inside this one.
    public func resume() {
        guard isPaused else { return }
        endPause()
        connection?.resumes()
    }

    private func endPause() {
        guard isPaused else { return }
        isPaused = false
        gate?.resumed(self)
    }

    /// Closes the connection of a reader that is too slow, and tells the receiver.
    func cutOff() {
        guard case .onConnection = phase else { return }
        pool?.cancel(self)
        report(.failed(.readerTooSlow))
    }
}

// MARK: Up: from the gate to the pool to a connection

extension UpstreamExchange {
    /// Asks the gate for a turn, which comes now or later.
    func waitForTurn() {
        stopTimer()
        guard let gate else { return fail(.draining) }
        let turn = gate.makeTurn()
        self.turn = turn
        refusal = nil
        isCounted = false
        phase = .waitingForTurn
        gate.enqueue(self, turn)
        // Only where it did not start at once, as it mostly does.
        guard case .waitingForTurn = phase else { return }
        timer = loop.schedule(at: deadline) { self.deadlinePassed() }
    }

    /// The budget refuses the turn: the queue is full, or the origin refuses the account.
    func lostTurn(_ failure: UpstreamFailure) {
        turn = nil
        fail(failure)
    }

    func wait(in pool: UpstreamPool, as id: PoolState.RequestID) {
        stopTimer()
        phase = .waitingForConnection
        endPause()
        (self.pool, self.id) = (pool, id)
    }

    func start(on connection: UpstreamConnection) {
        phase = .onConnection
        self.connection = connection
        requestedAt = loop.now
    }

    /// The head of the final answer has come, before its end.
    func headCame(_ response: UpstreamResponse) {
        refusal = response.status == 429 ? .rateLimited(retryAfter: response.retryAfter()) : nil
    }

    func leaveConnection() {
        connection = nil
        if case .onConnection = phase { phase = .waitingForConnection }
    }

    private func deadlinePassed() {
        guard case .waitingForTurn = phase else { return }
        let retryAfter = gate?.retryAfter(priority, of: party) ?? 1
        let lacksShare = turn.flatMap { gate?.lacksShare($0) } ?? false
        fail(lacksShare ? .shareUsed(retryAfter: retryAfter) : .waitedTooLong(retryAfter: retryAfter))
        returnTurn(.unanswered)
    }
}

// MARK: Back: from the connection or the pool to the receiver

extension UpstreamExchange {
    /// Whether the receiver waits for an event.
    var isAwaited: Bool { receiver != nil }

    /// Whether the answer is to be reported in one piece.
    func wantsWhole(_ response: UpstreamResponse) -> Bool {
        receiver?.upstream(self, wantsWhole: response) ?? true
    }

    /// Reports the result of the sending.
    func report(_ event: UpstreamEvent) {
        guard let receiver else { return }
        switch event {
        case .interim, .received: break
        case .began(let response): count(response)
        case .answered(let response):
            headCame(response)
            count(response)
            returnTurn(.answered)
            if refusal != nil, repeatsLater(after: response.retryAfter()) { return }
            finish()
        case .finished:
            returnTurn(.answered)
            finish()
        case .failed:
            count(nil)
            returnTurn(.unanswered)
            finish()
        }
        receiver.upstream(self, event)
    }

    /// Reports the failure in a turn of its own, so that no receiver is called from inside `send`.
    func fail(_ failure: UpstreamFailure) {
        stopTimer()
        phase = .failing
        timer = loop.schedule(at: loop.now) { self.report(.failed(failure)) }
    }

    /// After a 429: whether it will be sent again. One that is too large to be collected is handed
    /// on instead.
    private func repeatsLater(after retryAfter: Duration?) -> Bool {
        guard repeats < mostRepeats,
            let at = gate?.pause(beforeRepeat: repeats, of: account, retryAfter: retryAfter, deadline: deadline)
        else { return false }
        repeats += 1
        phase = .pausing
        timer = loop.schedule(at: at) {
            self.gate?.observer.upstreamRepeated()
            self.waitForTurn()
        }
        return true
    }

    /// Counts the result of a sending that had its turn; nil: none.
    private func count(_ response: UpstreamResponse?) {
        guard turn != nil, !isCounted else { return }
        isCounted = true
        let time = response.map { $0.receivedAt - $0.requestedAt }
        gate?.observer.upstreamAnswered(priority, status: response?.status, after: time)
    }

    /// The budget is told `outcome`, unless it met a 429.
    private func returnTurn(_ outcome: BudgetState.Outcome) {
        guard let turn else { return }
        self.turn = nil
        gate?.end(turn, refusal ?? outcome)
    }

    /// Lets go of the receiver, which is told of the end by the caller.
    private func finish() {
        stopTimer()
        endPause()
        phase = .ended
        receiver = nil
        gate?.ended()
    }

    private func stopTimer() {
        if let timer { loop.cancel(timer) }
        timer = nil
    }
}
