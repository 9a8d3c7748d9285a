import HTTP

// The facts of a request and its response that a store decision needs, as plain values.

/// The facts of the request.
public struct RequestFacts: Sendable, Equatable {
    /// Whether the method is GET; answers to others are not stored, but for the following.
    public var isGet = true
    /// Whether the method is POST and the answer says, by a Content-Location that is the request's
    /// own target, that a GET would have got the same (RFC 9110 9.3.3).
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

/// The facts of the response. Dates are unix seconds.
public struct ResponseFacts: Sendable, Equatable {
    /// `Expires`, where a value that is no date, or a second line, means the past (RFC 9111 5.3).
    enum Expires: Sendable, Equatable {
        case absent
        case invalid
        case at(Int64)
    }

    /// The status code.
    public internal(set) var status: Int
    /// The origin's directives for every recipient; see `directives`.
    public var cacheControl = CacheControl()
    /// The origin's directives for caches like this one (RFC 9213).
    var targeted = TargetedCacheControl()
    /// `Age` in seconds; nil where absent or not a number.
    public var age: Int?
    /// Whether an `Age` line was seen: of several the first counts, even if it is no number.
    var hasReadAge = false
    /// `Date`; nil where absent or no date. Of several the first that is one counts, as for
    /// `lastModified`.
    var date: Int64?
    /// Does not count where `targeted` does; see `effectiveExpires`.
    var expires = Expires.absent
    /// `Last-Modified`; nil where absent or no date.
    var lastModified: Int64?
    public var vary = Vary()
    /// Whether there is an `ETag` of the origin's own that it can be asked with.
    var hasEntityTag = false
    /// Whether an `ETag` line was seen: of several the first that is not empty counts, as in
    /// `Validators`.
    var hasReadEntityTag = false
    /// Whether there is a Set-Cookie.
    var setsCookie = false
    /// Seconds between sending the request and receiving the response (RFC 9111 4.2.3
    /// `response_delay`).
    public var responseDelay = 0
    /// The cache of this program that it came through, where it did.
    public var parent = ParentFacts()

    /// A response of which nothing but the status is known yet.
    public init(status: Int) {
        self.status = status
    }

    /// The directives that count here.
    var directives: CacheControl { targeted.directives ?? cacheControl }
    /// `Expires`, where it counts (RFC 9213 2.1).
    var effectiveExpires: Expires { targeted.directives == nil ? expires : .absent }

    /// Whether the origin can be asked for a 304.
    var hasValidator: Bool { hasEntityTag || lastModified != nil }

    /// The response's age when it came, as caches on its way say (RFC 9111 4.2.3).
    var correctedAge: Int { min(max(age ?? 0, 0), Lifetime.longest) + max(responseDelay, 0) }

    /// Whether the origin said for how long it is fresh.
    var hasExplicitFreshness: Bool {
        directives.sMaxAge != nil || directives.maxAge != nil || effectiveExpires != .absent
    }

    // MARK: Reading field lines (RFC 9111 5, RFC 9110 12.5.5)

    /// The facts that `Name: value\r\n` lines state.
    public init(status: Int, fields: Span<UInt8>) {
        self.init(status: status)
        var lines = FieldLines()
        while let line = lines.next(in: fields) { merge(line.id, fields.extracting(line.value)) }
    }

    /// Adds the facts of one field line: `value` without surrounding white space, lines in the
    /// order of the origin. Fields that no decision rests on are ignored.
    public mutating func merge(_ id: FieldName, _ value: Span<UInt8>) {
        switch id {
        case .cacheControl: cacheControl.merge(value)
        case .cdnCacheControl: targeted.merge(value)
        case .age: mergeAge(value)
        case .date: date = date ?? HTTPDate.parse(value)
        case .expires: mergeExpires(value)
        case .lastModified: lastModified = lastModified ?? HTTPDate.parse(value)
        case .etag: mergeEntityTag(value)
        case .vary: vary.merge(value)
        case .setCookie: setsCookie = true
        case .via: parent.merge(via: value)
        case .cacheStatus: parent.merge(cacheStatus: value)
        default: break
        }
    }

    /// The first of several values counts, and one that is no number counts as none (RFC 9111 5.1).
    private mutating func mergeAge(_ value: Span<UInt8>) {
        guard !hasReadAge else { return }
        hasReadAge = true
        var elements = ListElements(of: value)
        age = elements.next(in: value).flatMap { DeltaSeconds.parse(value, $0.range) }
    }

    private mutating func mergeExpires(_ value: Span<UInt8>) {
        guard expires == .absent, let date = HTTPDate.parse(value) else {
            expires = .invalid
            return
        }
        expires = .at(date)
    }

    /// Reads an `ETag`; a tag counts if the origin would understand it in a condition.
    private mutating func mergeEntityTag(_ value: Span<UInt8>) {
        guard !hasReadEntityTag, !value.isEmpty else { return }
        hasReadEntityTag = true
        hasEntityTag = EntityTag(value, 0..<value.count) != nil && !OwnTag.isOwn(value, 0..<value.count)
    }
}
