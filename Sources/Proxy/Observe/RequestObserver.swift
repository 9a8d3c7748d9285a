import Cache
import EventLoop
import Freshness
import HTTP
import Server
import Upstream

/// Counts, logs and shows the answered requests of one loop. Confined to its loop.
final class RequestObserver {
    private let statistics: Statistics
    private let context: LoopContext
    private let feed: LiveFeed
    /// nil: no access log.
    var log: AccessLog? {
        didSet { later.isWanted = log != nil }
    }
    private let later = UnloggedRequestCounts()
    private let tails: TailWriter
    let traffic: TrafficTap
    private var unsampled = 0

    init(
        _ statistics: Statistics, _ context: LoopContext, _ feed: LiveFeed, _ tails: Tails, log: AccessLog?,
        recorder: TrafficRecorder
    ) {
        (self.statistics, self.context, self.feed, self.log) = (statistics, context, feed, log)
        self.tails = TailWriter(tails)
        traffic = TrafficTap(recorder, context.loop)
        later.isWanted = log != nil
    }

    /// The counter of what is sent for one request of the party's.
    func requestCount(of party: UpstreamParty) -> UpstreamRequestCount { UpstreamRequestCount(of: party, later: later) }

    /// Whether the log, a follower of it or a watcher reads the records.
    var isRead: Bool { isFollowed || feed.isWatched }

    /// Whether anyone reads lines.
    private var isFollowed: Bool { log != nil || tails.isRead }

    /// To be called once for every request, before its answer is sent: the bytes of the request are
    /// gone then.
    /// - Parameter answer: asked for only while traffic is recorded; nil for a request that was not
    ///   validated, which is not recorded.
    func record(
        _ answered: AnsweredRequest, _ answer: @autoclosure () -> TrafficAnswer?, on connection: ClientConnection
    ) {
        let nanoseconds = count(answered, on: connection)
        guard traffic.isOn, let answer = answer() else { return }
        traffic.note(answered, nanoseconds, answer, on: connection)
    }

    /// Records an answer that is stored. Never inlined: its arguments would be retained, a hundred
    /// instructions of a hit.
    @inline(never)
    func record(
        _ answered: AnsweredRequest, _ stored: StoredResponse, _ form: AnswerForm, _ coding: ContentCoding, age: Int,
        _ known: MemoizedPlan?, on connection: ClientConnection
    ) {
        let nanoseconds = count(answered, on: connection)
        if traffic.isOn {
            traffic.note(answered, nanoseconds, stored, form, coding, age: age, known, on: connection)
        }
    }

    /// Gives the latency, in nanoseconds.
    @inline(__always)
    private func count(_ answered: AnsweredRequest, on connection: ClientConnection) -> Int64 {
        let now = context.loop.currentTime
        let nanoseconds = now.nanoseconds - connection.requestedAt.nanoseconds
        let outcome = answered.outcome
        statistics.latencies[outcome.rawValue].record(nanoseconds: nanoseconds)
        let status = answered.asked.isClientGone ? AnswerCounts.noStatus : answered.status
        statistics.answers.count(status, in: outcome.rawValue)
        connection.client?.count(status: status, bytes: answered.contentLength, isRefused: outcome == .refused)
        noteTarget(answered, outcome, nanoseconds, now)
        if isFollowed { write(answered, nanoseconds, connection) }
        if feed.isWatched { show(answered, outcome, nanoseconds, connection) }
        return nanoseconds
    }

    /// Counts a preflight, which has no outcome.
    func countPreflight() { statistics.answers.count(204, in: AnswerCounts.preflights) }

