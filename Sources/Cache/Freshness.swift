// Where a stored response stands at a moment: RFC 9111 4.2 on plain numbers.
// Must hold: no age is negative, and a clock that was set back never makes anything look fresh
// (FRAMING 8.4).

/// What may be done with a stored response now.
public enum Freshness: Hashable, Sendable {
    /// Serve it; it stays fresh for `ttl` more seconds, at least 1.
    case fresh(ttl: Int)
    /// May be served while it is revalidated; it has been stale for `since` seconds.
    case stale(since: Int)
    /// Not to be served unless the origin confirms it, or fails while
    /// `StoredResponse.canStandIn(at:)`.
    case expired

    /// The freshness of `response` at `unixSeconds`.
    public static func of(_ response: StoredResponse, at unixSeconds: Int64) -> Freshness {
        of(response.lifetime, receivedAt: response.receivedAt, at: unixSeconds)
    }

    /// The freshness of what was received at `receivedAt` with this lifetime.
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
    /// The current age (RFC 9111 4.2.3) in seconds of what was received at `receivedAt`.
    public func age(since receivedAt: Int64, at unixSeconds: Int64) -> Int {
        initialAge + Lifetime.seconds(from: receivedAt, to: unixSeconds)
    }

    /// Whether the clock was set back since then, by more than clocks do when they are corrected.
    fileprivate func isAgeUnknown(since receivedAt: Int64, at unixSeconds: Int64) -> Bool {
        Lifetime.seconds(from: unixSeconds, to: receivedAt) > Self.toleratedStep
    }

    /// How far the clock may lie before the time of receipt and still count as the same clock, in
    /// seconds.
    private static let toleratedStep = 60
}

extension StoredResponse {
    /// The current age in seconds: what the `Age` field says.
    public func age(at unixSeconds: Int64) -> Int { lifetime.age(since: receivedAt, at: unixSeconds) }

    /// Whether it may be served because the origin failed (stale-if-error, or our own rule).
    /// Without a known age it counts as just gone stale.
    public func canStandIn(at unixSeconds: Int64) -> Bool {
        let window = max(lifetime.staleFor, lifetime.staleIfErrorFor)
        return isAgeUnknown(at: unixSeconds) ? window > 0 : age(at: unixSeconds) < lifetime.freshFor + window
    }

    /// Whether it may be served without asking.
    public func isFresh(at unixSeconds: Int64) -> Bool {
        if case .fresh = Freshness.of(self, at: unixSeconds) { true } else { false }
    }

    /// Whether a client that accepts stale answers may have it stale (RFC 9111 4.2.4): not where
    /// the origin forbids it.
    public var allowsStale: Bool { max(lifetime.staleFor, lifetime.staleIfErrorFor) > 0 }

    fileprivate func isAgeUnknown(at unixSeconds: Int64) -> Bool {
        lifetime.isAgeUnknown(since: receivedAt, at: unixSeconds)
    }

    /// For how many seconds anything can still use it; 0 where nothing can.
    public func usefulFor(at unixSeconds: Int64) -> Int {
        max(lifetime.greatestUsefulAge - age(at: unixSeconds), 0)
    }

    /// Whether anything can still use it; what cannot be used is removed when it is found.
    func isUseful(at unixSeconds: Int64) -> Bool {
        age(at: unixSeconds) < lifetime.greatestUsefulAge
    }
}
