// The state of a stored response at a moment: RFC 9111 4.2 on plain numbers.
// Must hold: no age is negative, and a clock that was set back never makes anything look fresh
// (FRAMING 8.4).

/// The use that can be made of a stored response now.
public enum Freshness: Hashable, Sendable {
    /// Serve it; it stays fresh for `ttl` more seconds, at least 1.
    case fresh(ttl: Int)
    /// May be served while it is revalidated; it has been stale for `since` seconds.
    case stale(since: Int)
    /// Must not be served unless the origin confirms it, or fails while
    /// `ReusableAnswer.canStandIn(at:)`.
    case expired

    /// The freshness of `answer` at `unixSeconds`.
    @inlinable
    public static func of(_ answer: some ReusableAnswer, at unixSeconds: Int64) -> Freshness {
        of(answer.lifetime, receivedAt: answer.receivedAt, at: unixSeconds)
    }

    /// The freshness of an answer received at `receivedAt` with this lifetime.
    @inlinable
    public static func of(_ lifetime: Lifetime, receivedAt: Int64, at unixSeconds: Int64) -> Freshness {
        if lifetime.isAgeUnknown(since: receivedAt, at: unixSeconds) {
            // The origin has to be asked.
            return lifetime.staleFor > 0 ? .stale(since: 0) : .expired
        }
        let age = lifetime.age(since: receivedAt, at: unixSeconds)
        if age < lifetime.freshFor { return .fresh(ttl: lifetime.freshFor - age) }
        if age < lifetime.freshFor + lifetime.staleFor { return .stale(since: age - lifetime.freshFor) }
        return .expired
    }
}

extension Lifetime {
    /// The current age (RFC 9111 4.2.3), in seconds, of an answer received at `receivedAt`.
    @inlinable
    public func age(since receivedAt: Int64, at unixSeconds: Int64) -> Int {
        initialAge + Lifetime.seconds(from: receivedAt, to: unixSeconds)
    }

    /// Whether the clock was set back since then, by more than clocks do when they are corrected.
    @usableFromInline
    func isAgeUnknown(since receivedAt: Int64, at unixSeconds: Int64) -> Bool {
        Lifetime.seconds(from: unixSeconds, to: receivedAt) > Self.toleratedStep
    }

    /// How far the clock may lie before the time of receipt and still count as the same clock, in
    /// seconds.
    @usableFromInline
    static var toleratedStep: Int { 60 }
}
