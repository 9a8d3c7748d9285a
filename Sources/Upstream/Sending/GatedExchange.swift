import EventLoop

/// A request on its way through the gate: what its sender holds on to. Confined to the gate's loop.
///
/// It waits, is sent, perhaps pauses after a 429 and waits again, and ends. One timer serves the
/// wait (its deadline) and the pause. The receiver's calls bring the `UpstreamExchange` of the
/// sending that is under way, to pause it, resume it or cancel it; cancelling that one or this one
/// is the same.
public final class GatedExchange {
    private enum Phase {
        case waiting(UpstreamAttempt)
        case sent(UpstreamAttempt, UpstreamExchange)
        /// After a 429.
        case pausing
        /// Its failure is still to be told.
        case failing
        case ended
    }

    /// As it was given to `send`.
    public let request: UpstreamRequest
    /// As it was given to `send`, or promoted to since.
    public private(set) var priority: UpstreamPriority
    private let deadline: Instant
    private let mostRepeats: Int
    private var repeats = 0
    private weak var gate: UpstreamGate?
    private let loop: EventLoop
    /// Nil once it has heard of the end.
    private(set) var receiver: (any UpstreamReceiver)?
    private var phase = Phase.pausing
    private var timer: TimerToken?

    init(
        _ request: UpstreamRequest, priority: UpstreamPriority, deadline: Instant, repeats: Int, gate: UpstreamGate,
        receiver: any UpstreamReceiver
    ) {
        self.request = request
        self.priority = priority
        self.deadline = deadline
        mostRepeats = repeats
        self.gate = gate
        loop = gate.loop
        self.receiver = receiver
    }

    /// Ends the exchange without another call to the receiver. Does nothing after the end.
    public func cancel() {
        switch phase {
        case .waiting(let attempt):
            finish()
            attempt.end(.unanswered)
        case .sent(_, let exchange):
            // Comes back by `wasCancelled`.
            exchange.cancel()
        case .pausing, .failing:
            finish()
        case .ended:
            break
        }
    }

    /// Makes it more urgent. One that has been sent already keeps its place among the connections;
    /// a repeat of it counts as urgent as this.
    public func promote(to priority: UpstreamPriority) {
        guard priority > self.priority else { return }
        self.priority = priority
        if case .waiting(let attempt) = phase { gate?.promote(attempt, to: priority) }
    }
}

// MARK: Steps

extension GatedExchange {
    func waitForTurn() {
        stopTimer()
        guard let gate else { return fail(.draining) }
        let attempt = gate.makeAttempt(self)
        phase = .waiting(attempt)
        gate.enqueue(attempt, priority, isRepeated: repeats > 0)
        // Only where it did not start at once, as it mostly does.
        guard case .waiting = phase else { return }
        timer = loop.schedule(at: deadline) { self.deadlinePassed() }
    }

    /// Its turn has come.
    func starts(_ attempt: UpstreamAttempt, _ send: (UpstreamRequest) -> UpstreamExchange) {
        stopTimer()
        phase = .sent(attempt, send(request))
    }

    /// After a 429: whether it will be sent again. One that is too large to be collected is handed
    /// on instead.
    func repeatsLater() -> Bool {
        guard repeats < mostRepeats, let at = gate?.pause(beforeRepeat: repeats, deadline: deadline) else {
            return false
        }
        repeats += 1
        phase = .pausing
        timer = loop.schedule(at: at) {
            self.gate?.repeats()
            self.waitForTurn()
        }
        return true
    }

    /// Told in a turn of its own, so that no receiver is called from inside its own call.
    func fail(_ failure: UpstreamFailure) {
        stopTimer()
        phase = .failing
        timer = loop.schedule(at: loop.now) {
            let exchange = UpstreamExchange(unsent: self.request, now: self.loop.now)
            self.finish()?.upstream(exchange, failed: failure)
        }
    }

    /// Lets go of the receiver, which is told of the end by the caller.
    @discardableResult
    func finish() -> (any UpstreamReceiver)? {
        guard let receiver else { return nil }
        stopTimer()
        phase = .ended
        self.receiver = nil
        gate?.ended()
        return receiver
    }

    private func deadlinePassed() {
        guard case .waiting(let attempt) = phase else { return }
        let retryAfter = gate?.retryAfter(priority) ?? 1
        fail(.waitedTooLong(retryAfter: retryAfter))
        attempt.end(.unanswered)
    }

    private func stopTimer() {
        if let timer { loop.cancel(timer) }
        timer = nil
    }
}

/// One sending of a gated exchange: holds its turn, and hands on what comes of it.
final class UpstreamAttempt: UpstreamReceiver {
    let job: BudgetState.JobID
    let exchange: GatedExchange
    private weak var gate: UpstreamGate?
    /// What the budget hears of a streamed answer when it has ended.
    private var outcome = BudgetState.Outcome.answered
    private var isCounted = false

    init(_ exchange: GatedExchange, job: BudgetState.JobID, gate: UpstreamGate) {
        self.exchange = exchange
        self.job = job
        self.gate = gate
    }

    /// Returns the turn.
    func end(_ outcome: BudgetState.Outcome) {
        gate?.end(self, outcome)
    }

    /// What came of it; nil: nothing.
    private func count(_ response: UpstreamResponse?) {
        guard !isCounted else { return }
        isCounted = true
        let time = response.map { $0.receivedAt - $0.requestedAt }
        gate?.count(exchange.priority, response?.status, took: time)
    }

    func wasCancelled() {
        count(nil)
        end(outcome == .rateLimited ? .rateLimited : .unanswered)
        exchange.finish()
    }

    func upstream(_ exchange: UpstreamExchange, interim: UpstreamInterim) {
        self.exchange.receiver?.upstream(exchange, interim: interim)
    }

    func upstream(_ exchange: UpstreamExchange, answered response: UpstreamResponse) {
        let isLimited = response.status == 429
        count(response)
        end(isLimited ? .rateLimited : .answered)
        if isLimited, self.exchange.repeatsLater() { return }
        self.exchange.finish()?.upstream(exchange, answered: response)
    }

    func upstream(_ exchange: UpstreamExchange, began response: UpstreamResponse) {
        if response.status == 429 { outcome = .rateLimited }
        count(response)
        self.exchange.receiver?.upstream(exchange, began: response)
    }

    func upstream(_ exchange: UpstreamExchange, received bytes: [UInt8]) {
        self.exchange.receiver?.upstream(exchange, received: bytes)
    }

    func upstreamFinished(_ exchange: UpstreamExchange) {
        end(outcome)
        self.exchange.finish()?.upstreamFinished(exchange)
    }

    func upstream(_ exchange: UpstreamExchange, failed failure: UpstreamFailure) {
        count(nil)
        end(.unanswered)
        self.exchange.finish()?.upstream(exchange, failed: failure)
    }
}
