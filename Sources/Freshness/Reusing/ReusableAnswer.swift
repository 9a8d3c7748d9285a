import HTTP

// An answer that may be used again, as the rules of reuse see it (RFC 9111 4).
// Must hold: the questions of a plain hit are inlined into its caller and call nothing.

/// A stored answer, apart from its key and its place.
public protocol ReusableAnswer {
    var status: Int { get }
    /// Wire-ready: status line and fields, each with CR LF.
    var head: [UInt8] { get }
    /// The field lines in `head`.
    var fields: ArraySlice<UInt8> { get }
    /// Read off `head`, whose offsets they are.
    var validators: Validators { get }
    /// The length of the content.
    var bodyCount: Int { get }
    /// Unix seconds at which the answer came, or was last confirmed.
    var receivedAt: Int64 { get }
    /// How long it may be used.
    var lifetime: Lifetime { get }
}

extension ReusableAnswer {
    /// The current age in seconds, as the `Age` field has it.
    @inlinable
    public func age(at unixSeconds: Int64) -> Int { lifetime.age(since: receivedAt, at: unixSeconds) }

    /// Whether it may be served because the origin failed (stale-if-error, or our own rule).
    /// Without a known age it counts as just gone stale.
    public func canStandIn(at unixSeconds: Int64) -> Bool {
        let window = max(lifetime.staleFor, lifetime.staleIfErrorFor)
        let isAgeUnknown = lifetime.isAgeUnknown(since: receivedAt, at: unixSeconds)
        return isAgeUnknown ? window > 0 : age(at: unixSeconds) < lifetime.freshFor + window
    }

    /// Whether it may be served without asking.
    @inlinable
    public func isFresh(at unixSeconds: Int64) -> Bool {
        if case .fresh = Freshness.of(self, at: unixSeconds) { true } else { false }
    }

    /// Whether a client that accepts stale answers may have it stale (RFC 9111 4.2.4): not where
    /// the origin forbids it.
    public var allowsStale: Bool { max(lifetime.staleFor, lifetime.staleIfErrorFor) > 0 }

    /// For how many seconds it is still useful; 0 where it is not.
    public func usefulFor(at unixSeconds: Int64) -> Int {
        max(lifetime.greatestUsefulAge - age(at: unixSeconds), 0)
    }

    /// Whether it is still useful; a useless answer is removed when it is found.
    @inlinable
    public func isUseful(at unixSeconds: Int64) -> Bool { age(at: unixSeconds) < lifetime.greatestUsefulAge }

    /// Whether the origin can be asked to confirm it with a 304.
    public var isRevalidatable: Bool { validators.canBeAsked }

    /// `If-None-Match` and `If-Modified-Since` lines that ask the origin to confirm it (RFC 9111
    /// 4.3.1); empty without a validator of the origin's own.
    public var preconditionLines: [UInt8] {
        var lines: [UInt8] = []
        func append(_ name: StaticString, _ value: ByteRange) {
            name.withUTF8Buffer { lines.append(contentsOf: $0) }
            lines.append(contentsOf: head[value.range])
            lines.append(contentsOf: "\r\n".utf8)
        }
        if validators.originTag != nil { append("If-None-Match: ", validators.tagValue) }
        if validators.lastModified != nil { append("If-Modified-Since: ", validators.lastModifiedValue) }
        return lines
    }
}
