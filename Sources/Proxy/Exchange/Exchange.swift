import AppleMusic
import Cache
import Compose
import EventLoop
import HTTP
import Server
import Tier
import Upstream

/// One request between its look-up and its answer: performs the steps of `ExchangeState`.
///
/// Confined to its loop. A timer, a flight that it waits for, or its request keeps it alive.
final class Exchange {
    private let request: OriginRequest
    private let party: UpstreamParty
    /// The number of the latest purge when the request came.
    private let asked: Int64
    /// The client that caused the request, also in the background.
    private let spender: UpstreamParty
    private let proxy: ProxyLoop
    private let completion: ((PartEnd, ComparedAnswer?) -> Void)?
    private var state: ExchangeState
    private let client: ExchangeClient?
    /// Counts requests sent for a client's request, its parts and refresh; nil for a verification.
    private let requestCount: UpstreamRequestCount?
    /// The flight that it leads; nil while it waits, and for a pass whose answer is never stored.
    private var flight: Flights.FlightID?
    /// Its seat in the flight that it waits for.
    private var awaited: Flights.Table.Seat?
    /// The party that waits for the answer now, where another one or none did first.
    private var promoter: UpstreamParty?
    /// Parties that wait for it where it is a batch's.
    private var others: Set<UpstreamParty> = []
    private var upstream: UpstreamExchange?
    private var sending: ExchangeState.Sending?
    /// The key of its variant, once another answer has shown the `Vary`.
    private var variantKey: CacheKey?
    /// The terms under which the origin was asked last.
    private var terms: Asking.Terms
    /// Its look-up and store in the shared tier; nil until it leads a flight, and without a tier.
    private var tierLookup: TierLookup?
    /// The request that would complete a composition of the answer; whether it met with a 400.
    private var (supplement, isSupplementRefused): (OriginRequest?, Bool) = (nil, false)
    /// The reason for not composing, until it is counted.
    private var refusal: Refusal?
    private var timer: TimerToken?
    /// The kind of batch that it might have joined, and the origin's result so far, for `Batching`.
    private var batch: (kind: Batches.Kind, end: Batches.State.End)?
    private var (isWatching, hasClientEnded) = (false, false)

    /// The longest wait for a turn, repeats after a 429 included.
    private static let longestWaitForTurn = Duration.seconds(15)

    init(_ request: OriginRequest, for recipient: Recipient, _ proxy: ProxyLoop, _ count: UpstreamRequestCount? = nil) {
        (self.request, self.proxy) = (request, proxy)
        (asked, terms) = (proxy.base.cache.purges.newest, Asking.Terms(origin: proxy.settings.origin.tag))
        refusal = request.refusal
        var traits = ExchangeState.Traits(request, hasOwnToken: proxy.accounts.signs)
        traits.acceptsGzip = request.forwarded.welcomesGzip && proxy.settings.gzip.isAvailable
        traits.hasStandIn = proxy.accounts.standIn(for: request) != nil
        traits.asksTier = proxy.sharing.mayAskTier(request)
        traits.longestWait = Self.longestWaitForTurn + proxy.asking.gate.patience
        var client: ExchangeClient?
        var completion: ((PartEnd, ComparedAnswer?) -> Void)?
        switch recipient {
        case .client(let connection):
            party = proxy.accounts.party(of: connection)
            spender = party
            client = ExchangeClient(connection, request, proxy)
            supplement = request.supplement.flatMap { proxy.composing.originRequest(for: $0, of: request.forwarded) }
            traits.hasSupplement = supplement != nil
            traits.asksForMore = request.supplement?.growth != nil
        case .part(let party, let others, let report):
            (self.party, spender, self.others) = (party, party, others)
            traits.audience = .part
            completion = { end, _ in report(end) }
        case .refresh(let id, let cause):
            (party, spender) = (.everyone, cause)
            traits.audience = .refresh
            flight = id
        case .witness(let report):
            (party, spender) = (.everyone, .background)
            traits.audience = .part
            (traits.isWitness, traits.isVerified, traits.isCollapsible) = (true, true, false)
            completion = { _, said in report(said) }
        }
        if flight == nil, !traits.isWitness { traits.isBatchable = proxy.batching.mayBatch(request) }
        (self.client, self.requestCount, self.completion) = (client, client?.requestCount ?? count, completion)
        state = ExchangeState(traits, at: proxy.base.now)
    }

