import Cache
import EventLoop
import Upstream

// The states and events of one request between its look-up and its answer. Pure; `Exchange`
// performs the steps, and looks up substitutes, which a purge may have removed.
// Must hold: a client is answered once, and nothing is sent to it afterwards; a flight is finished
// once, before its own client is answered; the origin's answer is stored before a flight with it is
// finished; an exchange that has ended asks nothing more of the origin.
//
//     begin ─► join ─┬─ lead ─► look ─► complete, batch ─┬─► ask ─► judge ─┬─► store, freshen ─► answer
//                    ├─ alone ───────────────────────────┘    ▲            ├─► ask again: other token,
//                    ├─ wait ─► flight finished ──────────────┤            │   no validators, no gzip
//                    └─ full ─► refuse            take over ──┘            └─► stream
//
// A client with a stand-in gets it when the origin fails, or has been slow for two seconds; the
// origin's answer is stored when it comes.

/// The state of one exchange and of its client.
struct ExchangeState {
    enum Client {
        /// There is no client: a refresh, or a part of another answer.
        case none
        case waiting
        /// The head of a streamed answer was sent.
        case streaming
        /// The answer was sent, or the client has left during it.
        case done
    }

    enum Work {
        case unstarted
        /// Another request's flight brings the answer.
        case waiting
        /// The shared tier looks for the answer.
        case looking
        /// The missing part of a composition, or a batch, is fetched.
        case completing(isBatch: Bool)
        /// The part is stored; the answer that it completes is looked up.
        case completed
        /// The request waits for its turn or for the origin.
        case asking
        /// The origin refused the developer token with this answer.
        case renewing(UpstreamResponse, isStreamed: Bool)
        /// The whole answer is put into the cache.
        case storing
        /// The content of a streamed answer is coming.
        case streaming
        case ended
    }

    let traits: Traits
    var client: Client
    var work = Work.unstarted
    private let began: Instant
    /// Whether another request brings the answer.
    private(set) var isCollapsed = false
    /// Whether another node's request has brought the answer, or its parts.
    private(set) var isShared = false
    /// Whether a client waits for this refresh.
    private var isPromoted = false
    /// Whether a stale answer may replace a missing one.
    private(set) var hasStandIn: Bool
    /// Whether the client has left. It is answered all the same, for the counters and the log.
    var hasClientLeft = false
    var validates: Bool
    var acceptsGzip: Bool
    /// Whether the origin's gzip was damaged: later gzip is inflated, asked for or not.
    var wasDamaged = false
    var hasRenewedToken = false
    /// Whether the answer has an `Age`.
    var isAged = false
    /// Whether it joined a second flight because the first leader failed by itself.
    private(set) var hasRejoined = false
    /// Whether it joined a second flight because the first answer was for other fields.
    private var hasChangedFlight = false
    /// Whether the origin has refused a batch with this request.
    private(set) var wasPartOfRefused = false

    /// How long a client with a stand-in waits for the origin.
    static let patienceWithFallback = Duration.seconds(2)
    /// How long a waiter waits for its leader, and a request for its part.
    private static let leaderPatience = FlightTable<Never>.patience
    /// How often a waiter tries to take over.
    private static let takeOverInterval = Duration.seconds(1)

    init(_ traits: Traits, at now: Instant) {
        self.traits = traits
        client = traits.audience == .client ? .waiting : .none
        began = now
        validates = traits.isRevalidatable
        acceptsGzip = traits.acceptsGzip
        hasStandIn = traits.hasStandIn
    }

    var isUnanswered: Bool { client == .waiting }
    private var hasFallback: Bool { isUnanswered && hasStandIn }
    var isStreaming: Bool { client == .streaming }

