import Freshness
import Text

/// How a request was answered, in one word (`meaning`): what latencies are told apart by. Every
/// request has exactly one; preflights have none.
public enum Outcome: Int, CaseIterable, Sendable {
    case hit, composed, stale, revalidated, collapsed, miss, staleIfError, bypass, failed, refused

    private static let words = CaseWords<Self>(separator: "-")

    public var name: String { Self.words[self] }

    /// Its count where only hits and misses are told apart.
    public enum Side: Sendable {
        /// Answered without waiting for the origin.
        case hit
        /// Waited for the origin.
        case miss
        /// Nothing that a cache could have answered, or was asked to.
        case neither
    }

    /// One definition for every hit ratio: hits of hits and misses.
    public var side: Side {
        switch self {
        case .hit, .composed, .stale: .hit
        case .revalidated, .collapsed, .miss, .staleIfError, .failed: .miss
        case .bypass, .refused: .neither
        }
    }

    /// One line for documentation.
    public var meaning: String {
        switch self {
        case .hit: "out of the cache, fresh"
        case .composed: "built out of other stored answers"
        case .stale: "out of the cache past its freshness, at once"
        case .revalidated: "stored, and confirmed by the origin while the client waited"
        case .collapsed: "by what another client's request brought"
        case .miss: "by the origin"
        case .staleIfError: "out of the cache, in place of an error that the client waited for"
        case .bypass: "by the origin, because no cache may answer it"
        case .failed: "by an error in the origin's place"
        case .refused: "by an error of the proxy's own, before the origin was thought of"
        }
    }
}

extension CacheStatus {
    /// The same in one word.
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
        case .stored(_, nil), .no(nil): isConfirmation ? .revalidated : reason.isBypass ? .bypass : .miss
        case .stored, .no: reason.isBypass ? .bypass : .miss
        }
    }

    private var isConfirmation: Bool { reason == .stale && status == 304 }
}