    /// Called once. The client may be answered before this returns.
    func start() {
        handle(.began(meanwhile: flight == nil ? nil : proxy.accounts.freshInMemory(request, under: key)))
    }

    /// The key of its answer; nil where that is not stored.
    private var key: CacheKey? { variantKey ?? request.key }

    private func handle(_ event: ExchangeState.Event) { perform(state.handle(event, at: proxy.base.now)) }
}

// MARK: - Performing

extension Exchange {
    private func perform(_ step: ExchangeState.Step) {
        perform(step.timer)
        if let response = step.invalidates { storage.invalidate(by: response) }
        if step.endsUserGeneration, let user = request.user {
            if let ended = proxy.shared.users?.end(user, at: proxy.base.now) { proxy.base.cache.free(ended) }
            // Writes were announced before: this is for dead tokens, and for long writes.
            proxy.sharing.tier?.announceWrite(of: user) { _ in }
        }
        let said = request.isKeyed(at: terms.origin) ? step.comparison : nil
        if let said { proxy.verifying.verify(request, against: said) }
        if let action = step.flight { perform(action) }
        if let last = step.lastAnswer { proxy.asking.note(last, to: request, isForClient: client != nil) }
        if let action = step.client { perform(action, said) }
        if let action = step.origin { perform(action) }
        // A batch that waits for this request goes after the client's answer.
        if flight == nil, let (kind, end) = batch {
            batch = nil
            proxy.batching.ended(kind, end)
        }
    }

    private func perform(_ action: ExchangeState.TimerAction) {
        if case .keep = action { return }
        if let timer = timer.take() { proxy.base.loop.cancel(timer) }
        guard case .set(let deadline) = action else { return }
        timer = proxy.base.loop.schedule(at: deadline) { [self] in
            timer = nil
            handle(.patienceEnded(standIn: proxy.accounts.standIn(for: request)))
        }
    }

    private func perform(_ action: ExchangeState.FlightAction) {
        let now = proxy.base.now
        switch action {
        case .join: join()
        case .begin:
            let key = self.key ?? request.ownContentKey(at: terms.origin)
            flight = key.map { proxy.flights.begin(flightKey($0), now: now) }
        case .takeOver:
            flight = key.flatMap { proxy.flights.takeOver(flightKey($0), for: request, now: now) }
            if flight == nil { return handle(.mayNotTakeOver) }
            handle(.tookOver(meanwhile: proxy.accounts.freshInMemory(request, under: key)))
        case .finish(let outcome):
            if let flight { proxy.flights.finish(flight, outcome, now: now) }
            flight = nil
            tierLookup?.ended(
                with: outcome.reusable, at: proxy.base.unixSeconds, hints: proxy.composing.library.hints(of:))
        }
    }

    private func flightKey(_ key: CacheKey) -> FlightKey { proxy.accounts.flightKey(key, request) }

    private func join() {
        guard let key else { preconditionFailure("a collapsible request has a key") }
        let (joining, joined) = proxy.flights.join(
            flightKey(key), self, for: request, of: party, asked: asked, on: proxy.base.loop)
        switch joining {
        case .lead(let id):
            flight = id
            handle(.joined(.leader(meanwhile: proxy.accounts.freshInMemory(request, under: key))))
        case .alone(let id):
            flight = id
            handle(.joined(.alone))
        case .wait:
            awaited = joined
            handle(.joined(.waiter))
            watchClient()
        case .full: handle(.joined(.full(.queueFull)))
        case .shareUsed: handle(.joined(.full(.shareUsed)))
        }
    }

