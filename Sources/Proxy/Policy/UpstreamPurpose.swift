import Text

/// Why a request is sent to the origin: one word for each (`meaning`).
public enum UpstreamPurpose: Int, CaseIterable, Sendable {
    case miss, refresh, supplement, larger, batch, verification, retry, personal, unstored

    private static let words = CaseWords<Self>(separator: "-")

    /// The word in statistics and metrics.
    public var name: String { Self.words[self] }

    /// One line for documentation.
    public var meaning: String {
        switch self {
        case .miss: "nothing usable is stored"
        case .refresh: "a stored answer is renewed or confirmed, in the background or while a client waits"
        case .supplement: "the part that an answer lacks which is composed of stored ones"
        case .larger: "a larger page, or more relationships, than the client asked for, for later requests"
        case .batch: "misses of several clients as one ids request"
        case .verification: "a composed answer is compared with the origin's"
        case .retry: "sent again: after a 429, with another token, without gzip or without validators"
        case .personal: "the answer belongs to one user and is not kept"
        case .unstored: "no answer is kept: a write, ttl off, or the last answer could not be stored"
        }
    }

    /// Whether it asks for the target that a client named.
    var isOwnTarget: Bool {
        switch self {
        case .supplement, .larger, .batch, .verification: false
        case .miss, .refresh, .retry, .personal, .unstored: true
        }
    }
}
