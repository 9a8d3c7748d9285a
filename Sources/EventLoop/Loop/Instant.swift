import Glibc

/// A point on the monotonic clock, which no change of the wall clock moves.
///
/// Wall-clock time (HTTP dates, ages) is another matter and never an `Instant`.
public struct Instant: Comparable, Hashable, Sendable {
    /// Nanoseconds of CLOCK_MONOTONIC.
    public let nanoseconds: Int64

    public init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    /// The time now: one `clock_gettime`, about 20 ns. Code on a loop reads `EventLoop.now`
    /// instead.
    public static func now() -> Instant {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Instant(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    }

    public static func < (left: Instant, right: Instant) -> Bool {
        left.nanoseconds < right.nanoseconds
    }

    /// The instant `duration` later. Saturates, so that "for ever" may be any large duration.
    public static func + (instant: Instant, duration: Duration) -> Instant {
        instant.advanced(by: duration.wholeNanoseconds)
    }

    /// The instant `span` nanoseconds later; saturates. For spans that are added with every
    /// request: to add a `Duration` takes a division of 128 bits.
    public func advanced(by span: Int64) -> Instant {
        let (sum, overflow) = nanoseconds.addingReportingOverflow(span)
        return Instant(nanoseconds: overflow ? (span < 0 ? .min : .max) : sum)
    }

    /// The instant `duration` earlier.
    public static func - (instant: Instant, duration: Duration) -> Instant {
        instant + (.zero - duration)
    }

    /// The time from `right` to `left`; negative if `left` is the earlier one.
    public static func - (left: Instant, right: Instant) -> Duration {
        .nanoseconds(left.nanoseconds.subtractingReportingOverflow(right.nanoseconds).partialValue)
    }
}

extension Duration {
    /// Whole nanoseconds, saturating at the ends of Int64 (292 years).
    public var wholeNanoseconds: Int64 {
        Int64(clamping: attoseconds / 1_000_000_000)
    }

    /// Whole seconds, rounded up, and at least 1: as `Retry-After` has it (RFC 9110 10.2.3).
    public var secondsToWait: Int {
        let (seconds, rest) = components
        return max(1, Int(seconds) + (rest > 0 ? 1 : 0))
    }
}
