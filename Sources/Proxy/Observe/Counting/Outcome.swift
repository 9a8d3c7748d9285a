import Freshness
import Text

/// How a request was answered, in one word (`meaning`). Latencies are kept by it. Every request has
/// exactly one; preflights have none.
public enum Outcome: Int, CaseIterable, Sendable {
    case hit, composed, stale, revalidated, collapsed, miss, staleIfError, bypass, failed, refused

    private static let words = CaseWords<Self>(separator: "-")

    public var name: String { Self.words[self] }

    /// The side on which an outcome counts where only hits and misses are told apart.
    public enum Side: Sendable {
        /// Answered without waiting for the origin.
        case hit
        /// Waited for the origin.
        case miss
        /// Nothing that a cache could have answered, or was asked to.
        case neither
    }

    /// The side of this outcome, which defines every hit ratio: hits of hits and misses.
    public var side: Side {
        switch self {
        case .hit, .composed, .stale: .hit
        case .revalidated, .collapsed, .miss, .staleIfError, .failed: .miss
        case .bypass, .refused: .neither
        }
    }

    /// The outcome's meaning on one line, for documentation.
    public var meaning: String {
        switch self {
        case .hit: "from the cache, fresh"
        case .composed: "composed from other stored answers"
        case .stale: "from the cache, stale, without waiting"
        case .revalidated: "from the cache, once the origin confirmed it"
        case .collapsed: "with another request's answer"
        case .miss: "by the origin"
        case .staleIfError: "from the cache, stale: the origin failed"
        case .bypass: "by the origin, never from a cache"
        case .failed: "with an error in place of the origin's answer"
        case .refused: "rejected; the origin was not asked"
        }
    }
}

extension CacheStatus {
    /// The status in one word.
    public var outcome: Outcome {
        switch self {
        case .hit(let ttl, nil): ttl < 0 ? .stale : .hit
        case .hit(_, .some(let detail)): detail.isUseOfStale ? .stale : detail.isComposition ? .composed : .hit
        case .forwarded(let forwarded): forwarded.outcome
        case .refused: .refused
        }
    }
}

extension CacheStatus.Forwarded {
    fileprivate var outcome: Outcome {
        switch storing {
        case .no(.staleIfError?): .staleIfError
        case .no(.some(let detail)) where detail.isFailure: .failed
        case _ where isCollapsed: .collapsed
        case .stored(_, .shared?): .collapsed
        case .stored(_, .revalidated?): .revalidated
        // Another program's cache.
        case .stored(_, nil), .no(nil):
            reason == .stale && status == 304 ? .revalidated : reason.isBypass ? .bypass : .miss
        case .stored, .no: reason.isBypass ? .bypass : .miss
        }
    }
}
