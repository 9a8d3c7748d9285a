import AppleMusic
import Cache
import Compose
import EventLoop
import HTTP
import Server
import Upstream

/// One request between its look-up and its answer: performs what `ExchangeState` says.
///
/// Confined to its loop. Alive as long as something is to happen to it: a timer, a flight that it
/// waits for, a request of its own to the origin.
final class Exchange {
    /// For whom it is made.
    enum Audience {
        case client(ClientConnection)
        case part((PartEnd) -> Void)
        case refresh(Flights.FlightID)
    }

    let request: OriginRequest
    private let proxy: ProxyLoop
    private let completion: ((PartEnd) -> Void)?
    private var state: ExchangeState
    private let client: ExchangeClient?
    /// The flight that it leads; nil while it waits for another's, and for a pass whose answer is
    /// never stored.
    private var flight: Flights.FlightID?
    private var upstream: UpstreamExchange?
    private var sending: ExchangeState.Sending?
    /// The token that was sent last; nil when the proxy has none of its own.
    private var developerToken: SecretBytes?
    /// The request that would complete a composition of the answer.
    private var supplement: OriginRequest?
    /// Why the answer is not composed, until that is counted.
    private var refusal: Refusal?
    private var timer: TimerToken?
    /// As what it is under way, where it might have been joined with others: its end is told.
    private var batchKind: Batches.Kind?

    /// How long a request may wait for its turn, repeats after a 429 included.
    private static let longestWaitForTurn = Duration.seconds(15)

    init(_ request: OriginRequest, for audience: Audience, _ proxy: ProxyLoop) {
        self.request = request
        self.proxy = proxy
        refusal = request.refusal
        var traits = ExchangeState.Traits(request, hasOwnToken: proxy.shared.credentials.developer != nil)
        traits.acceptsGzip = request.forwarded.welcomesGzip && proxy.shared.gzip.isAvailable
        traits.hasStandIn = proxy.standIn(for: request) != nil
        var client: ExchangeClient?
        var completion: ((PartEnd) -> Void)?
        switch audience {
        case .client(let connection):
            client = ExchangeClient(connection, request, proxy)
            supplement = request.supplement.flatMap { proxy.originRequest(for: $0, of: request.forwarded) }
            traits.hasSupplement = supplement != nil
            traits.asksForMore = request.supplement?.growth != nil
        case .part(let report):
            traits.audience = .part
            completion = report
        case .refresh(let id):
            traits.audience = .refresh
            flight = id
        }
        if flight == nil { traits.isBatchable = proxy.mayBatch(request) }
        self.client = client
        self.completion = completion
        state = ExchangeState(traits, at: proxy.context.loop.now)
    }

    /// Called once. The client may be answered before this returns.
    func start() {
        handle(.began(meanwhile: flight == nil ? nil : proxy.freshInMemory(request)))
    }

    /// A client waits by now for what was asked for without one.
    func hurry() {
        handle(.hurried)
    }

    /// Its request cannot be joined with others.
    /// - Parameter kind: nil where another exchange tells the end.
    func goesAlone(asOneOf kind: Batches.Kind?) {
        batchKind = kind
        handle(.batched(isAlone: true))
    }

    /// Its request is to be joined with others; `partEnded` or `goesAlone` will be called.
    func waitsForOthers() {
        handle(.batched(isAlone: false))
    }

    /// Its request and others' go as this one.
    func lead(_ batch: Batches.State.Batch) {
        proxy.send(batch, for: request)
    }

    /// What was fetched to complete its answer has come, or not; `isFirst`: for one of a batch.
    func partEnded(_ end: PartEnd, isFirst: Bool = true) {
        handle(.partEnded(end, isFirst: isFirst))
    }

    private func handle(_ event: ExchangeState.Event) {
        perform(state.handle(event, at: proxy.context.loop.now))
    }
}

// MARK: - Performing

