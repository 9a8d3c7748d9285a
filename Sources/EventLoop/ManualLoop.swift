/// A scheduler whose time stands still until the test moves it: the double of `EventLoop` for all
/// that only waits.
public final class ManualLoop: Scheduler {
    public private(set) var now: Instant
    private var timers = TimerQueue()

    /// Begins at an hour of monotonic time, so that subtracting a minute does not reach below zero.
    public init(now: Instant = Instant(nanoseconds: 3_600_000_000_000)) {
        self.now = now
    }

    @discardableResult
    public func schedule(at deadline: Instant, _ body: @escaping () -> Void) -> TimerToken {
        timers.insert(at: deadline, body)
    }

    public func cancel(_ token: TimerToken) {
        timers.cancel(token)
    }

    /// Timers that wait.
    var timerCount: Int { timers.count }

    /// Moves time on and runs what becomes due, in order and each at its own deadline, including
    /// timers that these schedule within the span.
    public func advance(by duration: Duration) {
        let end = now + duration
        while let next = timers.earliest, next <= end {
            now = max(now, next)
            // As on the loop: what is scheduled for now by a timer waits for the next turn.
            let bound = timers.nextSequence
            while let (_, body) = timers.popDue(at: now, before: bound) { body() }
        }
        now = max(now, end)
    }
}
