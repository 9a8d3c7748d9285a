import Cache
import EventLoop
import Upstream

// Everything that happens to one request between its look-up and its answer: one table of states
// and events. Pure; `Exchange` performs the steps. What may be gone from the cache by the time of
// an answer is looked up there, and the step says what to answer without it.
// Must hold: a client is answered once, and nothing is sent to it afterwards; a flight is finished
// once, before its own client is answered; the origin's answer is stored before a flight with it is
// finished; an exchange that has ended asks nothing more of the origin.
//
//     begin ─► join ─┬─ lead ─► look ─► complete, batch ─┬─► ask ─► judge ─┬─► store, freshen ─► answer
//                    ├─ alone ───────────────────────────┘    ▲            ├─► ask again: other token,
//                    ├─ wait ─► flight finished ──────────────┤            │   no validators, no gzip
//                    └─ full ─► refuse            take over ──┘            └─► stream
//
// A client that could have a stale answer gets it when the origin fails, or has been slow for two
// seconds; what the origin brings afterwards is stored all the same.

/// The state of one exchange: what its client still waits for, and what is under way for it.
struct ExchangeState {
    enum Client {
        /// There is no client: a refresh, a part of another answer.
        case none
        case waiting
        /// The head of a large answer has left, and its content is still coming.
        case streaming
        /// It has its answer, or has left in the middle of one.
        case done
    }

    enum Work {
        /// Nothing has been asked for yet.
        case unstarted
        /// Another request's flight brings the answer.
        case waiting
        /// The shared tier is asked whether another node has the answer.
        case looking
        /// The missing part of a composition, or a batch, is being fetched.
        case completing(isBatch: Bool)
        /// The part is here; what is to be had by it is looked up.
        case completed(isPaidFor: Bool)
        /// The origin is being asked.
        case asking
        /// The origin refused the developer token with this answer; another one is looked for.
        case renewing(UpstreamResponse, isStreamed: Bool)
        /// The whole answer is here, and is being put into the cache.
        case storing
        /// The content of a large answer is coming.
        case streaming
        case ended
    }

    let traits: Traits
    var client: Client
    var work = Work.unstarted
    private let began: Instant
    /// Whether another's request brings the answer.
    private(set) var isCollapsed = false
    /// Whether other nodes' requests have brought the answer, or what it is made of.
    private(set) var isShared = false
    /// Whether a client waits by now for what no client had asked for.
    private var isPromoted = false
    /// Whether something stale can be served in place of an answer that does not come, as far as is
    /// known.
    private(set) var hasStandIn: Bool
    /// Whether the client has hung up. It is answered all the same, for the counters and the log.
    var hasClientLeft = false
    var validates: Bool
    var acceptsGzip: Bool
    /// Whether the origin's gzip could not be read. What it sends then is looked at, whatever it
    /// was asked for.
    var wasDamaged = false
    var hasRenewedToken = false
    /// Whether another cache kept the answer for a while.
    var isAged = false
    /// Whether it has joined a flight a second time, because the leader of the first failed for a
    /// reason of its own.
    private(set) var hasRejoined = false
    /// Whether it has joined another flight, because the answer of the first was for requests with
    /// other fields.
    private var hasChangedFlight = false
    /// Whether the origin has refused a list that this request was a part of.
    private(set) var wasPartOfRefused = false

    /// How long a client that could have a stale answer waits for the origin.
    static let patienceWithFallback = Duration.seconds(2)
    /// How often a client that waits for another's request looks whether it may ask in its place.
    private static let takeOverInterval = Duration.seconds(1)

    init(_ traits: Traits, at now: Instant) {
        self.traits = traits
        client = traits.audience == .client ? .waiting : .none
        began = now
        validates = traits.isRevalidatable
        acceptsGzip = traits.acceptsGzip
        hasStandIn = traits.hasStandIn
    }

    /// Whether the client still waits for its answer.
    var isUnanswered: Bool { if case .waiting = client { true } else { false } }

    /// Whether it could have something stale instead.
    private var hasFallback: Bool { isUnanswered && hasStandIn }

    /// Whether the content of a large answer goes on to a client.
    var isStreaming: Bool { if case .streaming = client { true } else { false } }