extension Exchange {
    private func perform(_ step: ExchangeState.Step) {
        perform(step.timer)
        if let response = step.invalidates { storage.invalidate(by: response) }
        if step.endsUserGeneration, let user = request.user {
            proxy.shared.drop(user, at: proxy.context.unixSeconds)
        }
        if let comparison = step.comparison, let expected = request.expected {
            proxy.verify(expected, against: comparison, request)
        }
        if let action = step.flight { perform(action) }
        if step.savesRequest { proxy.statistics.count(.upstreamSaved) }
        if let action = step.client { perform(action) }
        if let action = step.origin { perform(action) }
        // The flight ends with the request; what waited for that comes after this client's answer.
        if flight == nil, let kind = batchKind {
            batchKind = nil
            proxy.batchEnded(kind)
        }
    }

    private func perform(_ action: ExchangeState.TimerAction) {
        if case .keep = action { return }
        if let timer { proxy.context.loop.cancel(timer) }
        timer = nil
        guard case .set(let deadline) = action else { return }
        timer = proxy.context.loop.schedule(at: deadline) { [self] in
            timer = nil
            handle(.patienceEnded(standIn: proxy.standIn(for: request)))
        }
    }

    private func perform(_ action: ExchangeState.FlightAction) {
        let now = proxy.context.loop.now
        switch action {
        case .join: join()
        case .begin:
            flight = (request.key ?? request.ownContentKey).map { proxy.shared.flights.begin($0, now: now) }
        case .takeOver:
            flight = request.key.flatMap { proxy.shared.flights.takeOver($0, now: now) }
            handle(flight == nil ? .mayNotTakeOver : .tookOver(meanwhile: proxy.freshInMemory(request)))
        case .finish(let outcome):
            if let flight { proxy.shared.flights.finish(flight, outcome, now: now) }
            flight = nil
        }
    }

    private func join() {
        guard let key = request.key else { preconditionFailure("what others may wait for has a key") }
        switch proxy.shared.flights.join(key, self, on: proxy.context.loop) {
        case .lead(let id):
            flight = id
            handle(.joined(.leader(meanwhile: proxy.freshInMemory(request))))
        case .alone(let id):
            flight = id
            handle(.joined(.alone))
        case .wait: handle(.joined(.waiter))
        case .full: handle(.joined(.full))
        }
    }

    private func perform(_ action: ExchangeState.ClientAction) {
        if case .report(let end) = action {
            completion?(end)
            return
        }
        guard let client else { preconditionFailure("only a client is answered") }
        client.isCollapsed = state.isCollapsed
        client.perform(action)
        switch action {
        case .beginStreaming(let response) where !response.body.isEmpty: handle(.received(response.body))
        case .stream(let bytes): stream(bytes, to: client)
        default: break
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
        case .fetchPart:
            guard let supplement else { preconditionFailure("what is lacking is known") }
            Exchange(supplement, for: .part { [self] in partEnded($0) }, proxy).start()
        case .joinBatch:
            countRefusal()
            proxy.batch(self)
        case .complete(let substitutes): complete(substitutes)
        case .renewToken: handle(.tokenRenewed(hasAnotherToken()))
        case .store(let response): handle(storage.store(response))
        case .freshen(let response): handle(storage.freshen(by: response))
        case .promote(let priority): upstream?.promote(to: priority)
        case .pause: upstream?.pause()
        case .resume: upstream?.resume()
        case .cancel: cancel()
        }
    }
}

// MARK: - The origin

extension Exchange {
    private func complete(_ substitutes: [ExchangeState.Substitute]) {
        let found = substitutes.first { proxy.find($0, for: request, isForClient: client != nil) }
        if found != nil, let growth = request.supplement?.growth { proxy.shared.library.growth.settle(growth) }
        handle(.completed(found?.stored))
    }

    /// Once, however often the request is sent.
    private func countRefusal() {
        guard let refusal else { return }
        self.refusal = nil
        proxy.statistics.count(notComposed: refusal)
    }

    private var storage: AnswerStorage { AnswerStorage(request, flight, proxy) }