    private func perform(_ action: ExchangeState.ClientAction, _ said: ComparedAnswer?) {
        if case .report(let end) = action {
            completion?(end, said)
            return
        }
        guard let client else { preconditionFailure("only a client is answered") }
        (client.isCollapsed, client.isShared) = (state.isCollapsed, state.isShared)
        if isWatching {
            isWatching = false
            client.unwatchEnd()
        }
        if case .stream(let bytes) = action { return stream(bytes, to: client) }
        client.perform(action)
        guard case .beginStreaming(let response) = action else { return }
        if client.isHeadEnough {
            handle(.clientLeft)
        } else if !response.body.isEmpty {
            handle(.received(response.body))
        }
    }

    private func stream(_ bytes: [UInt8], to client: ExchangeClient) {
        let keepsUp = client.stream(bytes) { [self] in handle(client.isOpen ? .clientDrained : .clientLeft) }
        if !keepsUp { handle(.clientBlocked) }
    }

    private func perform(_ action: ExchangeState.OriginAction) {
        switch action {
        case .send(let sending):
            countRefusal()
            send(sending)
        case .look: look()
        case .fetchPart:
            guard let supplement else { preconditionFailure("a part has a request") }
            // Counted here: a flight or another node may have spared the request before.
            if let growth = request.supplement?.growth { proxy.composing.begin(growth) }
            let report = { [self] (end: PartEnd) in
                if case .tooLarge = end { proxy.composing.note(tooLarge: supplement) }
                isSupplementRefused = end.status == 400
                partEnded(end, isFirst: true)
            }
            Exchange(supplement, for: .part(party, [], report), proxy, requestCount).start()
        case .joinBatch:
            countRefusal()
            proxy.batching.add(self, for: request, of: party)
        case .complete(let substitutes): complete(substitutes)
        case .renewToken: handle(.tokenRenewed(proxy.asking.hasOtherToken(than: terms.developerToken)))
        case .store(let response): handle(storage.store(response))
        case .freshen(let response): handle(storage.freshen(by: response))
        case .promote(let priority): upstream?.promote(to: priority, of: promoter)
        case .pause: upstream?.pause()
        case .resume: upstream?.resume()
        case .cancel: cancel()
        }
    }
}

// MARK: - The origin

extension Exchange {
    private func look() {
        tierLookup = proxy.sharing.tierLookup(for: request, isForClient: client != nil)
        guard let tierLookup else { return handle(.looked(nil)) }
        tierLookup.start { [self] finding in
            handle(.looked(finding.flatMap { proxy.sharing.adopt($0, by: storage) }))
        }
    }

    private func complete(_ substitutes: [ExchangeState.Substitute]) {
        let found = substitutes.first { proxy.composed.find($0, for: request, isForClient: client != nil) }
        if found != nil, let growth = request.supplement?.growth { proxy.composing.library.growth.settle(growth) }
        handle(.completed(found?.stored))
    }

    /// Counts the refusal once, however often the request is sent.
    private func countRefusal() {
        if let refusal = refusal.take() { proxy.base.statistics.count(notComposed: refusal) }
    }

    private var storage: AnswerStorage { AnswerStorage(request, flight, proxy.storing, under: terms) }

    private func send(_ sending: ExchangeState.Sending) {
        cancel()
        let isSentAgain = self.sending != nil
        self.sending = sending
        let asking = proxy.asking
        if let wait = asking.wait(for: request) {
            return handle(.failed(ExchangeFailure(status: 503, reason: .heldBack, retryAfter: wait)))
        }
        terms = asking.terms
        upstream = asking.gate.send(
            asking.message(for: request, sending, developerToken: terms.developerToken),
            priority: sending.priority, party: promoter ?? party,
            label: UpstreamLabel(
                request.facts.route, isSentAgain ? .retry : asking.purpose(of: request), of: spender),
            tally: requestCount, account: proxy.accounts.account(of: request, party),
            deadline: proxy.base.now + Self.longestWaitForTurn,
            repeats: sending.repeats ? UpstreamGate.defaultRepeats : 0, to: self)
        if upstream?.isWaitingForTurn == true { waitForTurn() }
    }

    /// Lets others join while the request waits, and its client leave.
    private func waitForTurn() {
        if let flight, sending?.priority.isBackground != true {
            proxy.flights.note(self, as: flight, of: party, on: proxy.base.loop)
        }
        watchClient()
        // The request goes as that of the party which is served soonest.
        for other in others where other != party { upstream?.promote(to: .waitingClient, of: other) }
    }

