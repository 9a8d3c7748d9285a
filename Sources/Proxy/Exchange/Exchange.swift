import Cache
import EventLoop
import HTTP
import Server
import Upstream

/// One client's request that the cache alone could not answer: it fetches, or waits for another's
/// fetch, and answers.
///
/// Confined to its loop. It answers once: what comes after (a client served stale because the
/// origin was slow) is stored and goes no further.
final class Exchange: FlightWaiter {
    private let originRequest: OriginRequest
    private let service: ProxyService
    private let connection: ClientConnection
    /// Set for good once something has been answered.
    private var isAnswered = false
    /// Whether another's request brings the answer.
    private var isCollapsed = false
    /// Whether the answer is a large one whose content is still coming.
    private var isStreaming = false
    private var streamedFields: [UInt8] = []
    private var streamed: (status: Int, bytes: Int) = (0, 0)
    private let began: Instant
    /// How long the origin took to answer; nil where another client's request brought the answer,
    /// or it did not answer.
    private var upstreamTime: Duration?
    private var timer: TimerToken?
    /// The flight that it leads while it fetches less than the whole, or something more.
    private var partialFetch: Flights.FlightID?

    /// How long a client that could have a stale answer waits for the origin.
    private static let patienceWithFallback = Duration.seconds(2)
    /// The longest that a client waits for another's request.
    private static let longestWait = Duration.seconds(15)

    init(_ originRequest: OriginRequest, _ connection: ClientConnection, service: ProxyService) {
        self.originRequest = originRequest
        self.connection = connection
        self.service = service
        began = service.context.loop.now
    }

    /// Called once. The connection may be answered before this returns.
    func start() {
        guard let key = originRequest.key, originRequest.isCollapsible else { return fetchAlone() }
        switch service.shared.flights.join(key, self, on: service.context.loop) {
        case .lead(let flight): lead(flight)
        case .alone(let flight): ask(as: flight)
        case .wait: wait()
        case .full: fail(FetchFailure(status: 503, reason: .queueFull, retryAfter: 1))
        }
    }

    /// The answer may have come between the look-up, which found none, and here, where nobody was
    /// out for it any more: what a leader brings is stored before it finishes.
    private func lead(_ flight: Flights.FlightID) {
        guard let stored = storedByNow else { return ask(as: flight) }
        isCollapsed = true
        let outcome = FlightOutcome.stored(stored, originStatus: stored.status)
        service.shared.flights.finish(flight, outcome, now: service.context.loop.now)
        flightFinished(outcome)
    }

    /// Goes to the origin: for what a composition lacks, together with others, or for the whole
    /// answer.
    private func ask(as flight: Flights.FlightID) {
        isCollapsed = false
        if let supplement = originRequest.supplement,
            let lacking = service.originRequest(for: supplement, of: originRequest.request)
        {
            partialFetch = flight
            wake(at: service.context.loop.now + Flights.Table.patience)
            let partialFetch = PartialFetch(lacking, service: service) { [self] end in composeOrFetch(end, nil) }
            return partialFetch.start()
        }
        partialFetch = flight
        if service.batcher.add(
            originRequest, { [self] end, isFirst in composeOrFetch(end, .batched, isFirst: isFirst) })
        {
            return wake(at: service.context.loop.now + Flights.Table.patience)
        }
        partialFetch = nil
        fetch(as: flight)
    }

    /// What was lacking is stored now, or the answer has to be asked for as a whole.
    private func composeOrFetch(_ end: PartialFetch.End, _ detail: Reason?, isFirst: Bool = true) {
        // Patience was lost, and the whole has been asked for.
        guard let flight = partialFetch else { return }
        partialFetch = nil
        cancelTimer()
        let now = service.context.loop.now
        if case .failed(let failure) = end {
            service.shared.flights.finish(flight, .failed(failure), now: now)
            return isAnswered ? () : fail(failure)
        }
        guard case .stored = end, let stored = storedByNow ?? service.compose(for: originRequest, detail) else {
            return fetch(as: flight)
        }
        // One of a batch has cost a request, the others none.
        if detail == .batched, !isFirst { service.statistics.count(.upstreamSaved) }
        let outcome = FlightOutcome.stored(stored, originStatus: stored.status)
        service.shared.flights.finish(flight, outcome, now: now)
        if !isAnswered { answer(stored, originStatus: stored.status) }
    }

    /// What another brought meanwhile, asking for the whole.
    private var storedByNow: StoredResponse? {
        guard let key = originRequest.key, let stored = service.shared.cache.memory.lookup(key) else { return nil }
        return stored.isFresh(at: service.context.unixSeconds) ? stored : nil
    }

    /// Nobody waits for it.
    private func fetchAlone() {
        fetch(as: originRequest.key.map { service.shared.flights.begin($0, now: service.context.loop.now) })
    }

    private func fetch(as flight: Flights.FlightID?) {
        isCollapsed = false
        if standIn != nil { wake(at: began + Self.patienceWithFallback) }
        Fetch(originRequest, flight: flight, listener: self, service: service).start()
    }