    /// A request that was not read to its end; it is asked for only where something reads it.
    func record(
        status: Int, contentLength: Int, _ unread: @autoclosure () -> UnreadRequest, on connection: ClientConnection
    ) {
        let nanoseconds = context.loop.currentTime.nanoseconds - connection.requestedAt.nanoseconds
        statistics.latencies[Outcome.refused.rawValue].record(nanoseconds: nanoseconds)
        statistics.answers.count(status, in: Outcome.refused.rawValue)
        connection.client?.count(status: status, bytes: contentLength, isRefused: true)
        guard isRead else { return }
        let unread = unread()
        write(.unread(unread), nanoseconds, connection)
        guard feed.isWatched else { return }
        let unixSeconds = context.unixSeconds
        feed.add(at: unixSeconds) {
            LiveFeed.Event(
                unixSeconds: unixSeconds, isHTTP2: connection.isHTTP2, method: Self.text(unread.method.span),
                target: Self.text(unread.target.span), status: unread.status, bytes: unread.contentLength,
                outcome: .refused, words: "refused/" + unread.cause, nanoseconds: nanoseconds,
                upstreamNanoseconds: nil, client: connection.client?.name)
        }
    }

    /// A preflight.
    /// - Parameters:
    ///   - path: asked for only where something reads it, as `refusal`.
    func recordPreflight(
        _ path: @autoclosure () -> [UInt8], _ refusal: @autoclosure () -> StaticString?,
        on connection: ClientConnection
    ) {
        guard isFollowed else { return }
        write(.preflight(path: path(), refusal: refusal()), 0, connection)
    }

    /// Never inlined: a hit that nobody follows would copy the request for it.
    @inline(never)
    private func write(_ answered: AnsweredRequest, _ nanoseconds: Int64, _ connection: ClientConnection) {
        write(.answered(answered), nanoseconds, connection)
    }

    private func write(_ request: LoggedRequest, _ nanoseconds: Int64, _ connection: ClientConnection) {
        log?.record(request, nanoseconds: nanoseconds, later, on: connection)
        if tails.isRead { tails.record(request, nanoseconds: nanoseconds, on: connection) }
    }

    private func noteTarget(_ answered: AnsweredRequest, _ outcome: Outcome, _ nanoseconds: Int64, _ now: Instant) {
        switch outcome {
        case .hit, .composed, .stale:
            unsampled += 1
            guard unsampled >= HotTargets.sampling, let key = answered.key else { return }
            unsampled = 0
            statistics.hotTargets.note(
                key, nanoseconds: nanoseconds, standingFor: HotTargets.sampling, nil, now: now)
        case .revalidated, .collapsed, .miss, .staleIfError, .failed:
            guard let key = answered.key, case .forwarded(let forwarded) = answered.cacheStatus else { return }
            statistics.hotTargets.note(key, nanoseconds: nanoseconds, standingFor: 1, forwarded.reason, now: now)
        case .bypass, .refused: break
        }
    }

    private func show(
        _ answered: AnsweredRequest, _ outcome: Outcome, _ nanoseconds: Int64, _ connection: ClientConnection
    ) {
        let unixSeconds = context.unixSeconds
        feed.add(at: unixSeconds) {
            let (method, target) = connection.withHeadBytes { bytes in
                let head = connection.head
                let target = answered.template ?? Self.text(bytes.extracting(head.target.range))
                return (Self.text(bytes.extracting(head.methodText.range)), target)
            }
            let detail = answered.logDetail.map { "/" + $0 } ?? ""
            return LiveFeed.Event(
                unixSeconds: unixSeconds, isHTTP2: connection.isHTTP2, method: method, target: target,
                status: answered.status, bytes: answered.contentLength, outcome: outcome,
                words: answered.word + detail, nanoseconds: nanoseconds,
                upstreamNanoseconds: answered.asked.time?.wholeNanoseconds, upstreamRequests: answered.asked.sent,
                client: connection.client?.name)
        }
    }

    /// The beginning of a method or target, as `LiveFeed` keeps it; cut between characters.
    private static func text(_ bytes: Span<UInt8>) -> String {
        var end = min(bytes.count, LiveFeed.mostTargetBytes)
        // The bytes of a character but its first.
        while end > 0, end < bytes.count, bytes[end] & 0xC0 == 0x80, end > LiveFeed.mostTargetBytes - 3 { end -= 1 }
        return String(decoding: bytes.extracting(0..<end).copy(), as: UTF8.self)
    }
}
