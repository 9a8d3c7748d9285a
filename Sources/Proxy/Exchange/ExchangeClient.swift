import Cache
import Freshness
import HTTP
import Server
import Upstream

/// The client's side of an exchange: writes, counts and logs the answer.
///
/// Confined to its loop.
final class ExchangeClient {
    private let connection: ClientConnection
    private let request: OriginRequest
    private let proxy: ProxyLoop
    /// Whether another client's request brought the answer.
    var isCollapsed = false
    /// Whether another node's request brought the answer.
    var isShared = false
    let requestCount: UpstreamRequestCount
    /// Why a large answer is streamed.
    var streamReason = Reason.tooLarge
    /// Status, fields and bytes sent so far.
    private var streamed: (status: Int, fields: [UInt8], bytes: Int) = (0, [], 0)
    /// Whether the head of a large answer was all that the client gets, which ends it: a 304, or to
    /// a HEAD.
    private(set) var isHeadEnough = false

    init(_ connection: ClientConnection, _ request: OriginRequest, _ proxy: ProxyLoop) {
        (self.connection, self.request, self.proxy) = (connection, request, proxy)
        requestCount = proxy.observer.requestCount(of: proxy.accounts.party(of: connection))
    }

    /// False once the client has gone.
    var isOpen: Bool { connection.isOpen }

    /// Calls `body` when the client ends its side before its answer.
    func watchEnd(_ body: @escaping () -> Void) { connection.watchEnd(body) }
    func unwatchEnd() { connection.unwatchEnd() }

    /// - Precondition: `action` is neither `stream` nor `report`, which the exchange performs.
    func perform(_ action: ExchangeState.ClientAction) {
        switch action {
        case .hint(let interim): connection.sendInterim(status: interim.status, fields: interim.fields.bytes)
        case .stored(let stored, let status): answer(stored, originStatus: status)
        case .stale(let stored, let cause, let status): answer(stale: stored, cause, originStatus: status)
        case .composed(let stored, let cause, let status):
            proxy.base.statistics.count(because: cause)
            answer(stored, originStatus: status)
        case .substitute: perform(action.settled { proxy.composed.find($0, for: request) })
        case .pass(let response, let reason): pass(response, reason)
        case .refuse(let failure): refuse(failure)
        case .beginStreaming(let response): beginStreaming(response)
        case .endStreaming:
            recordStreamed(streamReason)
            connection.endStreaming()
        case .breakOff(let reason):
            recordStreamed(reason)
            connection.reset()
        case .abandon: if !isHeadEnough { recordStreamed(streamReason) }
        case .discard(let response):
            noteLarge(response)
            recordStreamed(streamReason, isHeadSent: false)
        case .stream, .report: preconditionFailure("the exchange performs these")
        }
    }

    /// Serves an answer that is stored now.
    private func answer(_ stored: StoredResponse, originStatus: Int?) {
        let ttl = stored.freshFor - stored.age(at: proxy.base.unixSeconds)
        let made = originStatus == 304 ? .revalidated : stored.composition?.detail
        let storing = CacheStatus.Forwarded.Storing.stored(ttl: ttl, detail: made ?? (isShared ? .shared : nil))
        countAvoidedFetch(isCollapsed ? .joined : AvoidedFetch(of: stored.composition?.detail, isShared: isShared))
        proxy.answering.serve(
            stored, forwarded(isShared ? nil : originStatus, storing, of: stored), template: request.facts.logTemplate,
            asked: asked(), to: connection)
    }

    private func answer(stale stored: StoredResponse, _ cause: Reason, originStatus: Int?) {
        countAvoidedFetch(.stored)
        proxy.base.statistics.count(.stale)
        proxy.base.statistics.count(because: cause)
        proxy.base.statistics.count(because: .staleIfError)
        proxy.answering.serve(
            stored, forwarded(originStatus, .no(.staleIfError)), template: request.facts.logTemplate,
            asked: asked(), to: connection)
    }

