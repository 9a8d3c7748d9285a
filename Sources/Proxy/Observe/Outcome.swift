import Cache

/// How a request was answered, in one word: what latencies are told apart by. Every request has exactly one; preflights have
/// none.
public enum Outcome: Int, CaseIterable, Sendable {
    /// Out of the cache, fresh.
    case hit
    /// Built out of other stored answers, now or before.
    case composed
    /// Out of the cache past its freshness, also where the origin failed.
    case stale
    /// Stored, and confirmed by the origin with a 304 while the client waited.
    case revalidated
    /// By what another client's request brought.
    case collapsed
    /// By the origin.
    case miss
    /// By the origin, because no cache may answer it.
    case bypass
    /// Not at all: the origin gave no usable answer, or could not be asked.
    case failed
    /// By an error of the proxy's own, before the origin was thought of.
    case refused

    public var word: StaticString {
        switch self {
        case .hit: "hit"
        case .composed: "composed"
        case .stale: "stale"
        case .revalidated: "revalidated"
        case .collapsed: "collapsed"
        case .miss: "miss"
        case .bypass: "bypass"
        case .failed: "failed"
        case .refused: "refused"
        }
    }

    public var name: String { word.description }

    /// One line for documentation.
    public var meaning: String {
        switch self {
        case .hit: "out of the cache, fresh"
        case .composed: "built out of other stored answers"
        case .stale: "out of the cache past its freshness, also in place of an error"
        case .revalidated: "stored, and confirmed by the origin while the client waited"
        case .collapsed: "by what another client's request brought"
        case .miss: "by the origin"
        case .bypass: "by the origin, because no cache may answer it"
        case .failed: "by an error in the origin's place"
        case .refused: "by an error of the proxy's own, before the origin was thought of"
        }
    }
}

extension CacheStatus {
    /// The same in one word.
    var outcome: Outcome {
        switch self {
        case .hit(_, nil): .hit
        case .hit(_, .some(let detail)): detail.isUseOfStale ? .stale : .composed
        case .forwarded(let forwarded): forwarded.outcome
        case .refused: .refused
        }
    }
}

extension CacheStatus.Forwarded {
    fileprivate var outcome: Outcome {
        switch storing {
        case .no(.staleIfError): .stale
        case .no(let detail) where detail.isFailure: .failed
        case _ where isCollapsed: .collapsed
        case .stored(_, .revalidated): .revalidated
        case _ where reason.isBypass: .bypass
        default: .miss
        }
    }
}
