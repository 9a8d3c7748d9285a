import Cache
import Freshness
import HTTP

/// A request that has been answered.
struct AnsweredRequest {
    let status: Int
    /// Bytes of content that went to the client.
    let contentLength: Int
    /// The cache's part; nil where it was not asked.
    let cacheStatus: CacheStatus?
    /// The key under which the answer is, or would be, stored; nil where the target was malformed
    /// or belongs to one client alone.
    let key: CacheKey?
    /// Written in place of the target where the target is private, or no target.
    let template: String?
    /// The origin's part.
    var asked = Asked()
    /// Why it was refused, where the reason does not say it all; lower-case words and hyphens.
    var cause: StaticString?

    /// The bytes of content that are sent to a client: none in answer to HEAD.
    static func contentLength(_ count: Int, to method: Method) -> Int { method == .head ? 0 : count }

    /// The outcome in the words of `Cache-Status`: `hit`, or why the origin was asked.
    var word: String {
        switch cacheStatus {
        case nil: "refused"
        case .hit: "hit"
        case .forwarded(let forwarded): forwarded.reason.text
        case .refused(let reason): reason.text
        }
    }

    /// The word after `word` in the log.
    var logDetail: String? { cause?.description ?? detail?.text }

    /// The `detail` of `Cache-Status`, where it is another word.
    var detail: Reason? {
        switch cacheStatus {
        case nil, .refused: nil
        case .hit(_, let detail): detail
        case .forwarded(let forwarded): forwarded.detail == forwarded.reason ? nil : forwarded.detail
        }
    }

    var outcome: Outcome { cacheStatus?.outcome ?? .refused }

    /// Requests to the origin for one of a client's, by the time of its answer.
    struct Asked {
        /// Requests that were sent.
        var sent = 0
        /// How long the origin took for the latest of them, so far if it has not answered; nil
        /// without any, and for a refresh, for which the client does not wait.
        var time: Duration?
        /// Whether the client had left, so that no answer went out.
        var isClientGone = false
    }
}