    private func send(_ sending: ExchangeState.Sending) {
        cancel()
        self.sending = sending
        let credentials = proxy.shared.credentials
        developerToken = credentials.developer?.current(at: proxy.context.unixSeconds)
        let head = request.forwarded.head(
            to: proxy.shared.authority, developerToken: developerToken,
            userToken: request.mayUseOperatorsToken ? credentials.musicUser : nil, origin: credentials.origin,
            acceptsGzip: sending.acceptsGzip,
            validators: sending.validates ? request.stored?.preconditionLines ?? [] : [])
        upstream = proxy.gate.send(
            UpstreamRequest(method: request.forwarded.method, head: head, body: request.forwarded.body),
            priority: sending.priority, deadline: proxy.context.loop.now + Self.longestWaitForTurn,
            repeats: sending.repeats ? UpstreamGate.defaultRepeats : 0, to: self)
    }

    private func cancel() {
        let sent = upstream
        upstream = nil
        sent?.cancel()
    }

    private func hasAnotherToken() -> Bool {
        guard let refused = developerToken, let tokens = proxy.shared.credentials.developer else { return false }
        return tokens.renewAfterRejection(of: refused, at: proxy.context.unixSeconds).isWorthRetrying
    }

    /// The answer with its content as it is, and what came of decoding it.
    private func decoded(_ received: UpstreamResponse) -> (UpstreamResponse, ExchangeState.Decoding) {
        guard sending?.inflates == true else { return (received, .readable) }
        do throws(Gzip.Failure) {
            return (try received.inflated(by: proxy.shared.gzip), .readable)
        } catch {
            if error == .tooLarge { return (received, .tooLarge) }
            // An error of the origin's has been counted by its status.
            if received.status < 500 { proxy.noteFailure("answers in damaged gzip") }
            return (received, .damaged)
        }
    }
}

extension Exchange: UpstreamReceiver {
    func upstream(_ exchange: UpstreamExchange, _ event: UpstreamEvent) {
        switch event {
        case .interim(let interim): handle(.interim(interim))
        case .answered(let response):
            upstream = nil
            noteAnswer(response)
            let (decoded, decoding) = decoded(response)
            handle(.answered(decoded, decoding))
        case .began(let response):
            noteAnswer(response)
            if client?.isOpen == false { handle(.clientLeft) }
            handle(.headArrived(response))
        case .received(let bytes):
            handle(client?.isOpen == false ? .clientLeft : .received(bytes))
        case .finished:
            upstream = nil
            handle(.finished)
        case .failed(let failure):
            upstream = nil
            proxy.note(failure)
            handle(.failed(ExchangeFailure(failure)))
        }
    }

    private func noteAnswer(_ response: UpstreamResponse) {
        proxy.noteStatus(response.status)
        client?.upstreamTime = response.receivedAt - response.requestedAt
    }
}

extension Exchange: FlightWaiter {
    func flightFinished(_ outcome: FlightOutcome) {
        var isOurs = true
        if case .stored(let stored, _) = outcome {
            // The request fields that tell answers apart may differ.
            let fields = request.forwarded.fields
            isOurs = proxy.cache.isVariant(stored, for: fields.span, proxy.reader)
        }
        handle(.flightFinished(outcome, isOurs: isOurs))
    }
}

extension ExchangeState.Traits {
    /// What a request says of itself.
    init(_ request: OriginRequest, hasOwnToken: Bool) {
        self.hasOwnToken = hasOwnToken
        isCollapsible = request.isCollapsible
        hasStored = request.stored != nil
        isRevalidatable = request.key != nil && (request.stored?.isRevalidatable ?? false)
        isConditional = request.forwarded.isConditional
        asksForRange = request.forwarded.asksForRange
        isSafe = request.forwarded.method.isSafe
        hasUser = request.user != nil
        isVerified = request.expected != nil
        hasImpersonalErrors = request.hasImpersonalErrors(hasOwnToken: hasOwnToken)
    }
}

extension ExchangeFailure {
    init(_ failure: UpstreamFailure) {
        self.init(status: failure.status, reason: failure.reason, retryAfter: failure.retryAfter)
    }
}
