import Cache
import Compose
import Freshness
import Synchronization
import Text

/// Counters of the proxy. A case is its name in `/stats`, and REFERENCE.md tells of each; every
/// request is one of `hits`, `misses`, `bypassed` and `refused`; preflights are none.
public enum Counter: Int, CaseIterable, Sendable {
    case requests, http2Requests, hits, misses, stale, revalidated
    /// Answers built from stored parts: each may be given many times, and counts as `composed`
    /// (`Outcome`) each time.
    case built
    case collapsed, shared, bypassed, upstreamRequests
    /// Requests to the origin that failed: no answer, a broken one, a 5xx, or a refusal of the
    /// proxy's own token.
    case upstreamErrors
    /// Answers that something the origin sent with them kept from being stored, refreshes included:
    /// the log names route and cause once.
    case uncacheable
    /// Refreshes that the origin refused with a 4xx which leaves the stored answer in place.
    case refreshRefused
    /// Requests that were malformed or not admitted, or accept only a stored answer
    /// (`only-if-cached`), and there was none.
    case refused
    case stored, rateLimited, retried, queued
    /// Queued requests that waited although a connection was free, because their party held its
    /// share of the connections.
    case lackedShare
    /// Requests that found the queue for the origin full, or gave way in it to more urgent ones.
    case queueRefused
    case contradictions
    /// Verifications with a verdict: equal, older or wrong (`verify_sample`, `compose verify`). The
    /// sum of these three, without a cell of its own.
    case verified
    /// Verified answers that the origin gave too; with a part that it has revised; that no revision
    /// explains.
    case verifiedEqual, verifiedOlder, verifyMismatches
    /// Verifications that ended without a verdict: an answer of the origin's was missing, or it
    /// changes too fast.
    case verifyUndecided
    /// Sampled answers that were not verified: there was no room.
    case verifySkipped
    /// Answers that were sent uncompressed because too many waited to be compressed.
    case compressionSkipped

    private static let words = CaseWords<Self>(separator: "_")

    public var name: String { Self.words[self] }
}

/// A loop's counters: written by that loop alone, read by anyone.
///
/// A single writer needs no locked addition: a relaxed load and store cost what plain ones do.
public final class Statistics: Sendable {
    private let reasons: InlineArray<72, Atomic<Int>>
    private let refusals: InlineArray<280, Atomic<Int>>
    private let cells: InlineArray<29, Atomic<Int>>
    private let avoidedFetches: InlineArray<6, Atomic<Int>>
    /// How long answers took from the complete request to the answer's first byte, by `Outcome`; of
    /// streamed ones to the last.
    let latencies = Outcome.allCases.map { _ in LatencyHistogram() }
    let answers = AnswerStatistics()
    let upstream = UpstreamStatistics()
    let spending = OriginSpending()
    let hotTargets = HotTargets()

    public init() {
        precondition(Counter.allCases.count == 29, "one cell for each counter")
        precondition(AvoidedFetch.allCases.count == 6, "one cell for each kind of avoided fetch")
        precondition(Reason.allCases.count <= 72, "one cell for each reason")
        precondition(Refusal.Rule.allCases.count * MissReason.allCases.count <= 280, "one cell for each refusal")
        cells = InlineArray { _ in Atomic<Int>(0) }
        avoidedFetches = InlineArray { _ in Atomic<Int>(0) }
        reasons = InlineArray { _ in Atomic<Int>(0) }
        refusals = InlineArray { _ in Atomic<Int>(0) }
    }

    /// Counts; only on the loop that owns these counters.
    public func count(_ counter: Counter, _ number: Int = 1) {
        let index = counter.rawValue
        cells[index].store(cells[index].load(ordering: .relaxed) &+ number, ordering: .relaxed)
    }

    /// Counts a request whose planned fetch from the origin was avoided; only on the loop that owns
    /// these counters.
    func count(avoided fetch: AvoidedFetch) {
        let index = fetch.rawValue
        avoidedFetches[index].store(avoidedFetches[index].load(ordering: .relaxed) &+ 1, ordering: .relaxed)
    }

    /// How many such requests were answered in this way.
    subscript(avoided fetch: AvoidedFetch) -> Int { avoidedFetches[fetch.rawValue].load(ordering: .relaxed) }

    /// Counts one; only on the loop that owns these counters.
    func count(because reason: Reason) {
        let index = Int(reason.rawValue)
        reasons[index].store(reasons[index].load(ordering: .relaxed) &+ 1, ordering: .relaxed)
    }

    /// Counts a request that goes to the origin because nothing could be composed; only on the loop
    /// that owns these counters.
    func count(notComposed refusal: Refusal) {
        let index = Self.index(refusal.rule, refusal.reason)
        refusals[index].store(refusals[index].load(ordering: .relaxed) &+ 1, ordering: .relaxed)
    }

    /// How many requests went to the origin because this rule built no answer, for this reason.
    subscript(notComposed rule: Refusal.Rule, reason: MissReason) -> Int {
        refusals[Self.index(rule, reason)].load(ordering: .relaxed)
    }

    private static func index(_ rule: Refusal.Rule, _ reason: MissReason) -> Int {
        Int(reason.rawValue) * Refusal.Rule.allCases.count + Int(rule.rawValue)
    }

    /// How often this was the reason why a request was not simply a hit, or its answer not stored.
    subscript(because reason: Reason) -> Int {
        reasons[Int(reason.rawValue)].load(ordering: .relaxed)
    }

    public subscript(_ counter: Counter) -> Int {
        if counter == .verified { return self[.verifiedEqual] + self[.verifiedOlder] + self[.verifyMismatches] }
        return cells[counter.rawValue].load(ordering: .relaxed)
    }
}