    /// What is served if the origin fails: nothing to a client that asked to have it confirmed.
    /// Looked up anew, because what was found may have been purged since.
    private var standIn: StoredResponse? {
        let now = service.context.unixSeconds
        guard let found = originRequest.stored,
            let stored = service.shared.cache.lookup(found.key, service.reader, at: now),
            originRequest.allowsStandIn(stored, at: now)
        else { return nil }
        return stored
    }
}

// MARK: - Waiting

extension Exchange {
    private func wait() {
        isCollapsed = true
        wake(at: began + (standIn == nil ? Flights.Table.patience : Self.patienceWithFallback))
    }

    private func wake(at deadline: Instant) {
        cancelTimer()
        timer = service.context.loop.schedule(at: deadline) { [self] in
            timer = nil
            losePatience()
        }
    }

    private func cancelTimer() {
        if let timer { service.context.loop.cancel(timer) }
        timer = nil
    }

    /// The origin is slow: a stale answer is better than none; without one, a waiter may ask in the
    /// leader's place.
    private func losePatience() {
        guard !isAnswered else { return }
        if let standIn { return serve(standIn, standingInFor: .waitedTooLong, originStatus: nil) }
        if let flight = partialFetch {
            partialFetch = nil
            return fetch(as: flight)
        }
        guard isCollapsed, let key = originRequest.key else { return }
        let now = service.context.loop.now
        if let flight = service.shared.flights.takeOver(key, now: now) { return fetch(as: flight) }
        guard now < began + Self.longestWait else {
            return fail(FetchFailure(status: 504, reason: .waitedTooLong))
        }
        wake(at: min(now + .seconds(1), began + Self.longestWait))
    }

    /// The request that this one waited for has ended.
    func flightFinished(_ outcome: FlightOutcome) {
        guard !isAnswered, isCollapsed else { return }
        switch outcome {
        case .stored(let stored, let status) where isAnswer(stored):
            answer(stored, originStatus: status)
        case .stored, .released: fetchAlone()
        case .unstored(let response, let reason): settle(response, reason)
        case .failed(let failure): fail(failure)
        }
    }

    /// Whether what another asked for is what this client asked for: the request fields that tell
    /// answers apart may differ.
    private func isAnswer(_ stored: StoredResponse) -> Bool {
        let forwarded = originRequest.request.fields
        return service.shared.cache.isVariant(stored, for: forwarded.span, service.reader)
    }
}

// MARK: - What the fetch brings

extension Exchange: FetchListener {
    func hinted(_ interim: UpstreamInterim) {
        // The connection may be at the next request by now.
        guard !isAnswered else { return }
        connection.sendInterim(status: interim.status, fields: interim.fields.bytes)
    }

    func ended(_ result: FetchResult, upstreamTime: Duration?) {
        guard !isAnswered else { return }
        self.upstreamTime = upstreamTime
        switch result {
        case .stored(let stored, let status): answer(stored, originStatus: status)
        case .unstored(let response, let reason): settle(response, reason)
        case .failed(let failure): fail(failure)
        }
    }

    func began(_ response: UpstreamResponse) -> Bool {
        guard !isAnswered, connection.isOpen else { return false }
        if OriginVerdict.standsIn(forStatus: response.status), let standIn {
            serve(standIn, standingInFor: .upstreamError, originStatus: response.status)
            return false
        }
        upstreamTime = response.receivedAt - response.requestedAt
        finish()
        service.statistics.count(because: .tooLarge)
        isStreaming = true
        streamed = (response.status, 0)
        streamedFields = response.forwardableFields(isPersonal: isPersonal)
        let status = forwarded(response.status, .no(.tooLarge))
        connection.beginStreaming(length: response.declaredLength, writesDate: !response.hasDate) { buffer in
            buffer.appendStatusLine(response.status)
            buffer.append(response.forwardableFields(isPersonal: isPersonal))
            status.write(to: &buffer)
            service.writeCrossOrigin(connection, to: &buffer)
        }
        return true
    }

    func received(_ bytes: [UInt8], resume: @escaping () -> Void) -> Bool {
        streamed.bytes += bytes.count
        return connection.stream(bytes, resume: resume)
    }

    func finished() {
        isStreaming = false
        record(
            status: streamed.status, contentLength: streamed.bytes, .no(.tooLarge),
            .passed(fields: streamedFields, content: []))
        connection.endStreaming()
    }

    func broke() {
        isStreaming = false
        record(
            status: streamed.status, contentLength: streamed.bytes, .no(.upstreamClosed),
            .passed(fields: streamedFields, content: []))
        connection.reset()
    }

    var isReading: Bool { isStreaming && connection.isOpen }
}

// MARK: - Answering

