/// Delays the timers of a loop that was not run for a while, because its process was stopped or the
/// machine was busy. Input that came meanwhile is handled first, by this loop or by another that
/// tells this one of it.
///
/// Measured: after a stop of 17 s in which the origin had answered, one client in 13 got a 504, as
/// the loop that it waited on looked at its timers before the loop with the answer had told.
struct TimerHold {
    /// Timers that are as late as this show that the loop was not run.
    static let lateness = Duration.milliseconds(100)
    /// Timers wait for as long again as they are late, and at most for this: by then other loops
    /// have passed on their events, however busy the machine.
    static let longest = Duration.seconds(1)

    /// Before it no timer runs.
    private(set) var end = Instant(nanoseconds: .min)
    /// Whether timers still have to run since it held them: on a machine where every turn is late
    /// they run in every second one. So do those of a process that is stopped twice in a second.
    private var isSpent = false

    /// - Parameters:
    ///   - expected: when the loop was to take a turn at the latest.
    ///   - now: when it takes one.
    mutating func noteTurn(expected: Instant, at now: Instant) {
        guard !isSpent, now - expected >= Self.lateness else { return }
        end = now + min(now - expected, Self.longest)
        isSpent = true
    }

    /// Timers have run, or none was due.
    mutating func noteTimersRun() { isSpent = false }
}
