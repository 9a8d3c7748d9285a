import AppleMusic
import Cache
import Compose
import EventLoop
import Freshness
import HTTP
import Server
import Tier
import Upstream

/// What all requests of one loop stand on: the cache and its reader, the way to the origin, the
/// counters.
///
/// Confined to its loop.
final class ProxyLoop {
    private(set) var shared: ProxyShared
    /// That of `shared`, which never changes. A constant costs a hit no counting of references.
    let cache: ResponseCache
    let context: LoopContext
    let tokens: WorkingTokens
    /// Whether the proxy's own token goes to the origin, and not the clients'.
    private(set) var signs: Bool
    /// Whether what is stored is given to any client: what the proxy asked for is the operator's.
    private(set) var givesToAll: Bool
    private(set) var gate: UpstreamGate
    let statistics: Statistics
    let observer: RequestObserver
    let reader: StoreReader?
    /// Nil without a shared tier.
    private(set) var tier: TierClient?
    private var failures: FailureReport
    /// Which composed answers are verified.
    var sampling = Sampling()
    private var room = HeapRoom()

    init(
        shared: ProxyShared, context: LoopContext, gate: UpstreamGate, reader: StoreReader?, statistics: Statistics,
        log: (sink: AccessLogSink, format: AccessLogFormat)?
    ) {
        self.shared = shared
        cache = shared.cache
        tokens = shared.tokens
        signs = shared.credentials.developer != nil
        givesToAll = signs || !shared.provesTokens
        self.context = context
        self.gate = gate
        self.reader = reader
        self.statistics = statistics
        failures = FailureReport(shared.warn)
        observer = RequestObserver(
            statistics, context, shared.feed,
            log: log.map { AccessLog(sink: $0.sink, format: $0.format, loop: context.loop) },
            recorder: shared.recorder)
    }

    /// Begins to use the shared tier, if there is one. On the loop.
    func openTier() {
        // What waited for the engine once does not wait again for the budget that is kept there.
        tier = shared.tier.map {
            TierClient($0, loop: context.loop) { [budget = shared.budget, loop = context.loop] in
                budget.lost(now: loop.now)
            }
        }
    }

    /// For good: what is still to be asked goes to the origin.
    func closeTier() { tier?.close() }

    /// Goes over to other settings between two requests. Exchanges under way ask here for what they
    /// need next, such as another token after a 401, and get what counts now.
    func adopt(
        _ shared: ProxyShared, gate: UpstreamGate, log: (sink: AccessLogSink, format: AccessLogFormat)?
    ) {
        observer.log?.flush()
        observer.log = log.map { AccessLog(sink: $0.sink, format: $0.format, loop: context.loop) }
        // What was reported of the same origin stays reported.
        if gate !== self.gate { failures = FailureReport(shared.warn) }
        self.gate = gate
        self.shared = shared
        signs = shared.credentials.developer != nil
        givesToAll = signs || !shared.provesTokens
        // What was concluded from earlier requests follows from settings that count no more: who
        // may ask, for one.
        context.forgetRequests()
    }
}

// MARK: - What is stored

extension ProxyLoop {
    /// Tells that an answer is kept.
    func noteKept(_ response: StoredResponse) { room.note(response.byteCount) }

    /// Heeds an origin in trouble that says when to come back, where that is everyone's trouble.
    func noteWait(_ response: UpstreamResponse, for request: OriginRequest) {
        guard response.status >= 500, let time = response.retryAfter, time > .zero, let key = request.key,
            request.hasImpersonalErrors(hasOwnToken: signs)
        else { return }
        shared.heldTargets.note(key, for: time, now: context.loop.now)
    }

    /// Seconds for which the origin has asked not to be asked this.
    func wait(for request: OriginRequest) -> Int? {
        request.key.flatMap { shared.heldTargets.wait(for: $0, now: context.loop.now) }
    }

    /// What the origin said of which nothing is stored.
    func note(_ last: (status: Int?, reason: Reason), to request: OriginRequest, isForClient: Bool) {
        // A client's answer counts its reason itself.
        if last.reason == .noAnswer, !isForClient { statistics.count(because: .noAnswer) }
        guard let key = request.key else { return }
        shared.lastAnswers.note(key, last.status, last.reason, at: context.unixSeconds)
    }

    /// - Parameter isForClient: whether a client gets what is found.
    func find(
        _ substitute: ExchangeState.Substitute, for request: OriginRequest, isForClient: Bool = true
    ) -> StoredResponse? {
        switch substitute {
        case .arrived: freshInMemory(request)
        case .composition(let detail): compose(for: request, detail, isForClient: isForClient)
        case .standIn: standIn(for: request)
        }
    }

