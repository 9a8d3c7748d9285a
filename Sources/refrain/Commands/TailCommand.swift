import EventLoop
import Glibc
import Proxy

extension Command {
    static let tail = Command(
        "tail", "follow the requests of a running proxy, line by line",
        options: TailCommand.options + [.config, .admin, .adminTokenFile, .json],
        details: [
            "It writes the lines that the access log would have, whatever access_log says, of the requests for which "
                + "all conditions hold; --not-... takes those for which one does not. It goes on until it is ended, "
                + "over restarts of the proxy too."
        ],
        examples: [
            .init("refrain tail --status 5xx", "shows the answers with errors"),
            .init(
                "refrain tail --client web --outcome miss --slow 200ms",
                "shows the slow misses of one client"),
            .init(
                "refrain tail --target '/v1/catalog/*/albums/*' --not-user-agent curl --json",
                "writes requests for albums as JSON, without those of curl"),
        ]
    ) { arguments, context throws(CommandFailure) in
        try TailCommand(arguments, context).run()
    }
}

/// Reads lines from `/events`, and begins again when the proxy does.
struct TailCommand {
    /// For each fact an option that wants it, and one that does not.
    private static let conditions = RequestCondition.facts.flatMap { fact in
        [
            (fact, option: CommandOption(fact.name, fact.value, "only " + fact.help)),
            (fact, option: CommandOption("not-" + fact.name, fact.value, "not these")),
        ]
    }

    static let options = conditions.map(\.option)

    private let client: AdminClient
    private let output: Output
    private let parameters: [(String, String)]

    /// Seconds between two attempts to reach a proxy that has stopped.
    private static let pause: UInt32 = 1

    init(_ arguments: CommandArguments, _ context: CommandContext) throws(CommandFailure) {
        var parameters = [("lines", arguments.has(.json) ? "json" : "combined")]
        for (fact, option) in Self.conditions {
            guard let text = arguments.value(option) else { continue }
            do throws(RequestCondition.Mistake) {
                _ = try fact.condition(text)
            } catch {
                throw .usage(
                    "tail: --\(option.name): \(error.words)\(Suggestion.text(for: text, in: fact.words))")
            }
            parameters.append((option.name, text))
        }
        self.parameters = parameters
        client = try AdminClient(arguments, context)
        output = context.output
    }

    func run() throws(CommandFailure) -> ExitStatus {
        warnOfUnknownClients()
        let signals = SignalWatcher.leaving("refrain.tail")
        defer { withExtendedLifetime(signals) {} }
        // Whether it was ever followed, and whether it is at this moment.
        var (wasReached, isLost) = (false, false)
        while true {
            let ending = client.follow("/events", parameters) {
                if isLost { output.problem("following again", .notice) }
                (wasReached, isLost) = (true, false)
            } _: { event in
                show(event)
            }
            switch ending {
            case .refused(let failure): throw failure
            case .lost(let failure):
                // Before that it is more likely that the address is wrong.
                guard wasReached else { throw failure }
                if !isLost { output.problem("no answer from \(client.server): waiting for it; requests are missed") }
                isLost = true
            }
            sleep(Self.pause)
        }
    }

    /// A name that no key has: no line would come, and nothing would say why. It may be that of a
    /// key which a reload brings.
    private func warnOfUnknownClients() {
        let named = parameters.filter { $0.0 == "client" || $0.0 == "not-client" }.map { $0.1 }
        guard !named.isEmpty, let answer = try? client.ask("/stats"), let stats = try? AdminClient.stats(answer),
            let clients = stats["clients"]?.arrayValue
        else { return }
        let known = clients.compactMap { $0["name"]?.stringValue }
        for name in named where !known.contains(name) {
            output.problem("warn: no client key has the name \(quoted(name))\(Suggestion.text(for: name, in: known))")
        }
    }

    private func show(_ event: EventReader.Event) {
        switch event.name {
        case "lines": output.standard(event.lines.joined(separator: "\n") + "\n")
        case "omitted": output.problem("\(event.lines[0]) more requests were not shown: too many at once")
        default: break
        }
    }
}
