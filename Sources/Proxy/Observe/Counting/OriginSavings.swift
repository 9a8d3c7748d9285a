import Freshness
import Synchronization
import Text

// The one definition of the requests that the origin was spared, and of the hit ratio: `/stats`,
// `/metrics`, `stats`, `top` and the dashboard show these numbers under these names.
// Must hold: without the proxy the origin would have got each request that was answered, but for
// those that the proxy refused or answered with an error of its own while it sent nothing
// (`queue-full`, `client-left`): to leave those unanswered is no gain. Saved are those less the
// requests that were sent, refreshes, repeats and verifications included.

/// How a request was answered without a fetch from the origin, although no answer was at hand when
/// it came.
enum AvoidedFetch: Int, CaseIterable, Sendable {
    /// With a stale answer: the origin was not asked because it had failed others.
    case stored
    /// With the answer to another request.
    case joined
    /// Composed of parts that came meanwhile.
    case composed
    /// Out of a batch that another request sent.
    case batched
    /// With an answer from another node.
    case shared
    /// The request failed, with an error of the proxy's own.
    case failed

    /// Another request's answer, or one composed as `detail` says.
    init(of detail: Reason?, isShared: Bool) {
        self = detail == nil ? isShared ? .shared : .joined : detail == .batched ? .batched : .composed
    }
}

/// Requests that the origin would have got, got, and was spared, since the start or within a time.
public struct OriginSavings: Sendable, Equatable {
    /// A number of requests, in the order in which they are shown.
    public enum Figure: Int, CaseIterable, Sendable {
        /// The origin would have got these without the proxy.
        case withoutProxy
        /// Sent to it.
        case sent
        /// The former less the latter; since the start it never goes back, so that it is a counter.
        case saved
        /// Answered from the cache, fresh or stale.
        case hits
        /// Answered with the answer to another client's request.
        case joining
        /// Composed of stored answers.
        case composing
        /// Answered out of an `ids` request that another request sent.
        case batching
        /// Answered with an answer that another node has fetched.
        case nodes
        /// Sent besides one for each client's request that needed one: refreshes, repeats,
        /// verifications, batches, larger requests and parts by which no client was answered
        /// directly; also those under way. `saved` is the sum of all ways less these.
        case extra

        /// The ways in which a client's request needs none to the origin.
        public static let ways = [hits, joining, composing, batching, nodes]
        private static let words = CaseWords<Self>(separator: "_")

        /// The name in `/stats`, and the label of a way in `/metrics`.
        public var name: String { Self.words[self] }

        /// The name for people.
        public var text: String {
            switch self {
            case .withoutProxy: "without the proxy"
            case .sent: "sent to Apple"
            case .saved: "saved"
            case .hits, .joining, .composing, .batching: "by \(self)"
            case .nodes: "by other nodes"
            case .extra: "less further requests"
            }
        }
    }

    private var withoutProxy = 0
    private var sent = 0
    private var saved = 0
    /// By `Figure.ways`.
    private var ways = [Int](repeating: 0, count: Figure.ways.count)

    /// Nothing yet.
    public init() {}

    /// - Parameters:
    ///   - outcomes: by `Outcome`.
    ///   - avoidedFetches: by `AvoidedFetch`.
    init(outcomes: [Int], avoidedFetches: [Int], sent: Int) {
        func count(_ outcome: Outcome) -> Int { outcomes[outcome.rawValue] }
        func count(_ fetch: AvoidedFetch) -> Int { avoidedFetches[fetch.rawValue] }
        withoutProxy = max(0, outcomes.reduce(0, +) - count(.refused) - count(AvoidedFetch.failed))
        self.sent = sent
        saved = max(0, withoutProxy - sent)
        ways = [
            count(.hit) + count(Outcome.stale) + count(AvoidedFetch.stored), count(.joined),
            count(Outcome.composed) + count(AvoidedFetch.composed), count(.batched), count(.shared),
        ]
    }

    public subscript(figure: Figure) -> Int {
        switch figure {
        case .withoutProxy: withoutProxy
        case .sent: sent
        case .saved: saved
        case .hits, .joining, .composing, .batching, .nodes: ways[figure.rawValue - Figure.hits.rawValue]
        case .extra: max(0, sent - max(0, withoutProxy - ways.reduce(0, +)))
        }
    }

    /// Raises the totals that are shown as counters to those of `earlier`.
    mutating func keep(_ earlier: OriginSavings) {
        withoutProxy = max(withoutProxy, earlier.withoutProxy)
        saved = max(saved, earlier.saved)
    }

    /// Combines the counts of two times, each with its counterpart: their sum, or their difference.
    public func combined(_ other: OriginSavings, _ operation: (Int, Int) -> Int) -> OriginSavings {
        var result = self
        result.withoutProxy = operation(withoutProxy, other.withoutProxy)
        (result.sent, result.saved) = (operation(sent, other.sent), operation(saved, other.saved))
        result.ways = zip(ways, other.ways).map(operation)
        return result
    }
}

/// The largest savings seen, so that sums of counters which are read one after the other never go
/// back.
public final class SavingsFloor: Sendable {
    private let largest = Mutex(OriginSavings())

    public init() {}

    func raised(to savings: OriginSavings) -> OriginSavings {
        largest.withLock { largest in
            var savings = savings
            savings.keep(largest)
            largest = savings
            return savings
        }
    }
}

/// Hits of hits and misses. Bypasses and refusals are neither: no cache could have answered them.
public struct HitRatio: Sendable, Equatable {
    public let hits: Int
    public let misses: Int

    public init(hits: Int, misses: Int) { (self.hits, self.misses) = (hits, misses) }

    public init(_ count: (Outcome) -> Int) {
        func sum(_ side: Outcome.Side) -> Int { Outcome.allCases.reduce(0) { $0 + ($1.side == side ? count($1) : 0) } }
        self.init(hits: sum(.hit), misses: sum(.miss))
    }

    /// From 0 to 1; nil without any.
    public var value: Double? { hits + misses > 0 ? Double(hits) / Double(hits + misses) : nil }

    /// The value as every view of a running proxy shows it: to a thousandth.
    public var shown: Double? { Figure.perMille(hits, of: hits + misses).map { Double($0) / 1000 } }
}
