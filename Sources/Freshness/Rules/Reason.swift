// Why a request was not simply a hit, why an answer was not stored, how a wait for the origin
// ended: one list for `Cache-Status`, the access log, the counters and the documentation.
// Must hold: a word never changes its meaning, and no two cases share one.

/// One reason. `word` is what is shown wherever a reason is shown.
public enum Reason: UInt8, CaseIterable, Error, Sendable {
    // MARK: Why the origin is asked

    /// Nothing is stored under the key.
    case absent
    /// What is stored for the target answers requests with other fields (RFC 9111 4.1).
    case absentVariant
    /// What is stored is no longer fresh.
    case stale
    /// The method is not one that a cache answers.
    case method
    /// The request belongs to one user, and `ttl personal` is off.
    case personal
    /// A GET or HEAD with content, which is no part of the key.
    case requestContent
    /// The operator switched this class off, or refuses paths outside of the API (404).
    case off
    /// The client forbade storing.
    case requestNoStore
    /// The client asked for an answer from the origin.
    case requestNoCache
    /// The client wants it fresher than it is.
    case requestMaxAge
    /// Some of what is asked for is stored: the rest is fetched.
    case partial
    /// It is stored, but the client shows no token that the origin has accepted of late.
    case unprovenToken
    /// The shared tier does not say whether the user has written on another node.
    case unconfirmed

    // MARK: Why an answer was not stored

    /// 401 or 403: about the credentials of one moment.
    case unauthorized
    /// 429: about the load of one moment.
    case rateLimited
    /// 5xx under a fixed rule, without explicit freshness, or where a stale answer is better.
    case serverError
    /// 206: parts of answers are not stored.
    case partialContent
    /// Another status that the rule does not keep.
    case status
    /// The origin said `no-store`.
    case noStore
    /// The origin said `private`, and this is a shared cache.
    case isPrivate
    /// The request carried Authorization and the origin did not allow sharing (RFC 9111 3.5).
    case authorization
    /// The answer depends on request fields that are not part of the key.
    case vary
    /// Nothing says how long it is fresh, or it came stale, and there is no validator to ask with.
    case noFreshness
    /// The answer sets a cookie, and the origin did not say that it is fresh for everyone.
    case setCookie
    /// The answer came in a content coding that was not asked for.
    case contentCoding
    /// The answer is too large to be collected; it was streamed.
    case tooLarge
    /// It was purged, or its target changed by an unsafe method, while it was on its way.
    case outdated
    /// A 200 under an operator's rule that is no answer of the API: empty, no JSON, cut, errors
    /// alone.
    case noAnswer
    /// A 404 or 410 for what a fresh stored answer names: a resource, or the page after it.
    case contradicted

    // MARK: How an answer was composed

    /// What it includes was put into a stored answer without it.
    case composed
    /// What it does not ask for was left out of a stored answer that has more.
    case reduced
    /// Each of the resources it asks for came from an answer of its own.
    case split
    /// A page was cut out of stored pages of other bounds.
    case window
    /// It was fetched together with what others asked for.
    case batched

    // MARK: Whose request brought an answer

    /// Another node's, by way of the shared tier.
    case shared

    // MARK: How a stored answer was used although it was not fresh

    /// Served at once and refreshed behind the answer.
    case staleWhileRevalidate
    /// Served because the origin failed.
    case staleIfError
    /// The origin confirmed it with a 304.
    case revalidated
    /// Fresh enough for a client that accepts stale answers (`max-stale`).
    case requestMaxStale

    // MARK: Why a request was refused here

    /// 401: no client key is presented.
    case clientKeyMissing
    /// 401: the key that is presented is none of the clients'.
    case clientKeyUnknown
    /// 429: the client has used up its rate.
    case clientRate
    /// 400, 405 or 508: a target, a method or user tokens that are not forwarded, or a request that
    /// has come back.
    case invalidRequest

    // MARK: Why there is no answer of the origin's

    /// The client wants a stored answer or none (`only-if-cached`).
    case onlyIfCached
    /// The budget's queue, or the pool's, is full.
    case queueFull
    /// The request waited too long for its turn, or for another client's request.
    case waitedTooLong
    /// The origin has asked for patience (429, or `Retry-After`): it is not asked for now.
    case heldBack
    /// The proxy stops.
    case draining
    /// The client left before its request had its turn.
    case clientLeft
    /// The client took a large answer so slowly that it held a connection from others.
    case slowReader
    /// The origin's answer is an error that the stored answer stands in for.
    case upstreamError
    case upstreamResolve
    case upstreamConnect
    case upstreamTLS
    case upstreamConnectTimeout
    case upstreamFirstByteTimeout
    case upstreamContentTimeout
    case upstreamTimeout
    case upstreamClosed
    /// Not HTTP/1.1, or an answer to something that was not asked.
    case upstreamMalformed
    /// 401 or 403 to a request that the proxy makes as its own: the origin refuses its developer
    /// token.
    case upstreamRefused
}