    private func pass(_ response: UpstreamResponse, _ reason: Reason) {
        countAvoidedFetch(.joined)
        // Why a pass is one has been counted.
        if reason != request.reason { proxy.base.statistics.count(because: reason) }
        if response.status == 401, response.body.isEmpty, request.sendsNoToken(hasOwnToken: proxy.accounts.signs) {
            // The origin's 401 does not say what is missing (APPLE-MUSIC-API 8.8).
            let detail = "No developer token: neither the request (Authorization: Bearer) nor the proxy has one."
            return refuse(AppleError(status: 401, detail: detail), originStatus: 401, reason)
        }
        // Apple's has no content (APPLE-MUSIC-API 8.8), and no client can mend it.
        if reason == .upstreamRefused, response.status == 401 || response.body.isEmpty {
            let detail = "The origin refused this proxy's own developer token; the proxy's operator has to correct it."
            return refuse(
                AppleError(status: response.status, detail: detail), originStatus: response.status, reason)
        }
        let fields = response.forwardableFields(isPersonal: isPersonal, isCollapsed: isCollapsed)
        if let confirmation = confirmation(response, fields) {
            return confirm(response, confirmation, reason)
        }
        record(
            status: response.status, contentLength: response.body.count, .no(reason), recorded(response, fields))
        let status = forwarded(response.status, .no(reason))
        let lacksWait = response.status == 429 && !response.fields.contains(.retryAfter)
        connection.respond(content: response.body, writesDate: !response.hasDate) { buffer in
            buffer.appendStatusLine(response.status)
            buffer.append(fields)
            appendLength(of: response, to: &buffer)
            if lacksWait {
                // The proxy's own time, where the origin says none.
                let account = proxy.accounts.account(of: request, proxy.accounts.party(of: connection))
                buffer.append("Retry-After: ")
                buffer.append(decimal: proxy.asking.gate.retryAfter(of: account))
                buffer.append("\r\n")
            }
            status.write(to: &buffer)
            proxy.answering.writeCrossOrigin(connection, to: &buffer)
        }
    }

    /// The fields of a 304 in place of a 200 whose content the client has; nil where it needs the
    /// content.
    private func confirmation(_ response: UpstreamResponse, _ fields: [UInt8]) -> [UInt8]? {
        guard response.status == 200 else { return nil }
        let head = connection.head
        return connection.withHeadBytes { NotModified.lines(for: head.method, head.fields, $0, insteadOf: fields) }
    }

    private func confirm(_ response: UpstreamResponse, _ fields: [UInt8], _ reason: Reason) {
        record(status: 304, contentLength: 0, .no(reason), .passed(fields: fields, content: []), of: response)
        let status = forwarded(response.status, .no(reason))
        connection.respond(content: [], writesDate: !response.hasDate) { buffer in
            buffer.appendStatusLine(304)
            buffer.append(fields)
            status.write(to: &buffer)
            proxy.answering.writeCrossOrigin(connection, to: &buffer)
        }
    }

    private func refuse(_ failure: ExchangeFailure) {
        // A flight that sent nothing has avoided no fetch of its waiters.
        countAvoidedFetch(isCollapsed && !failure.reason.isOfTheProxy ? .joined : .failed)
        proxy.base.statistics.count(because: failure.reason)
        refuse(
            AppleError(status: failure.status, detail: Self.detail(of: failure)), retryAfter: failure.retryAfter,
            originStatus: failure.originStatus, failure.reason)
    }

    private func refuse(_ error: AppleError, retryAfter: Int? = nil, originStatus: Int?, _ reason: Reason) {
        proxy.answering.refuse(
            connection, error, key: request.key, template: request.facts.logTemplate, retryAfter: retryAfter,
            asked: asked(isClientGone: reason == .clientLeft), status: forwarded(originStatus, .no(reason)))
    }

    private static func detail(of failure: ExchangeFailure) -> String {
        if failure.reason == .heldBack { return "The origin currently refuses such requests." }
        if failure.reason == .shareUsed { return "Other requests of this client hold its share: share-used." }
        return failure.reason.isOfTheProxy
            ? "The request could not be sent to the origin in time: \(failure.reason.text)."
            : "The origin gave no usable answer: \(failure.reason.text)."
    }

    /// Counts how the request was answered if nothing was sent for it.
    private func countAvoidedFetch(_ avoided: @autoclosure () -> AvoidedFetch) {
        if isCollapsed { proxy.base.statistics.count(.collapsed) }
        if requestCount.count == 0 { proxy.base.statistics.count(avoided: avoided()) }
    }

    /// To be called once, when the answer is recorded.
    private func asked(isClientGone: Bool = false) -> AnsweredRequest.Asked {
        AnsweredRequest.Asked(
            sent: requestCount.tell(), time: requestCount.time(at: proxy.base.now),
            isClientGone: isClientGone || !connection.isOpen)
    }