    /// Decides on an event.
    mutating func handle(_ event: Event, at now: Instant) -> Step {
        switch event {
        case .began(let meanwhile): begin(meanwhile, at: now)
        case .joined(let place): joined(place, at: now)
        case .flightFinished(let outcome, let isOurs): flightFinished(outcome, isOurs: isOurs, at: now)
        case .tookOver(let meanwhile): tookOver(meanwhile, at: now)
        case .mayNotTakeOver: waitOn(at: now)
        case .looked(let found): looked(found, at: now)
        case .batched(let isAlone): batched(isAlone: isAlone, at: now)
        case .partEnded(let end, let isFirst): partEnded(end, isFirst: isFirst, at: now)
        case .completed(let whole): completed(whole, at: now)
        case .patienceEnded(let standIn): losePatience(standIn, at: now)
        case .interim(let interim): isUnanswered ? Step(client: .hint(interim)) : Step()
        case .answered(let response, let decoding): answered(response, decoding)
        case .tokenRenewed(let isAnother): tokenRenewed(isAnother)
        case .stored(let stored, let status, let isReusable): wasStored(stored, status, isReusable: isReusable)
        case .unstored(let response, let reason): unstored(response, reason)
        case .outranked(let response): outranked(response)
        case .contradicted: contradicted()
        case .headArrived(let response): headArrived(response)
        case .received(let bytes): received(bytes)
        case .finished: finished()
        case .failed(let failure): failed(failure)
        case .clientBlocked: isStreaming ? Step(origin: .pause) : Step()
        case .clientDrained: isStreaming ? Step(origin: .resume) : Step()
        case .clientLeft: clientLeft()
        case .promoted: promoted()
        case .unwanted: unwanted()
        }
    }
}

// MARK: - Before the origin is asked

extension ExchangeState {
    private mutating func begin(_ meanwhile: StoredResponse?, at now: Instant) -> Step {
        guard case .unstarted = work else { preconditionFailure("an exchange begins once") }
        switch traits.audience {
        // Its flight began before it.
        case .refresh: return meanwhile.map { finish(with: $0) } ?? lead(at: now)
        case .client, .part: return traits.isCollapsible ? Step(flight: .join) : askAlone(at: now)
        }
    }

    private mutating func joined(_ place: FlightPlace, at now: Instant) -> Step {
        guard case .unstarted = work else { preconditionFailure("a flight is joined once, at the beginning") }
        switch place {
        case .leader(let meanwhile):
            guard let meanwhile else { return lead(at: now) }
            isCollapsed = true
            return finish(with: meanwhile)
        // Its answer is not shared, so no other node has it.
        case .alone: return fetch(at: now)
        case .waiter:
            work = .waiting
            isCollapsed = true
            guard isUnanswered else { return Step() }
            let patience = hasStandIn ? Self.patienceWithFallback : Self.leaderPatience
            return Step(timer: .set(began + patience))
        case .full(let reason):
            work = .ended
            return give(up: ExchangeFailure(status: 503, reason: reason, retryAfter: 1))
        }
    }

    /// Asks the shared tier, where that may have the answer.
    private mutating func lead(at now: Instant) -> Step {
        isCollapsed = false
        guard traits.asksTier else { return fetch(at: now) }
        work = .looking
        return Step(timer: hasFallback ? .set(began + Self.patienceWithFallback) : .keep, origin: .look)
    }

    private mutating func looked(_ found: StoredResponse?, at now: Instant) -> Step {
        guard case .looking = work else { preconditionFailure("only a look-up finds") }
        guard let found else { return fetch(at: now) }
        isShared = true
        return finish(with: found)
    }

    /// Asks for the supplement, for a batch, or for the whole answer.
    private mutating func fetch(at now: Instant) -> Step {
        guard traits.hasSupplement || traits.isBatchable else { return ask(at: now) }
        work = .completing(isBatch: !traits.hasSupplement)
        guard traits.hasSupplement else { return Step(origin: .joinBatch) }
        return Step(timer: .set(now + Self.leaderPatience), origin: .fetchPart)
    }

    /// Asks under a flight that others cannot join.
    private mutating func askAlone(at now: Instant) -> Step {
        var step = ask(at: now)
        step.flight = .begin
        return step
    }

    private mutating func ask(at now: Instant) -> Step {
        isCollapsed = false
        var step = sendAgain()
        step.timer = hasFallback ? .set(max(began + Self.patienceWithFallback, now)) : .cancel
        return step
    }

    /// Sends the request with the present settings; the timer stays.
    mutating func sendAgain() -> Step {
        work = .asking
        // A client with a stand-in does not wait for repeats after a 429.
        let repeats = traits.audience != .client && !traits.isWitness || isUnanswered && !hasStandIn
        return Step(
            origin: .send(
                Sending(
                    validates: validates, acceptsGzip: acceptsGzip, inflates: acceptsGzip || wasDamaged,
                    repeats: repeats, priority: priority)))
    }

    private var priority: UpstreamPriority {
        switch traits.audience {
        case .refresh where !isPromoted: .refresh
        case .part where traits.isWitness: .refresh
        default: traits.hasStored ? .revalidation : .waitingClient
        }
    }

