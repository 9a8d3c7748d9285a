// Why a request was not simply a hit, why an answer was not stored, how a wait for the origin
// ended: one list for `Cache-Status`, the access log, the counters and the documentation.
// Must hold: a word never changes its meaning; a case's name is its word.

import Text

/// A reason of an outcome. All surfaces show its `text`.
public enum Reason: UInt8, CaseIterable, Error, Sendable {
    // MARK: Why the origin is asked

    /// Nothing is stored under the key.
    case absent
    /// Stored answers for the target are for requests with other fields (RFC 9111 4.1).
    case absentVariant
    /// The stored answer is no longer fresh.
    case stale
    /// The stored answer is no longer fresh, and a later one has shown something else.
    case superseded
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
    /// A part of the answer is stored: the rest is fetched.
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
    case `private`
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
    /// A 200 under an operator's rule that has errors beside its content, and lacks what they are
    /// about.
    case incomplete
    /// A 404 or 410 for a resource that a fresh stored answer names, or for the page after it.
    case contradicted

    // MARK: How an answer was composed

    /// The included resources were put into a stored answer without them.
    case composed
    /// Parts that were not asked for were left out of a stored answer.
    case reduced
    /// The answer was made of single resources, each of which came from an answer of its own.
    case split
    /// A page was cut out of stored pages of other bounds.
    case window
    /// It was fetched together with answers to other requests.
    case batched

    // MARK: Whose request brought an answer

    /// Another node's, by way of the shared tier.
    case shared

    // MARK: How a stored answer was used although it was not fresh

    /// Served at once and refreshed in the background.
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
    /// 403: a write whose user only a cookie names, and which no page of this host sent.
    case crossSite
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
    /// The client's key or address holds its share of the connections to the origin, or of the
    /// memory of those who wait.
    case shareUsed
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
    /// The answer is no HTTP/1.1, or belongs to nothing that was asked.
    case upstreamMalformed
    /// 401 or 403 to a request that the proxy makes as its own: the origin refuses its developer
    /// token.
    case upstreamRefused
}

extension Reason {
    /// The table of all reasons, with the consequences of each for `Cache-Status`, the counters and
    /// `explain`.
    private var role: Role {
        switch self {
        case .absent: .asks(.uriMiss, "No usable answer is stored.")
        case .absentVariant:
            .asks(.varyMiss, "Answers are stored only for other values of the request fields that select them (Vary).")
        case .stale:
            .asks(
                .stale, "The stored answer is stale and must be confirmed by the origin before it is served.")
        case .superseded:
            .asks(.stale, "The stored answer is stale, and a newer answer to another request contradicts it.")
        case .method: .bypasses(.method, "This method cannot be answered from a cache.")
        case .personal:
            .bypasses(.bypass, "The answer is personal, and personal answers are not stored.")
        case .requestContent: .bypasses(.bypass, "The request has content, which is not part of the cache key.")
        case .off: .bypasses(.bypass, "The ttl line of its class is off.")
        case .requestNoStore: .bypasses(.request, "The request forbids storing (no-store).")
        case .requestNoCache: .asks(.request, "The request requires an answer from the origin (no-cache).")
        case .requestMaxAge: .asks(.request, "The request requires a fresher answer than the stored one.")
        case .partial: .asks(.partial, "A part of the answer is stored.")
        case .unprovenToken: .asks(.request, "The origin has not recently accepted the client's token.")
        case .unconfirmed:
            .bypasses(.bypass, "The shared tier cannot tell whether the user has written on another node.")
        case .composed, .reduced, .split, .window, .batched: .composes
        case .staleWhileRevalidate, .staleIfError, .requestMaxStale: .usesStale
        case .revalidated: .confirms
        case .queueFull, .waitedTooLong, .shareUsed, .heldBack, .draining, .clientLeft, .slowReader:
            .fails(isOfTheProxy: true)
        case .onlyIfCached, .upstreamError, .upstreamResolve, .upstreamConnect, .upstreamTLS, .upstreamConnectTimeout,
            .upstreamFirstByteTimeout, .upstreamContentTimeout, .upstreamTimeout, .upstreamClosed, .upstreamMalformed,
            .upstreamRefused:
            .fails(isOfTheProxy: false)
        case .unauthorized, .rateLimited, .serverError, .partialContent, .status, .noStore, .private, .authorization,
            .vary, .noFreshness, .setCookie, .contentCoding, .tooLarge, .outdated, .noAnswer, .incomplete,
            .contradicted, .shared, .clientKeyMissing, .clientKeyUnknown, .clientRate, .crossSite, .invalidRequest:
            .saysNoMore
        }
    }

