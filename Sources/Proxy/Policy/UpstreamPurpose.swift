import Text

/// Why a request is sent to the origin, in one word.
public enum UpstreamPurpose: Int, CaseIterable, Sendable {
    /// Nothing usable is stored.
    case miss
    /// A stored answer is renewed or confirmed, in the background or while a client waits.
    case refresh
    /// The missing parts of a composed answer.
    case supplement
    /// A larger page, or more relationships, than the client wants: later requests are cut from it.
    case larger
    /// Misses of single resources in one `ids` request.
    case batch
    /// A composed answer is compared with the origin's.
    case verification
    /// A repeat of the request: after a 429, with another token, without gzip or validators.
    case retry
    /// The answer belongs to one user and is not kept.
    case personal
    /// No answer is kept: a write, `ttl off`, or one within ten minutes was not stored.
    case unstored

    private static let words = CaseWords<Self>(separator: "-")

    /// The word in statistics and metrics.
    public var name: String { Self.words[self] }

    /// Whether it asks for the target that a client named.
    var isOwnTarget: Bool {
        switch self {
        case .supplement, .larger, .batch, .verification: false
        case .miss, .refresh, .retry, .personal, .unstored: true
        }
    }
}