    /// - Parameter stored: the answer, where it is a stored one.
    private func forwarded(
        _ originStatus: Int?, _ storing: CacheStatus.Forwarded.Storing, of stored: StoredResponse? = nil
    ) -> CacheStatus {
        // An answer that was not completed has no part of a stored one (RFC 9211 2.2).
        let reason = request.reason == .partial && stored?.composition == nil ? .absent : request.reason
        return .forwarded(
            CacheStatus.Forwarded(reason: reason, status: originStatus, storing: storing, isCollapsed: isCollapsed))
    }

    /// Whether the answer is one user's, by its route or because a user's token went along.
    private var isPersonal: Bool { request.facts.scope != .shared }

    /// - Parameter response: the origin's, where the client gets another status.
    private func record(
        status: Int, contentLength: Int, _ storing: CacheStatus.Forwarded.Storing,
        _ answer: @autoclosure () -> TrafficAnswer = .untold, of response: UpstreamResponse? = nil,
        isHeadSent: Bool = false
    ) {
        var asked = asked()
        if isHeadSent { asked.isClientGone = false }
        proxy.observer.record(
            AnsweredRequest(
                status: status,
                contentLength: AnsweredRequest.contentLength(contentLength, to: connection.head.method),
                cacheStatus: forwarded(response?.status ?? status, storing), key: request.key,
                template: request.facts.logTemplate, asked: asked),
            answer(), on: connection)
    }

    /// Recorded form of an answer that is not stored, with its content only where that is whole and
    /// has no coding. Cookies are not forwarded, so the content depends on none.
    private func recorded(_ response: UpstreamResponse, _ fields: [UInt8]) -> TrafficAnswer {
        let isCoded = !response.isInflated && response.fields.contains(.contentEncoding)
        let isPlain = !isPersonal && !isCoded && response.status != 206
        return .passed(fields: fields, content: isPlain ? response.body : [])
    }

    /// 204 and 304 have no length; an answer to HEAD tells the length that GET would have (RFC 9110
    /// 8.6).
    private func appendLength(of response: UpstreamResponse, to buffer: inout ByteBuffer) {
        if response.status == 204 || response.status == 304 { return }
        let length = request.forwarded.method == .head ? response.declaredLength : response.body.count
        guard let length else { return }
        buffer.append("Content-Length: ")
        buffer.append(decimal: length)
        buffer.append("\r\n")
    }
}

// MARK: - Large answers

extension ExchangeClient {
    private func noteLarge(_ response: UpstreamResponse) {
        countAvoidedFetch(.joined)
        // Why a pass is one has been counted.
        if streamReason != request.reason { proxy.base.statistics.count(because: streamReason) }
        streamed = (response.status, response.forwardableFields(isPersonal: isPersonal), 0)
    }

    private func beginStreaming(_ response: UpstreamResponse) {
        noteLarge(response)
        if let confirmation = confirmation(response, streamed.fields) {
            isHeadEnough = true
            return confirm(response, confirmation, streamReason)
        }
        let status = forwarded(response.status, .no(streamReason))
        connection.beginStreaming(length: response.declaredLength, writesDate: !response.hasDate) { buffer in
            buffer.appendStatusLine(response.status)
            buffer.append(streamed.fields)
            status.write(to: &buffer)
            proxy.answering.writeCrossOrigin(connection, to: &buffer)
        }
        guard connection.head.method == .head else { return }
        isHeadEnough = true
        recordStreamed(streamReason)
        connection.endStreaming()
    }

    /// Sends more of a large answer; false when the client is slow and `resume` will be called once
    /// it has caught up, or has gone. An answer that could have been collected does not slow the
    /// origin down: its bytes wait here.
    func stream(_ bytes: [UInt8], resume: @escaping () -> Void) -> Bool {
        streamed.bytes += bytes.count
        return connection.stream(bytes, resume: streamReason == .tooLarge ? resume : nil)
    }

    /// - Parameter isHeadSent: whether the head went out; the client may have left since.
    private func recordStreamed(_ reason: Reason, isHeadSent: Bool = true) {
        record(
            status: streamed.status, contentLength: streamed.bytes, .no(reason),
            .passed(fields: streamed.fields, content: []), isHeadSent: isHeadSent)
    }
}
