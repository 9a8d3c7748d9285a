import AppleMusic
import Cache
import EventLoop
import HTTP
import Upstream

/// One request to the origin: sends it, judges the answer, stores what may be stored, tells who
/// asked and who waits.
///
/// Confined to its loop; kept alive by the upstream exchange until that has ended. It knows no
/// client: it goes on when the client has left, so that what was paid for is stored (HARDENING 3,
/// client leaves), and runs without one as a refresh.
final class Fetch {
    let service: ProxyService
    let originRequest: OriginRequest
    /// As which it is known to others; nil for a pass.
    let flight: Flights.FlightID?
    /// nil for a refresh.
    private let listener: (any FetchListener)?
    /// The token that was sent last; nil when the proxy has none of its own.
    private var developerToken: SecretBytes?
    private var hasRenewedToken = false
    var validates: Bool
    /// Whether the origin may answer in gzip.
    var acceptsGzip: Bool
    /// Whether it did so in a way that could not be read. What it sends then is looked at, whatever
    /// it was asked for.
    private var wasDamaged = false
    /// Lets go of this once it has ended.
    private var exchange: GatedExchange?
    /// Whether somebody waits by now for what nobody had asked for.
    private var isHurried = false
    /// How long the origin took to answer.
    private var upstreamTime: Duration?

    /// How long a request may wait for its turn, repeats after a 429 included.
    private static let longestWait = Duration.seconds(15)

    init(
        _ originRequest: OriginRequest, flight: Flights.FlightID?, listener: (any FetchListener)?, service: ProxyService
    ) {
        self.originRequest = originRequest
        self.flight = flight
        self.listener = listener
        self.service = service
        validates = originRequest.key != nil && (originRequest.stored?.isRevalidatable ?? false)
        acceptsGzip = originRequest.request.welcomesGzip && service.shared.gzip.isAvailable
    }

    func start() {
        let credentials = service.shared.credentials
        developerToken = credentials.developer?.current(at: service.context.unixSeconds)
        let head = originRequest.request.head(
            to: service.shared.authority, developerToken: developerToken,
            userToken: originRequest.mayUseOperatorsToken ? credentials.musicUser : nil, origin: credentials.origin,
            acceptsGzip: acceptsGzip, validators: validates ? originRequest.stored?.preconditionLines ?? [] : [])
        let request = UpstreamRequest(
            method: originRequest.request.method, head: head, body: originRequest.request.body)
        exchange = service.gate.send(
            request, priority: priority, deadline: service.context.loop.now + Self.longestWait,
            repeats: hasFallback ? 0 : UpstreamGate.defaultRepeats, to: self)
    }

    /// A client has come who waits for it.
    func hurry() {
        isHurried = true
        exchange?.promote(to: priority)
    }

    /// A client waits, a client waits for a confirmation, or nobody waits, and perhaps nobody will.
    private var priority: UpstreamPriority {
        guard listener != nil || isHurried else { return originRequest.isAhead ? .prefetch : .refresh }
        return originRequest.stored == nil ? .waitingClient : .revalidation
    }

    /// Whether there is something to answer with at once: then a 429 costs no further request.
    private var hasFallback: Bool {
        guard listener != nil, let stored = originRequest.stored else { return false }
        return originRequest.allowsStandIn(stored, at: service.context.unixSeconds)
    }

    private var verdictFacts: OriginVerdict.Facts {
        OriginVerdict.Facts(
            canRenewToken: developerToken != nil && !hasRenewedToken, validates: validates,
            isConditional: originRequest.request.isConditional, asksForRange: originRequest.request.asksForRange)
    }

    /// Sends the request again if there is another token than the refused one.
    private func startsAnew() -> Bool {
        hasRenewedToken = true
        guard let refused = developerToken, let tokens = service.shared.credentials.developer,
            tokens.renewAfterRejection(of: refused, at: service.context.unixSeconds).isWorthRetrying
        else { return false }
        start()
        return true
    }

    /// Counts what the origin said, and tells the operator where it is trouble.
    private func note(_ status: Int) {
        let now = service.context.loop.now
        if status >= 500 {
            service.statistics.count(.upstreamErrors)
            service.failures.note("answers \(status)", at: now)
        } else if status == 401 {
            service.failures.note("refuses the developer token (401)", .token, at: now)
        } else if status == 429 {
            service.failures.note("asks for fewer requests (429)", .rate, at: now)
        }
    }

    func end(_ result: FetchResult) {
        endUsersGenerationIfChanged(result)
        verify(result)
        if let flight { service.shared.flights.finish(flight, outcome(result), now: service.context.loop.now) }
        listener?.ended(result, upstreamTime: upstreamTime)
    }

    /// A write by the user may have changed any answer of theirs, however it ended; a 403 is about
    /// their token (API.md 2).
    private func endUsersGenerationIfChanged(_ result: FetchResult) {
        guard let user = originRequest.user else { return }
        var isForbidden = false
        if case .unstored(let response, _) = result { isForbidden = response.status == 403 }
        guard isForbidden || !originRequest.request.method.isSafe else { return }
        service.shared.drop(user, at: service.context.unixSeconds)
    }

