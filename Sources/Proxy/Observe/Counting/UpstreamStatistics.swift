import EventLoop
import Synchronization
import Upstream

/// Requests of one loop to the origin, by priority and result. Written by that loop,
/// read by anyone.
public final class UpstreamStatistics: Sendable {
    /// Which requests are counted together.
    public struct Kind: Hashable, Sendable {
        public let priority: UpstreamPriority
        /// nil: no answer came.
        public let status: Int?
    }

    /// The last failure.
    public struct Trouble: Hashable, Sendable {
        /// The failure as the log has it; nothing of the request.
        public let what: String
        public let unixSeconds: Int64
        /// An error of the origin, and no request without a good token.
        public let isOfOrigin: Bool
    }

    private let counts = Mutex<[Kind: Int]>([:])
    private let trouble = Mutex<Trouble?>(nil)
    private let times: [LatencyHistogram] = UpstreamPriority.allCases.map { _ in LatencyHistogram() }

    /// A sending has ended: by an answer of that status, or by none.
    func count(_ priority: UpstreamPriority, _ status: Int?, took time: Duration?) {
        counts.withLock { $0[Kind(priority: priority, status: status), default: 0] += 1 }
        if let time { times[priority.rawValue].record(nanoseconds: time.wholeNanoseconds) }
    }

    /// The origin failed, or refused.
    func note(_ what: String, at unixSeconds: Int64, isOfOrigin: Bool = true) {
        trouble.withLock { $0 = Trouble(what: what, unixSeconds: unixSeconds, isOfOrigin: isOfOrigin) }
    }

    /// nil where nothing went wrong since the start.
    var lastTrouble: Trouble? { trouble.withLock { $0 } }

    /// How many, by kind.
    var snapshot: [Kind: Int] { counts.withLock { $0 } }

    /// How long the origin took to answer requests of that priority, to the end of the head.
    func times(_ priority: UpstreamPriority) -> LatencyCounts { times[priority.rawValue].snapshot }
}

extension Statistics: UpstreamObserver {
    /// Counts it.
    public func upstreamQueued() { count(.queued) }
    /// Counts it.
    public func upstreamLacksShare() { count(.lackedShare) }
    /// Counts it: the one place where requests that are sent to the origin are counted.
    public func upstreamStarted(_ label: UpstreamLabel, isRepeated: Bool) {
        count(.upstreamRequests)
        spending.count(label, isRepeated: isRepeated)
    }
    /// Counts it.
    public func upstreamRefused() { count(.queueRefused) }
    /// Counts it.
    public func upstreamRateLimited() { count(.rateLimited) }
    /// Counts it.
    public func upstreamRepeated() { count(.retried) }

    /// Counts it by what came of it, and notes how long it took.
    public func upstreamAnswered(_ priority: UpstreamPriority, status: Int?, after time: Duration?) {
        upstream.count(priority, status, took: time)
    }
}
