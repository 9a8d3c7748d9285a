import EventLoop

/// Whether the origin refuses all requests of one account for now (DECISIONS 11.12). Pure: events
/// in, answers out.
///
/// Must hold:
/// - it refuses once every answer has been a 429 for `patience`, `leastCount` of them at least, or
///   once a 429 has said to come back (`Retry-After`) in more than `mostHold`;
/// - meanwhile one request after another is let through to look: the first when the origin has said
///   so, but within `longestPause`, or after a second; then ever later, up to `mostPause`;
/// - any other answer ends it, and so do 30 s without a 429;
/// - a 429 that says to come back sooner holds requests back for that long, and counts as one that
///   says nothing.
struct RefusalState {
    /// Unbroken by any other answer.
    private var firstRefusal: Instant?
    private var lastRefusal = Instant(nanoseconds: 0)
    private var count = 0
    /// When the next request may look; nil: all may go.
    private var probeAt: Instant?
    private var pause = RefusalState.firstPause
    /// Until when the origin has said to wait.
    private var saidUntil = Instant(nanoseconds: 0)
    /// No request leaves before.
    private(set) var heldUntil = Instant(nanoseconds: 0)

    /// About as long as the repeats of one request take, a quarter less.
    static let patience = Duration.milliseconds(2500)
    static let leastCount = 4
    static let mostHold = Duration.seconds(2)
    static let longestPause = Duration.seconds(60)
    private static let firstPause = Duration.seconds(1)
    private static let mostPause = Duration.seconds(5)
    private static let memory = Duration.seconds(30)

    /// A 429 has come.
    /// - Parameter retryAfter: its `Retry-After`; nil without.
    mutating func refused(retryAfter: Duration?, now: Instant) {
        if isForgotten(now: now) { self = RefusalState() }
        let first = firstRefusal ?? now
        (firstRefusal, lastRefusal, count) = (first, now, count + 1)
        if let retryAfter, retryAfter <= Self.mostHold { heldUntil = max(heldUntil, now + retryAfter) }
        if let retryAfter, retryAfter > Self.mostHold {
            saidUntil = max(saidUntil, now + retryAfter)
            (probeAt, pause) = (now + min(retryAfter, Self.longestPause), Self.firstPause)
        } else if probeAt == nil, count >= Self.leastCount, now - first >= Self.patience {
            (probeAt, pause) = (now + Self.firstPause, Self.firstPause)
        }
    }

    /// Anything but a 429 has come.
    mutating func answered() {
        if firstRefusal != nil { self = RefusalState() }
    }

    /// The seconds, at least 1, after which a refused request is worth another try; nil: none is
    /// refused now.
    func wait(now: Instant) -> Int? {
        guard let probeAt, now < probeAt else { return nil }
        return (max(probeAt, saidUntil) - now).secondsToWait
    }

    /// The seconds of `wait` for a request that leaves if it may: it is the one that looks.
    mutating func admit(now: Instant) -> Int? {
        if let wait = wait(now: now) { return wait }
        guard probeAt != nil else { return nil }
        if isForgotten(now: now) { self = RefusalState() } else { (probeAt, pause) = (now + pause, nextPause) }
        return nil
    }

    private var nextPause: Duration { min(pause * 2, Self.mostPause) }

    private func isForgotten(now: Instant) -> Bool {
        now - max(lastRefusal, probeAt ?? lastRefusal) > Self.memory
    }
}
