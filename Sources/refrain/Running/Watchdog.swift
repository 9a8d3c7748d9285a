import Dispatch
import EventLoop
import Synchronization

/// Asks each loop that serves clients for its word every second, logs loops that give none, and
/// tells the service manager that the program is alive while all do: with one that is stuck it
/// hears nothing more, and restarts the program.
final class Watchdog {
    /// The effects.
    struct Effects: Sendable {
        /// Calls its argument on the loop of that number, perhaps never.
        let ask: @Sendable (_ loop: Int, @escaping @Sendable () -> Void) -> Void
        /// Tells the service manager.
        let tellAlive: @Sendable () -> Void
        /// Counts and logs a stall.
        let sayStalled: @Sendable (_ loop: Int, Duration) -> Void
        /// Logs its end.
        let sayRecovered: @Sendable (_ loop: Int, Duration) -> Void
    }

    private let timer: any DispatchSourceTimer

    /// - Parameters:
    ///   - interval: within which the service manager must hear of the program; nil if it does not
    ///     listen.
    init(loops: Int, interval: Duration?, _ effects: Effects) {
        let half = interval.map { $0 / 2 } ?? .seconds(2)
        let watch = LoopWatch(loops: loops, patience: min(.seconds(2), half), at: .now())
        let runner = Runner(watch, effects)
        timer = DispatchSource.makeTimerSource(queue: runner.queue)
        let period = Int(min(.seconds(1), half / 2).wholeNanoseconds)
        timer.setEventHandler { @Sendable in runner.perform { $0.tick(at: .now()) } }
        timer.schedule(deadline: .now() + .nanoseconds(period), repeating: .nanoseconds(period))
        timer.activate()
    }

    deinit {
        timer.cancel()
    }

    /// Performs what the watch says, on its queue.
    private final class Runner: Sendable {
        let queue = DispatchQueue(label: "refrain.watchdog")
        private let watch: Mutex<LoopWatch>
        private let effects: Effects

        init(_ watch: LoopWatch, _ effects: Effects) {
            self.watch = Mutex(watch)
            self.effects = effects
        }

        func perform(_ event: (inout LoopWatch) -> [LoopWatch.Action]) {
            for action in watch.withLock({ event(&$0) }) {
                switch action {
                case .ask(let loop): ask(loop)
                case .tellAlive: effects.tellAlive()
                case .sayStalled(let loop, let time): effects.sayStalled(loop, time)
                case .sayRecovered(let loop, let time): effects.sayRecovered(loop, time)
                }
            }
        }

        /// Once the watchdog has gone, nothing more is said.
        private func ask(_ loop: Int) {
            effects.ask(loop) { @Sendable [weak self, queue] in
                let now = Instant.now()
                queue.async { @Sendable [weak self] in self?.perform { $0.heard(loop: loop, at: now) } }
            }
        }
    }
}

extension Watchdog {
    /// A watchdog of a proxy's loops.
    convenience init(_ proxy: RunningProxy, _ manager: ServiceManager, _ log: OperationalLog) {
        let server = proxy.server
        let tellsManager = manager.watchdogInterval != nil
        self.init(
            loops: server.loopCount, interval: manager.watchdogInterval,
            Effects(
                ask: { server.ask(loop: $0, $1) },
                tellAlive: { if tellsManager { manager.tell(.alive) } },
                sayStalled: { loop, time in
                    server.stalls.note(loop: loop)
                    log(.error, "loop \(loop) has taken no turn for \(time.inSeconds) s: its clients wait")
                },
                sayRecovered: { loop, time in
                    log(.notice, "loop \(loop) takes turns again, after \(time.inSeconds) s")
                }))
    }
}

extension Duration {
    /// Seconds with one decimal.
    fileprivate var inSeconds: Double { (self / .milliseconds(100)).rounded() / 10 }
}
