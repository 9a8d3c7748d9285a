import CLinux
import Glibc

/// A timer that is late by tens of microseconds, where those of `EventLoop.schedule` may be late by
/// a millisecond: a timerfd among the loop's descriptors. For a load generator, whose lateness
/// would be taken for its target's.
///
/// Confined to its loop, which keeps it until `close`, or until the loop stops.
public final class PreciseTimer {
    private let loop: EventLoop
    private let descriptor: CInt
    private var tag: UInt64?
    private let body: () -> Void
    /// When it fires next; nil: never.
    public private(set) var deadline: Instant?

    /// - Parameter body: runs in a turn of the loop each time the timer fires.
    public init(loop: EventLoop, _ body: @escaping () -> Void) throws(SystemError) {
        loop.assertOnLoop()
        (self.loop, self.body) = (loop, body)
        descriptor = timerfd_create(CLOCK_MONOTONIC, CInt(TFD_NONBLOCK | TFD_CLOEXEC))
        guard descriptor >= 0 else { throw .last("timerfd_create") }
        do {
            tag = try loop.add(descriptor, self, .edge)
        } catch {
            Glibc.close(descriptor)
            throw error
        }
    }

    /// Fires once at `instant` instead of whenever it was to fire before; one that has passed is in
    /// the next turn.
    public func set(at instant: Instant) {
        loop.assertOnLoop()
        guard tag != nil else { return }
        deadline = instant
        // A time of zero would switch it off.
        let nanoseconds = max(instant.nanoseconds, 1)
        var time = itimerspec()
        time.it_value = timespec(
            tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
        // Setting it drops an expiry that was not read, so an expiry never has to be read.
        timerfd_settime(descriptor, CInt(TFD_TIMER_ABSTIME), &time, nil)
    }

    /// Ends it for good.
    public func close() {
        loop.assertOnLoop()
        guard let tag else { return }
        loop.remove(tag)
        Glibc.close(descriptor)
        self.tag = nil
        deadline = nil
    }
}

extension PreciseTimer: PollTarget {
    func descriptorIsReady(_ readiness: Readiness) {
        guard tag != nil else { return }
        deadline = nil
        body()
    }

    func loopStops() {
        close()
    }
}
