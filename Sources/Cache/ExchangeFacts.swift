import HTTP

// What a store decision needs to know of a request and its response, as plain values.

/// What the decision needs to know of the request.
public struct RequestFacts: Sendable, Equatable {
    /// Whether the method is GET; answers to others are not stored, but for the following.
    public var isGet = true
    /// Whether the method is POST and the answer says, by a Content-Location that is the request's
    /// own target, that it is what a GET would have got (RFC 9110 9.3.3).
    public var isPostOfItsOwnContent = false
    /// Whether it belongs to one user: a token, or a personal route.
    public var isPersonal = false
    /// Whether the request *as the origin saw it* carried the client's own Authorization (RFC 9111
    /// 3.5). The proxy's own developer token does not count: it is the same for every client.
    public var requestCarriedAuthorization = false
    /// The client's directives.
    public var cacheControl = CacheControl()

    public init() {}
}

/// What the decision needs to know of the response. Dates are unix seconds.
public struct ResponseFacts: Sendable, Equatable {
    /// `Expires`, where a value that is no date, or a second line, means the past (RFC 9111 5.3).
    public enum Expires: Sendable, Equatable {
        case absent
        case invalid
        case at(Int64)
    }

    /// The status code.
    public var status: Int
    /// The origin's directives for everybody; see `directives`.
    public var cacheControl = CacheControl()
    /// Its directives for caches like this one (RFC 9213).
    var targeted = TargetedCacheControl()
    /// `Age` in seconds; nil where absent or not a number.
    public var age: Int?
    /// Whether an `Age` line was seen: of several the first counts, even if it is no number.
    var hasReadAge = false
    /// `Date`; nil where absent or no date. Of several the first that is one counts, as for
    /// `lastModified`.
    public var date: Int64?
    /// Not what counts where `targeted` does; see `effectiveExpires`.
    public var expires = Expires.absent
    /// `Last-Modified`; nil where absent or no date.
    public var lastModified: Int64?
    public var vary = Vary()
    /// Whether there is an `ETag` of the origin's own that it can be asked with.
    public var hasEntityTag = false
    /// Whether an `ETag` line was seen: of several the first that is not empty counts, as in
    /// `Validators`.
    var hasReadEntityTag = false
    /// Whether there is a Set-Cookie.
    public var setsCookie = false
    /// Seconds between sending the request and receiving the response (RFC 9111 4.2.3
    /// `response_delay`).
    public var responseDelay = 0

    /// A response of which nothing but the status is known yet.
    public init(status: Int) {
        self.status = status
    }

    /// The directives that count here.
    public var directives: CacheControl { targeted.directives ?? cacheControl }
    /// `Expires`, where it counts (RFC 9213 2.1).
    var effectiveExpires: Expires { targeted.directives == nil ? expires : .absent }

    /// Whether the origin can be asked for a 304.
    var hasValidator: Bool { hasEntityTag || lastModified != nil }

    /// Whether the origin said for how long it is fresh.
    var hasExplicitFreshness: Bool {
        directives.sMaxAge != nil || directives.maxAge != nil || effectiveExpires != .absent
    }
}
