import EventLoop
import Glibc
import HTTP

/// A source of the time of day: the system, or a test that lets an hour pass in no time.
public struct TimeOfDay: Sendable {
    /// Unix time now, as seconds and the milliseconds beyond them; called on every loop.
    fileprivate let now: @Sendable () -> (seconds: Int64, millisecond: Int)

    /// - Parameter unixSeconds: called on every loop.
    public init(_ unixSeconds: @escaping @Sendable () -> Int64) {
        self.init { @Sendable in (unixSeconds(), 0) }
    }

    private init(_ now: @escaping @Sendable () -> (seconds: Int64, millisecond: Int)) {
        self.now = now
    }

    /// Unix seconds now.
    public func unixSeconds() -> Int64 { now().seconds }

    /// The system's clock.
    public static let system = TimeOfDay { @Sendable () -> (seconds: Int64, millisecond: Int) in
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return (Int64(time.tv_sec), time.tv_nsec / 1_000_000)
    }
}

/// The time of day for one loop, with its `Date` line made once a second.
///
/// Monotonic instants drive all timers; this clock only dates answers and ages, so that a step of
/// the system's clock can change neither a timeout nor the order of events (RFC 9110 6.6.1 wants
/// Date to be the best known time).
struct WallClock {
    private let source: TimeOfDay
    private var readAt: Instant?
    private var current: (seconds: Int64, millisecond: Int) = (0, 0)
    private var formatted: Int64 = .min
    private var line: [UInt8] = []

    init(_ source: TimeOfDay = .system) {
        self.source = source
    }

    /// Unix seconds; the source is read again only when the loop's own instant has moved.
    mutating func seconds(at instant: Instant) -> Int64 { time(at: instant).seconds }

    /// Unix seconds and the milliseconds beyond them; read like `seconds(at:)`.
    mutating func time(at instant: Instant) -> (seconds: Int64, millisecond: Int) {
        if readAt != instant {
            readAt = instant
            current = source.now()
        }
        return current
    }

    /// `Date: Sat, 21 Nov 2026 00:00:00 GMT` and its line end.
    mutating func dateLine(at instant: Instant) -> [UInt8] {
        let now = seconds(at: instant)
        if now != formatted {
            var buffer = ByteBuffer(capacity: 48)
            buffer.append("Date: ")
            HTTPDate.append(now, to: &buffer)
            buffer.append("\r\n")
            line = buffer.copyReadable()
            formatted = now
        }
        return line
    }
}