extension Reason {
    /// The `detail` parameter of `Cache-Status`, and the word in logs and counters.
    public var word: StaticString {
        switch self {
        case .absent: "absent"
        case .absentVariant: "absent-variant"
        case .stale: "stale"
        case .method: "method"
        case .personal: "personal"
        case .requestContent: "request-content"
        case .off: "off"
        case .requestNoStore: "request-no-store"
        case .requestNoCache: "request-no-cache"
        case .requestMaxAge: "request-max-age"
        case .partial: "partial"
        case .unprovenToken: "unproven-token"
        case .unconfirmed: "unconfirmed"
        case .unauthorized: "unauthorized"
        case .rateLimited: "rate-limited"
        case .serverError: "server-error"
        case .partialContent: "partial-content"
        case .status: "status"
        case .noStore: "no-store"
        case .isPrivate: "private"
        case .authorization: "authorization"
        case .vary: "vary"
        case .noFreshness: "no-freshness"
        case .setCookie: "set-cookie"
        case .contentCoding: "content-coding"
        case .tooLarge: "too-large"
        case .outdated: "outdated"
        case .noAnswer: "no-answer"
        case .contradicted: "contradicted"
        case .composed: "composed"
        case .reduced: "reduced"
        case .split: "split"
        case .window: "window"
        case .batched: "batched"
        case .shared: "shared"
        case .staleWhileRevalidate: "stale-while-revalidate"
        case .staleIfError: "stale-if-error"
        case .revalidated: "revalidated"
        case .requestMaxStale: "request-max-stale"
        case .clientKeyMissing: "client-key-missing"
        case .clientKeyUnknown: "client-key-unknown"
        case .clientRate: "client-rate"
        case .invalidRequest: "invalid-request"
        case .onlyIfCached: "only-if-cached"
        case .queueFull: "queue-full"
        case .waitedTooLong: "waited-too-long"
        case .heldBack: "held-back"
        case .draining: "draining"
        case .clientLeft: "client-left"
        case .slowReader: "slow-reader"
        case .upstreamError: "upstream-error"
        case .upstreamResolve: "upstream-resolve"
        case .upstreamConnect: "upstream-connect"
        case .upstreamTLS: "upstream-tls"
        case .upstreamConnectTimeout: "upstream-connect-timeout"
        case .upstreamFirstByteTimeout: "upstream-first-byte-timeout"
        case .upstreamContentTimeout: "upstream-content-timeout"
        case .upstreamTimeout: "upstream-timeout"
        case .upstreamClosed: "upstream-closed"
        case .upstreamMalformed: "upstream-malformed"
        case .upstreamRefused: "upstream-refused"
        }
    }

    /// Whether the origin is not to blame: the proxy had no turn for the request, or its client did
    /// not wait for the answer.
    public var isOfTheProxy: Bool {
        switch self {
        case .queueFull, .waitedTooLong, .heldBack, .draining, .clientLeft, .slowReader: true
        default: false
        }
    }

    /// Whether no usable answer of the origin's came.
    public var isFailure: Bool { self == .onlyIfCached || isOfTheProxy || rawValue >= Reason.upstreamError.rawValue }

    /// Whether it says that a stored answer was used past its freshness.
    public var isUseOfStale: Bool { self == .staleWhileRevalidate || self == .staleIfError || self == .requestMaxStale }

    /// Whether it says that no cache may answer the request.
    public var isBypass: Bool {
        switch self {
        case .method, .personal, .unconfirmed, .requestContent, .off, .requestNoStore: true
        default: false
        }
    }

    /// The word as a value.
    public var text: String { word.description }

    /// The `fwd` parameter of RFC 9211 2.2 for a request that goes to the origin for this reason.
    public var forward: StaticString {
        switch self {
        case .stale, .staleWhileRevalidate, .staleIfError, .revalidated: "stale"
        case .method: "method"
        case .personal, .unconfirmed, .requestContent, .off: "bypass"
        case .requestNoStore, .requestNoCache, .requestMaxAge, .unprovenToken: "request"
        case .absentVariant: "vary-miss"
        case .partial: "partial"
        default: "uri-miss"
        }
    }
}
