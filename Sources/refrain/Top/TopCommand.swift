import Dispatch
import EventLoop
import Glibc
import Text

extension Command {
    static let top = Command(
        "top", "watch a running proxy: outcomes, times, the costly misses; q leaves",
        options: [.config, .admin, .adminTokenFile, TopCommand.interval, TopCommand.once, .json],
        examples: [
            .init("refrain top --interval 5s", "looks every five seconds, until q is pressed"),
            .init("refrain top --once --json", "writes as JSON what came since the start"),
        ]
    ) { arguments, context throws(CommandFailure) in
        try TopCommand(arguments, context).run()
    }
}

/// Looks at `/stats` again and again, and shows what changed.
struct TopCommand {
    static let interval = CommandOption("interval", "DURATION", "between two looks (1s)")
    static let once = CommandOption("once", "one look at what came since the start, and leave")

    private let client: AdminClient
    private let output: Output
    private let interval: Duration
    private let isOnce: Bool
    private let isJSON: Bool

    /// A shorter interval would show noise, and a longer one is no watching.
    private static let intervals = Duration.milliseconds(100)...Duration.seconds(3600)

    init(_ arguments: CommandArguments, _ context: CommandContext) throws(CommandFailure) {
        client = try AdminClient(arguments, context.files)
        output = context.output
        isOnce = arguments.has(Self.once)
        isJSON = arguments.has(.json)
        interval =
            try arguments.parsed(Self.interval) { text throws(ValueError) in
                let duration = try Quantity.duration(text)
                guard Self.intervals.contains(duration) else { throw ValueError(text, isNot: "from 100ms to 1h") }
                return duration
            } ?? .seconds(1)
    }

    func run() throws(CommandFailure) -> ExitStatus {
        if isOnce {
            let stats = try look()
            let uptime = (stats["time"]?.intValue ?? 0) - (stats["started_at"]?.intValue ?? 0)
            show(stats, Interval(stats, since: nil, seconds: Double(uptime)), on: nil)
            return .done
        }
        let screen = isJSON ? nil : TopTerminal()
        let signals = screen == nil ? Self.leavingOnSignals() : nil
        defer { withExtendedLifetime(signals) {} }
        var watch = TopWatch(try look(), at: .now())
        if let screen {
            show(watch.last, Interval(watch.last, since: watch.last, seconds: 1), on: screen)
        }
        while true {
            if let screen {
                if screen.wait(interval) { return .done }
            } else {
                usleep(UInt32(min(interval / .milliseconds(1) * 1000, 4e9)))
            }
            // The proxy may be on its way back from a restart: the user who watches wants to see
            // that.
            guard let stats = try? look() else {
                tell("no answer from \(client.server): retrying", on: screen)
                continue
            }
            show(stats, watch.interval(to: stats, at: .now()), on: screen)
        }
    }

    /// Like whatever runs until it is stopped: being stopped is no failure.
    private static func leavingOnSignals() -> SignalWatcher {
        let signals = SignalWatcher(queue: DispatchQueue(label: "refrain.top"))
        for signal in [SIGTERM, SIGINT] { signals.on(signal) { @Sendable in _exit(ExitStatus.done.rawValue) } }
        return signals
    }

    private func tell(_ trouble: String, on screen: TopTerminal?) {
        guard let screen else { return output.problem(trouble) }
        screen.show(trouble + "\n")
    }

    private func look() throws(CommandFailure) -> JSON { try AdminClient.stats(client.get("/stats")) }

    private func show(_ stats: JSON, _ interval: Interval, on screen: TopTerminal?) {
        if isJSON {
            output.line(String(decoding: interval.json(at: stats["time"]).bytes, as: UTF8.self))
        } else if let screen {
            // The window may have changed its size.
            screen.show(
                TopScreen(stats: stats, interval: interval, terminal: .of(STDOUT_FILENO), lines: screen.lines).text)
        } else {
            output.line(TopScreen(stats: stats, interval: interval, terminal: output.terminal, lines: nil).text)
        }
    }
}

/// What the next look is compared with. Pure.
struct TopWatch {
    private(set) var last: JSON
    private var lastAt: Instant

    init(_ first: JSON, at now: Instant) {
        (last, lastAt) = (first, now)
    }

    /// The figures since the last look that was answered; since the proxy began where it has begun
    /// anew in between.
    mutating func interval(to stats: JSON, at now: Instant) -> Interval {
        defer { (last, lastAt) = (stats, now) }
        guard stats["started_at"] == last["started_at"] else {
            let uptime = (stats["time"]?.intValue ?? 0) - (stats["started_at"]?.intValue ?? 0)
            return Interval(stats, since: nil, seconds: Double(uptime))
        }
        return Interval(stats, since: last, seconds: (now - lastAt) / .seconds(1))
    }
}
