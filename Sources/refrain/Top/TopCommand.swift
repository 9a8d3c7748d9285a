import EventLoop
import Glibc
import Text

extension Command {
    static let top = Command(
        "top", "watch a running proxy: outcomes, times, the most expensive misses; q quits",
        options: [.config, .admin, .adminTokenFile, TopCommand.interval, TopCommand.once, .json],
        examples: [
            .init("refrain top --interval 5s", "refreshes every five seconds until q is pressed"),
            .init("refrain top --once --json", "writes the counters since the start as JSON"),
        ]
    ) { arguments, context throws(CommandFailure) in
        try TopCommand(arguments, context).run()
    }
}

/// Looks at `/stats` again and again, and shows the changes.
struct TopCommand {
    static let interval = CommandOption("interval", "DURATION", "refresh interval (1s)")
    static let once = CommandOption("once", "show the counters since the start once, then exit")

    private let client: AdminClient
    private let output: Output
    private let interval: Duration
    private let isOnce: Bool
    private let isJSON: Bool

    /// A shorter interval would show noise, and a longer one is no watching.
    private static let intervals = Duration.milliseconds(100)...Duration.seconds(3600)

    init(_ arguments: CommandArguments, _ context: CommandContext) throws(CommandFailure) {
        client = try AdminClient(arguments, context)
        output = context.output
        isOnce = arguments.has(Self.once)
        isJSON = arguments.has(.json)
        interval = try arguments.parsed(Self.interval, or: "1s") { text throws(ValueError) in
            try Quantity.duration(text, in: Self.intervals, "from 100ms to 1h")
        }
    }

    func run() throws(CommandFailure) -> ExitStatus {
        if isOnce {
            let stats = try look()
            show(stats, Interval(stats))
            return .done
        }
        let kind = getenv("TERM").map { String(cString: $0) }
        if !isJSON, let screen = TopTerminal(kind: kind) { return try watch(on: screen) }
        let signals = SignalWatcher.leaving("refrain.top")
        defer { withExtendedLifetime(signals) {} }
        var watch = TopWatch(try look(), at: .now())
        while true {
            usleep(UInt32(clamping: min(interval / .milliseconds(1) * 1000, 4e9)))
            guard let stats = try? look() else {
                output.problem(trouble)
                continue
            }
            show(stats, watch.interval(to: stats, at: .now()))
        }
    }

    /// Until the user leaves.
    private func watch(on screen: TopTerminal) throws(CommandFailure) -> ExitStatus {
        var watch = TopWatch(try look(), at: .now())
        var interval = Interval(watch.last, since: watch.last, seconds: 1)
        var hasAnswer = true
        var nextLook = Instant.now() + self.interval
        while true {
            // The window may have changed its size.
            let frame = TopScreen(
                stats: watch.last, interval: interval, width: terminalWidth(STDOUT_FILENO), lines: screen.lines)
            screen.show(hasAnswer ? frame.text : trouble + "\n")
            guard screen.stays(until: nextLook) else { return .done }
            // The proxy may be on its way back from a restart, which the user wants to see.
            let stats = try? look()
            hasAnswer = stats != nil
            if let stats { interval = watch.interval(to: stats, at: .now()) }
            nextLook = .now() + self.interval
        }
    }

    private var trouble: String { "no answer from \(client.server): retrying" }

    private func look() throws(CommandFailure) -> JSON { try AdminClient.stats(client.ask("/stats")) }

    private func show(_ stats: JSON, _ interval: Interval) {
        if isJSON {
            output.line(String(decoding: interval.json(with: stats).bytes, as: UTF8.self))
        } else {
            output.line(TopScreen(stats: stats, interval: interval, width: output.width, lines: nil).text)
        }
    }
}

/// The look with which the next one is compared. Pure.
struct TopWatch {
    private(set) var last: JSON
    private var lastAt: Instant

    init(_ first: JSON, at now: Instant) {
        (last, lastAt) = (first, now)
    }

    /// The figures since the last look that was answered; where the proxy was restarted in between,
    /// since that.
    mutating func interval(to stats: JSON, at now: Instant) -> Interval {
        defer { (last, lastAt) = (stats, now) }
        guard stats["started_at"] == last["started_at"] else { return Interval(stats) }
        return Interval(stats, since: last, seconds: (now - lastAt) / .seconds(1))
    }
}
