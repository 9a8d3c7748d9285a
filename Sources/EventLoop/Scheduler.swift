/// Names one timer of one scheduler. Cancelling it after it has run, or twice, does nothing.
public struct TimerToken: Hashable, Sendable {
    let slot: UInt32
    let generation: UInt32
}

/// A source of time and timers: the loop in production, `ManualLoop` in tests.
///
/// Code that only waits takes `any Scheduler`, so that its tests need neither sockets nor patience.
public protocol Scheduler: AnyObject {
    /// The time, read once a turn: everything that happens in one turn happens at one instant.
    var now: Instant { get }

    /// Runs `body` on the scheduler at `deadline`, or in the next turn if that is past. Timers run
    /// in the order of their deadlines, those of equal deadlines in the order in which they were
    /// scheduled.
    ///
    /// The closure is an allocation: what changes its deadline with each request keeps one timer
    /// that looks, when it runs, whether it is due, and schedules itself again.
    @discardableResult
    func schedule(at deadline: Instant, _ body: @escaping () -> Void) -> TimerToken

    /// Forgets the timer and releases its closure. Constant time.
    func cancel(_ token: TimerToken)
}

extension Scheduler {
    /// Runs `body` after `delay`.
    @discardableResult
    public func schedule(after delay: Duration, _ body: @escaping () -> Void) -> TimerToken {
        schedule(at: now + delay, body)
    }
}
