import Cache
import Compose
import Freshness
import Synchronization

/// Counters of the proxy. The names are those of `/stats`; every request is one of `hits`,
/// `misses`, `bypassed` and `refused`; preflights are none.
public enum Counter: Int, CaseIterable, Sendable {
    /// Requests of apps.
    case requests
    /// Those that came by HTTP/2.
    case http2Requests
    /// Answered with what is stored, stale or not, without waiting for the origin.
    case hits
    /// Had to wait for the origin because nothing usable was stored.
    case misses
    /// Answered with a stored answer past its freshness.
    case stale
    /// Stored answers that the origin confirmed with 304.
    case revalidated
    /// Answers built from stored parts: each may be given many times, and counts as `composed`
    /// (`Outcome`) each time.
    case built
    /// Requests that shared another's upstream request.
    case collapsed
    /// Answers that another node's request had brought, by way of the shared tier.
    case shared
    /// Requests that no cache may answer: other methods, personal routes, classes switched off.
    case bypassed
    /// Requests sent to the origin, retries included.
    case upstreamRequests
    /// Requests to the origin that failed: no answer, a broken one, a 5xx, or a refusal of the
    /// proxy's own token.
    case upstreamErrors
    /// Requests that were malformed or not admitted, or accept only what is not stored
    /// (`only-if-cached`).
    case refused
    /// Answers put into the cache.
    case stored
    /// 429s of the origin.
    case rateLimited
    /// Requests sent to the origin again after a 429.
    case retried
    /// Requests that had to wait for their turn at the origin.
    case queued
    /// Requests that found the queue for the origin full, or gave way in it to more urgent ones.
    case queueRefused
    /// Requests to the origin that were spared: for each answer that was built without any, and for
    /// each of a batch but one.
    case upstreamSaved
    /// Answers of the origin that contradict the form that was learnt from others.
    case contradictions
    /// Verifications with a verdict: equal, older or wrong (`verify_sample`, `compose verify`). The
    /// sum of these three, without a cell of its own.
    case verified
    /// Verified answers that the origin gave too.
    case equal
    /// Verified answers with a part that the origin has revised.
    case older
    /// Verified answers that no revision explains.
    case mismatched
    /// Verifications that ended without a verdict: an answer of the origin's was missing, or it
    /// changes too fast.
    case undecided
    /// Sampled answers that were not verified: there was no room.
    case verifySkipped

    public var name: String {
        switch self {
        case .requests: "requests"
        case .http2Requests: "http2_requests"
        case .hits: "hits"
        case .misses: "misses"
        case .stale: "stale"
        case .revalidated: "revalidated"
        case .built: "built"
        case .collapsed: "collapsed"
        case .shared: "shared"
        case .bypassed: "bypassed"
        case .upstreamRequests: "upstream_requests"
        case .upstreamErrors: "upstream_errors"
        case .refused: "refused"
        case .stored: "stored"
        case .rateLimited: "rate_limited"
        case .retried: "retried"
        case .queued: "queued"
        case .queueRefused: "queue_refused"
        case .upstreamSaved: "upstream_saved"
        case .contradictions: "contradictions"
        case .verified: "verified"
        case .equal: "verified_equal"
        case .older: "verified_older"
        case .mismatched: "verify_mismatches"
        case .undecided: "verify_undecided"
        case .verifySkipped: "verify_skipped"
        }
    }
}

/// One loop's counters: written by that loop alone, read by anyone.
///
/// A single writer needs no locked addition: a relaxed load and store cost what plain ones do.
public final class Statistics: Sendable {
    private let reasons: InlineArray<64, Atomic<Int>>
    private let refusals: InlineArray<280, Atomic<Int>>
    private let cells: InlineArray<26, Atomic<Int>>
    /// How long answers took from the complete request to the answer's first byte, by `Outcome`; of
    /// streamed ones to the last.
    let latencies = Outcome.allCases.map { _ in LatencyHistogram() }
    let upstream = UpstreamStatistics()
    let hotTargets = HotTargets()

    public init() {
        precondition(Counter.allCases.count == 26, "one cell for each counter")
        precondition(Reason.allCases.count <= 64, "one cell for each reason")
        precondition(Refusal.Rule.allCases.count * Lack.Kind.allCases.count <= 280, "one cell for each refusal")
        cells = InlineArray { _ in Atomic<Int>(0) }
        reasons = InlineArray { _ in Atomic<Int>(0) }
        refusals = InlineArray { _ in Atomic<Int>(0) }
    }

    /// Counts; only on the loop that owns these counters.
    public func count(_ counter: Counter, _ number: Int = 1) {
        let index = counter.rawValue
        cells[index].store(cells[index].load(ordering: .relaxed) &+ number, ordering: .relaxed)
    }

    /// Counts one; only on the loop that owns these counters.
    func count(because reason: Reason) {
        let index = Int(reason.rawValue)
        reasons[index].store(reasons[index].load(ordering: .relaxed) &+ 1, ordering: .relaxed)
    }

    /// Counts a request that goes to the origin because nothing could be composed; only on the loop
    /// that owns these counters.
    func count(notComposed refusal: Refusal) {
        let index = Self.index(refusal.rule, refusal.lack.kind)
        refusals[index].store(refusals[index].load(ordering: .relaxed) &+ 1, ordering: .relaxed)
    }

    /// How many requests went to the origin because composing by this rule lacked this.
    subscript(notComposed rule: Refusal.Rule, lack: Lack.Kind) -> Int {
        refusals[Self.index(rule, lack)].load(ordering: .relaxed)
    }

    private static func index(_ rule: Refusal.Rule, _ lack: Lack.Kind) -> Int {
        Int(lack.rawValue) * Refusal.Rule.allCases.count + Int(rule.rawValue)
    }

    /// How often this was the reason why a request was not simply a hit, or its answer not stored.
    subscript(because reason: Reason) -> Int {
        reasons[Int(reason.rawValue)].load(ordering: .relaxed)
    }

    public subscript(_ counter: Counter) -> Int {
        if counter == .verified { return self[.equal] + self[.older] + self[.mismatched] }
        return cells[counter.rawValue].load(ordering: .relaxed)
    }
}