    /// What was composed is held against what the origin says of the target, not of tokens, load or
    /// its own trouble.
    private func verify(_ result: FetchResult) {
        guard let expected = originRequest.expected else { return }
        switch result {
        case .stored(let stored, let status) where status != 304:
            service.verify(expected, against: stored.status, stored.body, originRequest)
        case .unstored(let response, _) where response.status < 500 && ![401, 403, 429].contains(response.status):
            service.verify(expected, against: response.status, response.body, originRequest)
        default: break
        }
    }

    private func isEveryonesError(_ response: UpstreamResponse) -> Bool {
        originRequest.hasImpersonalErrors && OriginVerdict.standsIn(forStatus: response.status)
    }

    /// Whether others may be given it without asking: not where the origin wants to be asked each
    /// time (RFC 9111 4).
    private func isReusable(_ stored: StoredResponse) -> Bool {
        Freshness.of(stored, at: service.context.unixSeconds) != .expired
    }

    private func outcome(_ result: FetchResult) -> FlightOutcome {
        switch result {
        case .stored(let response, let status) where isReusable(response): .stored(response, originStatus: status)
        case .stored: .released
        case .unstored(let response, let reason)
        where reason == .outdated ? response.facts.vary.names.isEmpty : isEveryonesError(response):
            .unstored(response, reason)
        case .unstored: .released
        case .failed(let failure): .failed(failure)
        }
    }
}

// MARK: - What the origin does

extension Fetch: UpstreamReceiver {
    func upstream(_ exchange: UpstreamExchange, interim: UpstreamInterim) {
        listener?.hinted(interim)
    }

    func upstream(_ exchange: UpstreamExchange, answered received: UpstreamResponse) {
        note(received.status)
        upstreamTime = received.receivedAt - received.requestedAt
        let response: UpstreamResponse
        do throws(Gzip.Failure) {
            response = acceptsGzip || wasDamaged ? try received.inflated(by: service.shared.gzip) : received
        } catch {
            if error != .tooLarge {
                service.statistics.count(.upstreamErrors)
                service.failures.note("answers in damaged gzip", at: service.context.loop.now)
            }
            guard acceptsGzip else { return refuse(received) }
            wasDamaged = error != .tooLarge
            return startUncompressed()
        }
        switch OriginVerdict.of(status: response.status, verdictFacts) {
        case .renewToken: if !startsAnew() { end(.unstored(response, .unauthorized)) }
        case .confirm: confirm(response)
        case .refuse: refuse(response)
        case .accept: end(store(withOwnLinks(response)))
        }
    }

    /// As this proxy writes the links to further pages.
    private func withOwnLinks(_ response: UpstreamResponse) -> UpstreamResponse {
        guard service.shared.library.settings.completesNext, originRequest.request.method == .get else {
            return response
        }
        return response.completingNext(of: originRequest.request.canonical)
    }

    func upstream(_ exchange: UpstreamExchange, began response: UpstreamResponse) {
        note(response.status)
        switch OriginVerdict.of(status: response.status, verdictFacts) {
        case .renewToken where startsAnew(): exchange.cancel()
        case .accept where acceptsGzip && response.isGzip:
            // Not to be inflated piece by piece: what is streamed goes through as it comes.
            startUncompressed()
            exchange.cancel()
        case .refuse, .confirm:
            exchange.cancel()
            refuse(response)
        case .renewToken, .accept: beginStreaming(exchange, response)
        }
    }

    /// It answers something that was not asked.
    private func refuse(_ response: UpstreamResponse) {
        end(.failed(FetchFailure(status: 502, reason: .upstreamMalformed, originStatus: response.status)))
    }

    /// What is too large to be collected serves one client; nobody can wait for it.
    private func beginStreaming(_ exchange: UpstreamExchange, _ response: UpstreamResponse) {
        invalidateIfUnsafe(response)
        endUsersGenerationIfChanged(.unstored(response, .tooLarge))
        if let flight { service.shared.flights.finish(flight, .released, now: service.context.loop.now) }
        guard let listener, listener.began(response) else { return exchange.cancel() }
        upstream(exchange, received: response.body)
    }

    func upstream(_ exchange: UpstreamExchange, received bytes: [UInt8]) {
        guard let listener, listener.isReading else { return exchange.cancel() }
        if !listener.received(bytes, resume: { exchange.resume() }) { exchange.pause() }
    }

    func upstreamFinished(_ exchange: UpstreamExchange) {
        listener?.finished()
    }

    func upstream(_ exchange: UpstreamExchange, failed failure: UpstreamFailure) {
        if !failure.reason.isOfTheProxy {
            service.statistics.count(.upstreamErrors)
            service.failures.note("\(failure)", at: service.context.loop.now)
        }
        if let listener, listener.isReading {
            listener.broke()
        } else {
            end(
                .failed(
                    FetchFailure(status: failure.status, reason: failure.reason, retryAfter: failure.retryAfter)))
        }
    }
}