    private mutating func unwanted() -> Step {
        guard case .asking = work else { return Step() }
        hasClientLeft = true
        var step = end(.failed(ExchangeFailure(status: 503, reason: .clientLeft)))
        step.origin = .cancel
        return step
    }

    private mutating func promoted() -> Step {
        isPromoted = true
        guard case .asking = work else { return Step() }
        return Step(origin: .promote(priority))
    }
}

// MARK: - Waiting

extension ExchangeState {
    private mutating func flightFinished(_ outcome: FlightOutcome, isOurs: Bool, at now: Instant) -> Step {
        // After a take-over the client gets the first of the two answers; both are stored.
        if case .asking = work, isUnanswered, isOurs, case .stored(let stored, let status) = outcome {
            isCollapsed = true
            return answer(.stored(stored, originStatus: status))
        }
        // It was answered before, or has taken over.
        guard case .waiting = work, isUnanswered || traits.audience == .part else { return Step() }
        switch outcome {
        case .stored(let stored, let status) where isOurs:
            work = .ended
            return deliver(.stored(stored, originStatus: status, isReusable: true))
        case .stored where traits.audience == .client && !hasChangedFlight:
            hasChangedFlight = true
            work = .unstarted
            return Step(flight: .join)
        case .leadersOwn where traits.audience == .client && !hasRejoined:
            hasRejoined = true
            work = .unstarted
            return Step(flight: .join)
        case .stored, .released, .leadersOwn(nil):
            guard traits.audience == .client else {
                work = .ended
                return Step(client: .report(.unusable(status: nil)))
            }
            return askAlone(at: now)
        case .unstored(let response, let reason):
            work = .ended
            return deliver(.unstored(response, reason))
        case .failed(let failure), .leadersOwn(let failure?):
            work = .ended
            return deliver(.failed(failure))
        }
    }

    /// The origin is slow: serves the stand-in, or lets a waiter take over.
    private mutating func losePatience(_ standIn: StoredResponse?, at now: Instant) -> Step {
        guard isUnanswered else { return Step() }
        if let standIn { return answer(.stale(standIn, .waitedTooLong, originStatus: nil)) }
        hasStandIn = false
        switch work {
        case .completing: return ask(at: now)
        case .waiting: return Step(flight: .takeOver)
        case .unstarted, .looking, .completed, .asking, .renewing, .storing, .streaming, .ended: return Step()
        }
    }

    private mutating func tookOver(_ meanwhile: StoredResponse?, at now: Instant) -> Step {
        guard case .waiting = work else { preconditionFailure("only a waiter takes over") }
        return meanwhile.map { finish(with: $0) } ?? ask(at: now)
    }

    private mutating func waitOn(at now: Instant) -> Step {
        guard case .waiting = work else { preconditionFailure("only a waiter takes over") }
        let end = began + traits.longestWait
        if now < end { return Step(timer: .set(min(now + Self.takeOverInterval, end))) }
        work = .ended
        return give(up: ExchangeFailure(status: 504, reason: .waitedTooLong))
    }

    private mutating func batched(isAlone: Bool, at now: Instant) -> Step {
        // The whole was asked for, because patience ended.
        guard case .completing = work else { return Step() }
        return isAlone ? ask(at: now) : Step(timer: .set(now + Self.leaderPatience))
    }

    private mutating func partEnded(_ end: PartEnd, isFirst: Bool, at now: Instant) -> Step {
        // The whole was asked for, because patience ended.
        guard case .completing(let isBatch) = work else { return Step() }
        wasPartOfRefused = isBatch && end.isRefusedList
        switch end {
        case .failed(let failure): return self.end(.failed(failure))
        // The extra part may have been too much for the origin, or unknown to it; and the whole may
        // come in time where a part does not.
        case .refused(let response, _)
        where traits.asksForMore && (response.status >= 500 || response.status == 400)
            || !isBatch && response.status == 504:
            return ask(at: now)
        case .refused(let response, let reason):
            // One request of a batch counts as a miss, the others as collapsed.
            isCollapsed = !isFirst
            return self.end(.unstored(response, reason))
        case .unusable, .incomplete, .tooLarge: return ask(at: now)
        case .stored:
            work = .completed
            // The origin's own answer precedes a composed one.
            return Step(origin: .complete([.arrived, .composition(isBatch ? .batched : nil)]))
        }
    }

    private mutating func completed(_ whole: StoredResponse?, at now: Instant) -> Step {
        guard case .completed = work else { preconditionFailure("a part completes once") }
        return whole.map { finish(with: $0) } ?? ask(at: now)
    }
}