    /// What may be served under the key of a request although it is stale.
    func standIn(for request: OriginRequest) -> StoredResponse? {
        request.reason.allowsStandIn && mayBeGivenStored(request) ? storedStandIn(for: request) : nil
    }

    /// The same for any client, whatever this one accepts.
    func storedStandIn(for request: OriginRequest) -> StoredResponse? {
        let now = context.unixSeconds
        guard let found = request.stored, let stored = cache.lookup(found.key, reader, at: now),
            stored.canStandIn(at: now)
        else { return nil }
        return stored
    }

    /// What another request brought meanwhile.
    /// - Parameter place: the key under which its answer is, where that is another by now.
    func freshInMemory(_ request: OriginRequest, at place: CacheKey? = nil) -> StoredResponse? {
        guard let key = place ?? request.key, let stored = cache.memory.lookup(key), mayBeGivenStored(request) else {
            return nil
        }
        return stored.isFresh(at: context.unixSeconds) ? stored : nil
    }

    /// Asks for a newer answer behind one that is served, unless that is done already.
    /// - Parameter key: that of the request, under which the stale one is.
    func refresh(_ key: CacheKey, with request: @autoclosure () -> OriginRequest) {
        // Where clients bring tokens the flight is that of one: what it is has to be known first.
        let made = signs ? nil : request()
        let flightKey = FlightKey(key, token: made.map { token(of: $0) } ?? ClientToken.none)
        guard let flight = shared.flights.refresh(flightKey, now: context.loop.now) else { return }
        let exchange = Exchange(made ?? request(), for: .refresh(flight), self)
        // A client that joins the flight promotes it.
        shared.flights.note(exchange, as: flight, of: nil, on: context.loop)
        exchange.start()
    }
}

// MARK: - Trouble with the origin

extension ProxyLoop {
    /// Counts what the origin said, and tells the operator where it is trouble.
    func noteStatus(_ status: Int, of request: OriginRequest) {
        let evidence = request.tokenEvidence(status)
        noteToken(of: request, evidence)
        if evidence == .refused, signs {
            statistics.count(.upstreamErrors)
            shared.credentials.developer?.noteRefusal(at: context.unixSeconds)
        }
        if status >= 500 {
            noteFailure("answers \(status)")
        } else if status == 401, request.sendsNoToken(hasOwnToken: signs) {
            tell("wants a developer token (401): the request has none, and the configuration neither", .token)
        } else if evidence == .refused {
            tell("refuses the developer token (\(status))", .token)
        } else if status == 429 {
            tell("asks for fewer requests (429)", .rate)
        }
    }

    /// To the log, and to who looks at the dashboard.
    private func tell(_ cause: String, _ kind: FailureReport.Kind) {
        statistics.upstream.note(cause, at: context.unixSeconds)
        failures.note(cause, kind, at: context.loop.now)
    }

    /// Counts a request to the origin that brought no answer, unless it was not sent at all.
    func note(_ failure: UpstreamFailure) {
        if !failure.reason.isOfTheProxy { noteFailure("\(failure)") }
    }

    /// Whether there is another developer token than the one that the origin refused.
    func hasOtherToken(than refused: SecretBytes?) -> Bool {
        guard let refused, let tokens = shared.credentials.developer else { return false }
        return tokens.renewAfterRejection(of: refused, at: context.unixSeconds).isWorthRetrying
    }

    /// The answer with its content as it is, and what came of decoding it.
    func decoded(_ received: UpstreamResponse, inflates: Bool) -> (UpstreamResponse, ExchangeState.Decoding) {
        guard inflates else { return (received, .readable) }
        do throws(Gzip.Failure) {
            return (try received.inflated(by: shared.gzip), .readable)
        } catch {
            if error == .tooLarge { return (received, .tooLarge) }
            // An error of the origin's has been counted by its status.
            if received.status < 500 { noteFailure("answers in damaged gzip") }
            return (received, .damaged)
        }
    }

    /// Counts an answer that is of no use, and tells the operator what was wrong with it.
    func noteFailure(_ cause: String) {
        statistics.count(.upstreamErrors)
        tell(cause, .failure)
    }

    /// Counts an answer that contradicts what was learnt, and tells the operator.
    func noteContradiction(_ how: String, _ request: OriginRequest) {
        statistics.count(.contradictions)
        failures.note(
            "answers \(request.facts.route.template) \(how); nothing is composed by what contradicts it",
            .contradiction, at: context.loop.now)
    }

    /// Counts a composed answer that was wrong, and tells the operator, on the dashboard too.
    func noteWrongAnswer(_ cause: String) {
        statistics.count(.contradictions)
        tell(cause, .wrongAnswer)
    }
}