    /// Actions after an event, in the order of the step's members.
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
        // Its flight was begun by what decided that it is wanted.
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
        // Others may have nothing of its answer, so no other node is waited for.
        case .alone: return fetch(at: now)
        case .waiter:
            work = .waiting
            isCollapsed = true
            guard isUnanswered else { return Step() }
            let patience = hasStandIn ? Self.patienceWithFallback : Flights.Table.patience
            return Step(timer: .set(began + patience))
        case .full:
            work = .ended
            return give(up: ExchangeFailure(status: 503, reason: .queueFull, retryAfter: 1))
        }
    }

    /// Looks whether another node has the answer, where that may be.
    private mutating func lead(at now: Instant) -> Step {
        isCollapsed = false
        guard traits.asksTier else { return fetch(at: now) }
        work = .looking
        return Step(timer: hasFallback ? .set(began + Self.patienceWithFallback) : .keep, origin: .look)
    }

    private mutating func looked(_ found: StoredResponse?, at now: Instant) -> Step {
        guard case .looking = work else { preconditionFailure("only who looks finds") }
        guard let found else { return fetch(at: now) }
        isShared = true
        var step = finish(with: found)
        step.savesRequest = found.composition != nil
        return step
    }

    /// Goes for what a composition lacks, together with others, or for the whole answer.
    private mutating func fetch(at now: Instant) -> Step {
        guard traits.hasSupplement || traits.isBatchable else { return ask(at: now) }
        work = .completing(isBatch: !traits.hasSupplement)
        guard traits.hasSupplement else { return Step(origin: .joinBatch) }
        return Step(timer: .set(now + Flights.Table.patience), origin: .fetchPart)
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

    /// Sends the request as it is now; the patience of its client goes on.
    mutating func sendAgain() -> Step {
        work = .asking
        // A client that has what is stale, or could have it, is not worth another try after a 429.
        let repeats = traits.audience != .client && !traits.isWitness || isUnanswered && !hasStandIn
        return Step(
            origin: .send(
                Sending(
                    validates: validates, acceptsGzip: acceptsGzip, inflates: acceptsGzip || wasDamaged,
                    repeats: repeats, priority: priority)))
    }

    /// By who waits: a client, a client that wants a confirmation, or nobody.
    private var priority: UpstreamPriority {
        switch traits.audience {
        case .refresh where !isPromoted: .refresh
        case .part where traits.isWitness: .refresh
        default: traits.hasStored ? .revalidation : .waitingClient
        }
    }

    /// Nothing was sent yet, and no client waits for it any more.
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
    /// The request that this one waited for has ended.
    private mutating func flightFinished(_ outcome: FlightOutcome, isOurs: Bool, at now: Instant) -> Step {
        // The client of one that asks in the leader's place gets whichever comes first; what the
        // other brings is stored.
        if case .asking = work, isUnanswered, isOurs, case .stored(let stored, let status) = outcome {
            isCollapsed = true
            return answer(.stored(stored, originStatus: status))
        }
        // It was answered before, or asks in the leader's place.
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

    /// The origin is slow: a stale answer is better than none; without one, a waiting client may
    /// ask in the leader's place.
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
        // Patience was lost, and the whole has been asked for.
        guard case .completing = work else { return Step() }
        return isAlone ? ask(at: now) : Step(timer: .set(now + Flights.Table.patience))
    }

    /// The missing part is stored now, or the answer has to be asked for as a whole.
    private mutating func partEnded(_ end: PartEnd, isFirst: Bool, at now: Instant) -> Step {
        // Patience was lost, and the whole has been asked for.
        guard case .completing(let isBatch) = work else { return Step() }
        wasPartOfRefused = isBatch && end.isRefusedList
        switch end {
        case .failed(let failure): return self.end(.failed(failure))
        // The extra part, for which the client did not ask, may have been too much, or unknown to
        // the origin; and the whole may come in time where a part does not.
        case .refused(let response, _)
        where traits.asksForMore && (response.status >= 500 || response.status == 400)
            || !isBatch && response.status == 504:
            return ask(at: now)
        case .refused(let response, let reason):
            // The answer for one of a batch is another's to the rest.
            isCollapsed = !isFirst
            return self.end(.unstored(response, reason))
        case .unusable: return ask(at: now)
        case .stored:
            // One of a batch has cost a request, the others none.
            work = .completed(isPaidFor: !isBatch || isFirst)
            // The origin's own answer goes before one that is composed.
            return Step(origin: .complete([.arrived, .composition(isBatch ? .batched : nil)]))
        }
    }

    private mutating func completed(_ whole: StoredResponse?, at now: Instant) -> Step {
        guard case .completed(let isPaidFor) = work else { preconditionFailure("a part completes once") }
        guard let whole else { return ask(at: now) }
        var step = finish(with: whole)
        step.savesRequest = !isPaidFor
        return step
    }
}
