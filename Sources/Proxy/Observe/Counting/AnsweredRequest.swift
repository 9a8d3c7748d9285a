import Cache
import HTTP

/// What is known of a request when it has been answered.
struct AnsweredRequest {
    let status: Int
    /// Bytes of content that went to the client.
    let contentLength: Int
    /// What the cache did; nil where it was not asked.
    let cacheStatus: CacheStatus?
    /// The key under which the answer is, or would be, stored; nil where the target was malformed
    /// or belongs to one client alone.
    let key: CacheKey?
    /// Written in place of the target where the target is private, or no target.
    let template: StaticString?
    /// How long the origin took; nil where it was not asked for this request.
    let upstreamTime: Duration?

    /// - Parameters:
    ///   - method: the client's: an answer to HEAD has no content.
    ///   - contentLength: of the content that there is.
    @inline(__always)  // because a call here is fifty instructions of a hit
    init(
        to method: Method, status: Int, contentLength: Int, cacheStatus: CacheStatus?, key: CacheKey?,
        template: StaticString?, upstreamTime: Duration?
    ) {
        self.status = status
        self.contentLength = method == .head ? 0 : contentLength
        self.cacheStatus = cacheStatus
        self.key = key
        self.template = template
        self.upstreamTime = upstreamTime
    }

    /// What happened, in the words of `Cache-Status`: `hit`, or why the origin was asked.
    var word: StaticString {
        switch cacheStatus {
        case nil: "refused"
        case .hit: "hit"
        case .forwarded(let forwarded): forwarded.reason.word
        case .refused(let reason): reason.word
        }
    }

    /// The `detail` of `Cache-Status`, where it is another word.
    var detail: Reason? {
        switch cacheStatus {
        case nil, .refused: nil
        case .hit(_, let detail): detail
        case .forwarded(let forwarded): forwarded.detail == forwarded.reason ? nil : forwarded.detail
        }
    }

    var outcome: Outcome { cacheStatus?.outcome ?? .refused }
}

extension CacheStatus.Forwarded {
    fileprivate var detail: Reason? {
        switch storing {
        case .stored(_, let detail): detail
        case .no(let detail): detail
        }
    }
}
