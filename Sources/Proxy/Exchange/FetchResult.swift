import Cache
import HTTP
import Upstream

/// How a request to the origin ended.
enum FetchResult {
    /// Stored, or confirmed by the origin.
    case stored(StoredResponse, originStatus: Int)
    /// The origin's answer, which was not stored.
    case unstored(UpstreamResponse, Reason)
    /// No usable answer.
    case failed(FetchFailure)
}

/// Why there is no usable answer, and what to tell a client that has no stale one.
struct FetchFailure: Sendable, Equatable {
    /// Of the answer that the proxy makes up.
    let status: Int
    let reason: Reason
    /// The origin's status; nil when it gave none.
    var originStatus: Int?
    /// Seconds after which another try is worth while; nil where nothing is known.
    var retryAfter: Int?
}

/// Who asked. Calls come on the loop of the fetch; after `ended`, `finished` and `broke` there are
/// none.
protocol FetchListener: AnyObject {
    /// Something to pass on before the answer; nothing of it is stored.
    func hinted(_ interim: UpstreamInterim)
    /// The answer, or that there is none, and how long the origin took where it answered.
    func ended(_ result: FetchResult, upstreamTime: Duration?)
    /// A large answer begins; false when nobody wants it any more. Its content comes by `received`.
    func began(_ response: UpstreamResponse) -> Bool
    /// More content; false to be given no more until `resume` is called.
    func received(_ bytes: [UInt8], resume: @escaping () -> Void) -> Bool
    /// The large answer is complete.
    func finished()
    /// The large answer broke off.
    func broke()
    /// Whether anybody still reads a large answer.
    var isReading: Bool { get }
}
