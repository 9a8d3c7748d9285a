import EventLoop

/// The rates that were learnt of single accounts: of what is a client's own in a request, such as
/// the developer token that it brought (DECISIONS 11.8). Pure.
///
/// Must hold:
/// - an account has a limit of its own once it has met a 429, and while that is remembered;
/// - at most `most` are remembered, those that were used last; what is waited for is not forgotten;
/// - the numbers of limits begin at 1: 0 means none but the common one.
struct AccountLimits {
    private struct Limit {
        var account: UInt64
        var rate = RateLimit(ceiling: nil)
        var refusal = RefusalState()
        var usedAt: Instant
        /// Whether it is this limit that holds back requests just now.
        var isBinding = false
    }

    private var limits: [Limit] = []
    private var numbers: [UInt64: Int] = [:]

    static let most = 64

    /// The limit of an account; 0 where it has none of its own.
    func number(of account: UInt64) -> Int {
        account == 0 || limits.isEmpty ? 0 : numbers[account] ?? 0
    }

    /// When the next request under a limit may leave, the common one apart: `now` or later.
    func nextStart(_ number: Int, now: Instant) -> Instant {
        guard number > 0 else { return now }
        return max(limits[number - 1].rate.nextStart(now: now), limits[number - 1].refusal.heldUntil)
    }

    /// As `RefusalState.wait`.
    func wait(_ number: Int, now: Instant) -> Int? {
        number == 0 ? nil : limits[number - 1].refusal.wait(now: now)
    }

    /// As `RefusalState.admit`.
    mutating func admit(_ number: Int, now: Instant) -> Int? {
        number == 0 ? nil : limits[number - 1].refusal.admit(now: now)
    }

    mutating func started(_ number: Int, now: Instant) {
        guard number > 0 else { return }
        limits[number - 1].rate.started(now: now)
        limits[number - 1].usedAt = now
    }

    mutating func succeeded(_ account: UInt64, now: Instant) {
        let number = number(of: account)
        guard number > 0 else { return }
        limits[number - 1].rate.succeeded(now: now, isBinding: limits[number - 1].isBinding)
        limits[number - 1].refusal.answered()
    }

    /// - Parameter isWaitedFor: whether something waits under a limit of this number.
    mutating func refused(
        _ account: UInt64, retryAfter: Duration? = nil, startedAt: Instant, now: Instant, isWaitedFor: (Int) -> Bool
    ) {
        guard let number = remember(account, now: now, isWaitedFor) else { return }
        limits[number - 1].rate.refused(startedAt: startedAt, now: now)
        limits[number - 1].refusal.refused(retryAfter: retryAfter, now: now)
    }

    /// The origin is another one: nobody is refused by it.
    mutating func forgetRefusals() {
        for index in limits.indices { limits[index].refusal = RefusalState() }
    }

    /// Notes which limits hold back requests now.
    mutating func bind(_ number: Int) { limits[number - 1].isBinding = true }
    mutating func unbind() {
        for index in limits.indices { limits[index].isBinding = false }
    }

    private mutating func remember(_ account: UInt64, now: Instant, _ isWaitedFor: (Int) -> Bool) -> Int? {
        if let number = numbers[account] { return number }
        if limits.count < Self.most {
            limits.append(Limit(account: account, usedAt: now))
            numbers[account] = limits.count
            return limits.count
        }
        let oldest = limits.indices.filter { !isWaitedFor($0 + 1) }.min { isForgotten($0, before: $1) }
        guard let oldest else { return nil }
        numbers[limits[oldest].account] = nil
        limits[oldest] = Limit(account: account, usedAt: now)
        numbers[account] = oldest + 1
        return oldest + 1
    }

    /// First those that limit nothing any more.
    private func isForgotten(_ one: Int, before other: Int) -> Bool {
        let (holds, otherHolds) = (limits[one].rate.current != nil, limits[other].rate.current != nil)
        return holds == otherHolds ? limits[one].usedAt < limits[other].usedAt : otherHolds
    }
}
