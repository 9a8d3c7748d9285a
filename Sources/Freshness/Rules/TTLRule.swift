// The rule of an operator's `ttl` line for one class. Pure values.

/// How long responses of a class are kept.
public enum TTLRule: Hashable, Sendable {
    /// Never stored.
    case off
    /// The origin's own fields decide, by RFC 9111. Where they neither allow nor forbid it, an
    /// answer may be served stale for `stale` seconds while a newer one is fetched.
    case origin(stale: Int)
    /// Fresh for that many seconds and then usable as stale for `stale` more, whatever the origin's
    /// fields say: Apple marks its catalog `private, s-maxage=0` (DECISIONS 4.1).
    case fixed(Int, stale: Int)

    /// The origin's own word and nothing else.
    public static let upstream = TTLRule.origin(stale: 0)

    /// Whether the origin's fields count.
    public var followsOrigin: Bool {
        if case .origin = self { true } else { false }
    }
}
