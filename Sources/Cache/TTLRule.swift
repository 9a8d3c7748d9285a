// What an operator's `ttl` line says about one class. Pure values.

/// How long responses of a class are kept.
public enum TTLRule: Hashable, Sendable {
    /// Never stored.
    case off
    /// As the origin's own fields say, RFC 9111.
    case upstream
    /// Fresh for so many seconds and then usable as stale for `stale` more, whatever the origin's fields say: Apple marks
    /// its catalog `private, s-maxage=0` (DESIGN 5).
    case fixed(Int, stale: Int)
}
