import EventLoop

/// The rates that were learnt of single accounts: of something of a client's own in a request, such
/// as the developer token that it brought (DECISIONS 11.8). Pure.
///
/// Must hold:
/// - an account has a limit of its own once it has met a 429, and while that is remembered;
/// - at most `most` are remembered, those that were used last; accounts with waiting requests are
///   not forgotten;
/// - a limit is named by its account: 0 means none but the common one.
struct AccountLimits {
    private struct Limit {
        var rate = RateLimit(ceiling: nil)
        var refusal = RefusalState()
        var usedAt: Instant
        /// Whether it is this limit that holds back requests just now.
        var isBinding = false
    }

    private var limits: [UInt64: Limit] = [:]

    static let most = 64

    /// The limit of an account; 0 where it has none of its own.
    func limit(of account: UInt64) -> UInt64 {
        account == 0 || limits.isEmpty || !limits.keys.contains(account) ? 0 : account
    }

    /// When the next request under a limit may leave, the common one apart: `now` or later.
    func nextStart(_ limit: UInt64, now: Instant) -> Instant {
        guard limit != 0, let own = limits[limit] else { return now }
        return max(own.rate.nextStart(now: now), own.refusal.heldUntil)
    }

    /// `RefusalState.wait` of a limit.
    func wait(_ limit: UInt64, now: Instant) -> Int? {
        limit == 0 ? nil : limits[limit]?.refusal.wait(now: now)
    }

    /// `RefusalState.admit` of a limit.
    mutating func admit(_ limit: UInt64, now: Instant) -> Int? {
        limit == 0 ? nil : limits[limit]?.refusal.admit(now: now)
    }

    mutating func started(_ limit: UInt64, now: Instant) {
        guard limit != 0 else { return }
        limits[limit]?.rate.started(now: now)
        limits[limit]?.usedAt = now
    }

    mutating func succeeded(_ account: UInt64, now: Instant) {
        guard !limits.isEmpty, let isBinding = limits[account]?.isBinding else { return }
        limits[account]?.rate.succeeded(now: now, isBinding: isBinding)
        limits[account]?.refusal.answered()
    }

    /// - Parameter isWaitedFor: whether something waits under a limit.
    mutating func refused(
        _ account: UInt64, retryAfter: Duration? = nil, startedAt: Instant, now: Instant,
        isWaitedFor: (UInt64) -> Bool
    ) {
        if limit(of: account) == 0 { remember(account, now: now, isWaitedFor) }
        limits[account]?.rate.refused(startedAt: startedAt, now: now)
        limits[account]?.refusal.refused(retryAfter: retryAfter, now: now)
    }

    /// The origin is another one: it has limited and refused no account.
    mutating func forgetOrigin() {
        for index in limits.values.indices {
            limits.values[index].rate.forget()
            limits.values[index].refusal = RefusalState()
        }
    }

    /// Notes which limits hold back requests now.
    mutating func bind(only bound: [UInt64]) {
        for index in limits.values.indices { limits.values[index].isBinding = false }
        for limit in bound { limits[limit]?.isBinding = true }
    }

    /// Does nothing where all that are remembered are waited for.
    private mutating func remember(_ account: UInt64, now: Instant, _ isWaitedFor: (UInt64) -> Bool) {
        if limits.count >= Self.most {
            let others = limits.filter { !isWaitedFor($0.key) }
            guard let oldest = others.min(by: { isForgotten($0, before: $1) }) else { return }
            limits[oldest.key] = nil
        }
        limits[account] = Limit(usedAt: now)
    }

    /// First those that limit nothing any more; by their numbers where nothing else decides, so
    /// that runs can be repeated.
    private func isForgotten(_ one: (key: UInt64, value: Limit), before other: (key: UInt64, value: Limit)) -> Bool {
        let (holds, otherHolds) = (one.value.rate.current != nil, other.value.rate.current != nil)
        guard holds == otherHolds else { return otherHolds }
        return (one.value.usedAt, one.key) < (other.value.usedAt, other.key)
    }
}
