import Cache

/// Why a request was not simply a hit, or an answer not stored: one list for `Cache-Status`, the log, the counters and
/// the documentation.
public enum Reason: UInt8, CaseIterable, Sendable {
    /// Nothing is stored under the key.
    case absent
    /// What is stored is no longer fresh.
    case stale
    /// The method is not one that a cache answers.
    case method
    /// The answer belongs to one user.
    case personal
    /// A GET or HEAD with content, which is no part of the key.
    case content
    /// The operator switched this class off.
    case off
    /// The client forbade storing.
    case requestNoStore
    /// The client asked for an answer from the origin.
    case requestNoCache
    /// The client wants it fresher than it is.
    case requestMaxAge

    /// The `fwd` parameter of RFC 9211 2.2.
    public var forward: StaticString {
        switch self {
        case .absent: "uri-miss"
        case .stale: "stale"
        case .method: "method"
        case .personal, .content, .off: "bypass"
        case .requestNoStore, .requestNoCache, .requestMaxAge: "request"
        }
    }

    /// The name as a value.
    public var text: String { name.description }

    /// The `detail` parameter, and the name in logs and counters.
    public var name: StaticString {
        switch self {
        case .absent: "absent"
        case .stale: "stale"
        case .method: "method"
        case .personal: "personal"
        case .content: "request-content"
        case .off: "off"
        case .requestNoStore: "request-no-store"
        case .requestNoCache: "request-no-cache"
        case .requestMaxAge: "request-max-age"
        }
    }
}