    /// The consequences of a reason.
    private enum Role {
        /// The origin is asked; a sentence for people.
        case asks(Forward, StaticString)
        /// The origin is asked because no cache may answer the request.
        case bypasses(Forward, StaticString)
        case composes
        case usesStale
        case confirms
        /// No usable answer of the origin's came.
        case fails(isOfTheProxy: Bool)
        /// Nothing follows from it.
        case saysNoMore
    }

    /// The `fwd` parameter (RFC 9211 2.2).
    enum Forward: Int, CaseIterable {
        case uriMiss, varyMiss, stale, request, bypass, method, partial

        static let words = CaseWords<Self>(separator: "-")

        /// A reason for which it is written, where a field says no more.
        var reason: Reason {
            switch self {
            case .uriMiss: .absent
            case .varyMiss: .absentVariant
            case .stale: .stale
            case .request: .requestNoCache
            case .bypass: .off
            case .method: .method
            case .partial: .partial
            }
        }
    }

    private static let words = CaseWords<Self>(separator: "-")

    /// The `detail` parameter of `Cache-Status`, and the word in logs and counters.
    public var text: String { Self.words[self] }

    /// Nil where there is no such word.
    public init?(text: String) {
        guard let found = Self.words.find(text) else { return nil }
        self = found
    }

    /// Whether the origin is not to blame: the proxy had no turn for the request, or its client did
    /// not wait for the answer.
    public var isOfTheProxy: Bool { if case .fails(isOfTheProxy: true) = role { true } else { false } }

    /// Whether no usable answer of the origin's came.
    public var isFailure: Bool { if case .fails = role { true } else { false } }

    /// Whether it says that a stored answer was used past its freshness.
    public var isUseOfStale: Bool { if case .usesStale = role { true } else { false } }

    /// Whether a 200 was not stored because of its content.
    public var isAboutContent: Bool { self == .noAnswer || self == .incomplete }

    /// Whether it says how an answer was composed.
    public var isComposition: Bool { if case .composes = role { true } else { false } }

    /// Whether it says that no cache may answer the request.
    public var isBypass: Bool { if case .bypasses = role { true } else { false } }

    /// The part of an answer that keeps it from being stored although its status does not, for
    /// people; nil for other reasons.
    public var causeOfOrigin: String? {
        switch self {
        case .vary: "a Vary that no cache key can hold"
        case .contentCoding: "a content coding that was not requested"
        case .noStore: "no-store"
        case .private: "private"
        case .authorization: "nothing that lets answers to requests with Authorization be shared"
        case .noFreshness: "neither a lifetime nor a validator"
        case .setCookie: "a cookie, and not fresh for everyone"
        default: nil
        }
    }

    /// Why the origin is asked, for people; nil for the reasons that come up later.
    public var sentence: String? {
        switch role {
        case .asks(_, let sentence), .bypasses(_, let sentence): sentence.description
        default: nil
        }
    }

    /// The `fwd` parameter for a request that goes to the origin for this reason.
    var forward: Forward {
        switch role {
        case .asks(let forward, _), .bypasses(let forward, _): forward
        case .usesStale, .confirms: .stale
        case .composes, .fails, .saysNoMore: .uriMiss
        }
    }
}