extension Exchange {
    /// With what is stored now: everyone's answer.
    private func answer(_ stored: StoredResponse, originStatus: Int?) {
        let ttl = stored.freshFor - stored.age(at: service.context.unixSeconds)
        let storing = CacheStatus.Forwarded.Storing.stored(
            ttl: ttl, detail: originStatus == 304 ? .revalidated : stored.composition?.detail)
        finish()
        service.noteStep(stored, originRequest.facts, originRequest.request)
        service.serve(
            stored, forwarded(originStatus, storing), template: originRequest.facts.logTemplate,
            upstreamTime: upstreamTime,
            to: connection)
    }

    /// With the origin's own answer, unless a stale one is better.
    private func settle(_ response: UpstreamResponse, _ reason: Reason) {
        if OriginVerdict.standsIn(forStatus: response.status), let standIn {
            return serve(standIn, standingInFor: .upstreamError, originStatus: response.status)
        }
        finish()
        // Why a pass is one has been counted.
        let detail = reason == originRequest.reason ? nil : reason
        if let detail { service.statistics.count(because: detail) }
        record(status: response.status, contentLength: response.body.count, .no(reason), recorded(response))
        let status = forwarded(response.status, .no(reason))
        connection.respond(content: response.body, writesDate: !response.hasDate) { buffer in
            buffer.appendStatusLine(response.status)
            buffer.append(response.forwardableFields(isPersonal: isPersonal, isCollapsed: isCollapsed))
            appendLength(of: response, to: &buffer)
            status.write(to: &buffer)
            service.writeCrossOrigin(connection, to: &buffer)
        }
    }

    /// The origin gave nothing that can be passed on: the stale answer, or an error in its stead.
    private func fail(_ failure: FetchFailure) {
        if let standIn {
            return serve(standIn, standingInFor: failure.reason, originStatus: failure.originStatus)
        }
        // What it lacked when the request came may have come with others' answers, or out of the
        // file.
        if let stored = service.compose(for: originRequest, nil) {
            service.statistics.count(because: failure.reason)
            return answer(stored, originStatus: failure.originStatus)
        }
        finish()
        service.statistics.count(because: failure.reason)
        service.refuse(
            connection,
            AppleError(
                status: failure.status,
                detail: failure.reason.isOfTheProxy
                    ? "The origin could not be asked in time: \(failure.reason.text)."
                    : "The origin gave no usable answer: \(failure.reason.text)."),
            key: originRequest.key, template: originRequest.facts.logTemplate, retryAfter: failure.retryAfter,
            upstreamTime: upstreamTime, status: forwarded(failure.originStatus, .no(failure.reason)))
    }

    private func serve(_ stored: StoredResponse, standingInFor cause: Reason, originStatus: Int?) {
        finish()
        service.statistics.count(.stale)
        service.statistics.count(because: cause)
        service.statistics.count(because: .staleIfError)
        service.serve(
            stored, forwarded(originStatus, .no(.staleIfError)), template: originRequest.facts.logTemplate,
            upstreamTime: upstreamTime, to: connection)
    }

    /// Whatever is still to come is not for this client.
    private func finish() {
        isAnswered = true
        cancelTimer()
        if isCollapsed { service.statistics.count(.collapsed) }
    }

    private func forwarded(_ originStatus: Int?, _ storing: CacheStatus.Forwarded.Storing) -> CacheStatus {
        .forwarded(
            CacheStatus.Forwarded(
                reason: originRequest.reason, status: originStatus, storing: storing, isCollapsed: isCollapsed))
    }

    /// Whether the answer is one user's, by its route or because a user's token went along.
    private var isPersonal: Bool { originRequest.facts.scope != .shared }

    private func record(
        status: Int, contentLength: Int, _ storing: CacheStatus.Forwarded.Storing,
        _ answer: @autoclosure () -> TrafficAnswer = .untold
    ) {
        service.observer.record(
            AnsweredRequest(
                status: status, contentLength: originRequest.request.method == .head ? 0 : contentLength,
                cacheStatus: forwarded(status, storing), key: originRequest.key,
                template: originRequest.facts.logTemplate,
                upstreamTime: upstreamTime),
            answer(), on: connection)
    }

    /// What a recording may say of an answer that is not stored: its content only as it is without
    /// a coding, and not where a cookie may have shaped it.
    private func recorded(_ response: UpstreamResponse) -> TrafficAnswer {
        let fields = response.forwardableFields(isPersonal: isPersonal, isCollapsed: isCollapsed)
        let isCoded = !response.isInflated && response.fields.contains(.contentEncoding)
        let isPlain = !isPersonal && !isCoded && !connection.head.fields.contains(.cookie)
        return .passed(fields: fields, content: isPlain ? response.body : [])
    }

    /// 204 and 304 have no length; an answer to HEAD tells the length that GET would have (RFC 9110
    /// 8.6).
    private func appendLength(of response: UpstreamResponse, to buffer: inout ByteBuffer) {
        if response.status == 204 || response.status == 304 { return }
        let length = originRequest.request.method == .head ? response.declaredLength : response.body.count
        guard let length else { return }
        buffer.append("Content-Length: ")
        buffer.append(decimal: length)
        buffer.append("\r\n")
    }
}
