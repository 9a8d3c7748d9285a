// How long a stored response may be used, and for what. All in seconds from the moment the response
// came.
// Must hold: no member but `freshFor` is negative, and none is further from zero than
// `Lifetime.longest`, so sums of them cannot overflow.

/// The times that a store decision grants a response.
public struct Lifetime: Hashable, Sendable {
    /// The freshness lifetime (RFC 9111 4.2.1): served without asking until its age reaches this.
    /// Negative where its freshness had ended before it was made: its `Expires` is before its
    /// `Date`, and it has been stale since then.
    public let freshFor: Int
    /// Beyond that, may be served while it is revalidated in the background (RFC 5861 3).
    public let staleFor: Int
    /// Beyond freshness, may be served where the origin fails: 429, 5xx, timeouts, no connection
    /// (RFC 5861 4, RFC 9111 4.2.4).
    public let staleIfErrorFor: Int
    /// Beyond freshness, kept because a validator lets the origin confirm it with a 304, even if
    /// never served stale.
    public let keepFor: Int
    /// The corrected initial age (RFC 9111 4.2.3): how old the response was when it came.
    public let initialAge: Int

    /// 68 years; RFC 9111 1.2.2 lets a cache take anything above 2^31 for 2^31.
    @inlinable public static var longest: Int { 1 << 31 }

    /// A lifetime; members out of bounds are brought within.
    public init(freshFor: Int, staleFor: Int = 0, staleIfErrorFor: Int? = nil, keepFor: Int = 0, initialAge: Int = 0) {
        func clamped(_ seconds: Int) -> Int { min(max(seconds, 0), Self.longest) }
        self.freshFor = min(max(freshFor, 1 - Self.longest), Self.longest)
        self.staleFor = clamped(staleFor)
        self.staleIfErrorFor = clamped(staleIfErrorFor ?? staleFor)
        self.keepFor = clamped(keepFor)
        self.initialAge = clamped(initialAge)
    }

    /// The age at which nothing can use the response any more.
    @inlinable public var greatestUsefulAge: Int { freshFor + max(staleFor, staleIfErrorFor, keepFor) }

    /// The lifetime where time passes `speed` times as fast. The age that it came with stays: that
    /// passed elsewhere. Rounded to seconds; a span that is not 0 stays at least a second.
    func passing(_ speed: Int) -> Lifetime {
        func shortened(_ seconds: Int) -> Int { seconds > 0 ? max(1, (seconds + speed / 2) / speed) : 0 }
        return Lifetime(
            freshFor: min(freshFor, initialAge) + shortened(freshFor - initialAge), staleFor: shortened(staleFor),
            staleIfErrorFor: shortened(staleIfErrorFor), keepFor: shortened(keepFor), initialAge: initialAge)
    }

    /// The lifetime of an answer that is served for `seconds` at most, fresh or stale, unless the
    /// origin fails or confirms it.
    func brief(_ seconds: Int) -> Lifetime {
        let end = initialAge + max(seconds, 0)
        let fresh = min(freshFor, end)
        return Lifetime(
            freshFor: fresh, staleFor: min(staleFor, end - fresh), staleIfErrorFor: staleIfErrorFor, keepFor: keepFor,
            initialAge: initialAge)
    }

    /// The shorter of the two for each use, counted from when the response came: a process whose
    /// rule is `rule` takes an answer that another process was granted. The age that it came with
    /// stays. A use that one of the two does not grant is not granted.
    public func within(_ rule: Lifetime) -> Lifetime {
        // Both count ages. The same moment may be of another age to the rule.
        let shift = initialAge - rule.initialAge
        let fresh = min(freshFor, max(rule.freshFor + shift, 0))
        func window(_ own: Int, _ theirs: Int) -> Int {
            own == 0 || theirs == 0 ? 0 : min(freshFor + own, rule.freshFor + shift + theirs) - fresh
        }
        return Lifetime(
            freshFor: fresh, staleFor: window(staleFor, rule.staleFor),
            staleIfErrorFor: window(staleIfErrorFor, rule.staleIfErrorFor), keepFor: window(keepFor, rule.keepFor),
            initialAge: initialAge)
    }

    /// The lifetime of an answer that has been stale for that many seconds already: the windows of
    /// staleness began there. Stale for a second at least: the next cache sees by it that the
    /// answer is stale.
    func stale(for seconds: Int) -> Lifetime {
        let since = min(max(seconds, 1), Self.longest)
        // Its own `Expires` may be what the seconds count from.
        let age = freshFor < 0 ? initialAge : max(initialAge, since)
        return Lifetime(
            freshFor: min(freshFor, age - since), staleFor: staleFor, staleIfErrorFor: staleIfErrorFor,
            keepFor: keepFor, initialAge: age)
    }

    /// The lifetime after a soft purge at that age: never fresh again, by whatever clock; stale for
    /// as long as if its freshness had ended at that age by itself.
    public func withoutFreshness(atAge age: Int) -> Lifetime {
        let rest = min(freshFor, initialAge)
        let used = max(min(freshFor, age) - rest, 0)
        func moved(_ window: Int) -> Int { window == 0 ? 0 : window + used }
        return Lifetime(
            freshFor: rest, staleFor: moved(staleFor), staleIfErrorFor: moved(staleIfErrorFor), keepFor: moved(keepFor),
            initialAge: initialAge)
    }

    /// The seconds from one unix time to another, negative where that is the earlier one.
    static func difference(from start: Int64, to end: Int64) -> Int {
        seconds(from: start, to: end) - seconds(from: end, to: start)
    }

    /// The seconds from one unix time to another: not negative and at most `longest`, whatever the
    /// two are.
    @inlinable
    public static func seconds(from start: Int64, to end: Int64) -> Int {
        let (difference, isOverflow) = end.subtractingReportingOverflow(start)
        if isOverflow { return end > start ? longest : 0 }
        return Int(min(max(difference, 0), Int64(longest)))
    }
}
