// Why a response was not stored: one list for Cache-Status `detail`, the access log, the metrics and the documentation.

/// Why a response was not stored. The raw value is the word used wherever a reason is shown; it never changes meaning.
public enum NotStoredReason: String, CaseIterable, Error, Sendable {
    /// The request was not a GET.
    case method = "method"
    /// The class has `ttl ... off`.
    case ruleOff = "rule-off"
    /// The request belongs to one user and the class is personal and off, which is the default.
    case personal = "personal"
    /// The client said `no-store`.
    case requestNoStore = "request-no-store"
    /// 401 or 403: about the credentials of one moment.
    case unauthorized = "unauthorized"
    /// 429: about the load of one moment.
    case rateLimited = "rate-limited"
    /// 5xx under a fixed rule, or without explicit freshness.
    case serverError = "server-error"
    /// 206: parts of answers are not stored.
    case partialContent = "partial-content"
    /// Another status that the rule does not keep.
    case status = "status"
    /// The origin said `no-store`.
    case noStore = "no-store"
    /// The origin said `private`, and this is a shared cache.
    case isPrivate = "private"
    /// The request carried Authorization and the origin did not allow sharing (RFC 9111 3.5).
    case authorization = "authorization"
    /// The answer depends on request fields that are not part of the key.
    case vary = "vary"
    /// Nothing says how long it is fresh, or it came stale, and there is no validator to ask with.
    case noFreshness = "no-freshness"

    /// The word for logs and fields.
    public var text: String { rawValue }
}