    private func cancel() { upstream.take()?.cancel() }
}

// MARK: - Clients that leave

extension Exchange {
    private func watchClient() {
        guard let client, !isWatching, !hasClientEnded else { return }
        isWatching = true
        client.watchEnd { [weak self] in self?.clientEnded() }
    }

    /// The client has closed the connection, or its side of it, before its answer.
    private func clientEnded() {
        (isWatching, hasClientEnded) = (false, true)
        if let awaited { proxy.flights.waiterLeft(awaited) }
        giveUpIfUnwanted()
    }

    func giveUpIfUnwanted() {
        guard hasClientEnded, upstream?.isWaitingForTurn == true,
            flight.map({ proxy.flights.abandon($0) }) ?? true
        else { return }
        handle(.unwanted)
    }
}

extension Exchange: UpstreamReceiver {
    func upstream(_ exchange: UpstreamExchange, _ event: UpstreamEvent) {
        switch event {
        case .interim(let interim): handle(.interim(interim))
        case .answered(let response):
            upstream = nil
            noteAnswer(response)
            let (decoded, decoding) = proxy.asking.decoded(response, inflates: sending?.inflates == true)
            handle(.answered(decoded, decoding))
        case .began(let response):
            noteAnswer(response)
            if client?.isOpen == false { handle(.clientLeft) }
            handle(.headArrived(response))
        case .received(let bytes): handle(client?.isOpen == false ? .clientLeft : .received(bytes))
        case .finished:
            upstream = nil
            handle(.finished)
        case .failed(let failure):
            upstream = nil
            requestCount?.noteFailure(at: proxy.base.now)
            proxy.asking.troubles.note(failure)
            batch?.end = PartEnd.failed(ExchangeFailure(failure)).ofBatch
            handle(.failed(ExchangeFailure(failure)))
        }
    }

    func upstream(_ exchange: UpstreamExchange, wantsWhole response: UpstreamResponse) -> Bool {
        // A content that is compared, recorded or inflated is needed whole.
        guard let client, request.expected == nil, !proxy.observer.traffic.isOn,
            sending?.inflates != true || !response.isGzip, let reason = storage.reasonToStream(response)
        else { return true }
        client.streamReason = reason
        return false
    }

    private func noteAnswer(_ response: UpstreamResponse) {
        batch?.end = Batches.State.End(status: response.status)
        proxy.asking.note(response, under: terms, to: request, born: flight?.born ?? asked)
        if state.wasPartOfRefused { proxy.batching.note(refusedListFor: request, answered: response.status) }
        if isSupplementRefused, response.status == 200, let supplement { proxy.composing.note(refused: supplement) }
        requestCount?.noteAnswer(after: response.receivedAt - response.requestedAt)
    }
}

// MARK: - Requests that are joined, in batches and in flights

extension Exchange: BatchMember {
    func goesAlone(asOneOf kind: Batches.Kind?) {
        batch = kind.map { ($0, .untold) }
        handle(.batched(isAlone: true))
    }

    func waitsForOthers() { handle(.batched(isAlone: false)) }

    func lead(_ batch: Batches.State.Batch) {
        guard let whole = proxy.batching.request(for: batch, of: request) else { return }
        let report = { [proxy] (end: PartEnd) in proxy.batching.finish(batch, end) }
        Exchange(whole, for: .part(party, batch.parties, report), proxy, requestCount).start()
    }

    func partEnded(_ end: PartEnd, isFirst: Bool) { handle(.partEnded(end, isFirst: isFirst)) }
}

extension Exchange: FlightWaiter {
    func promote(for party: UpstreamParty) {
        promoter = party
        handle(.promoted)
    }

    func flightFinished(_ outcome: FlightOutcome) {
        var isOurs = true
        if case .stored(let stored, _) = outcome {
            // The request fields that select the variant may differ.
            let fields = request.forwarded.selectingFields
            variantKey = proxy.base.cache.key(like: stored, for: fields.span, proxy.base.reader)
            isOurs = variantKey == stored.key
        }
        handle(.flightFinished(outcome, isOurs: isOurs))
    }
}
