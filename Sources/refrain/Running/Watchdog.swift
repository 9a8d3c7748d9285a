import Dispatch
import EventLoop

/// Tells the service manager that the program is alive, twice in each of its intervals, and only
/// after every loop has answered: with a loop that is stuck it hears nothing more, and restarts the
/// program.
final class Watchdog {
    private let timer: any DispatchSourceTimer

    /// - Parameters:
    ///   - interval: within which it must be heard of.
    ///   - ping: calls its argument once all loops have answered, perhaps never.
    ///   - alive: is called then.
    init(
        interval: Duration, ping: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void,
        alive: @escaping @Sendable () -> Void
    ) {
        timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "refrain.watchdog"))
        timer.setEventHandler { @Sendable in ping(alive) }
        let half = Int(interval.wholeNanoseconds / 2)
        timer.schedule(deadline: .now() + .nanoseconds(half), repeating: .nanoseconds(half))
        timer.activate()
    }

    deinit {
        timer.cancel()
    }
}
