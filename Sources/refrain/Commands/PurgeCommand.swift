import Admin
import Glibc
import Text

// `purge`: makes stored answers stale, or removes them, in a running proxy.

extension Command {
    private static let selectors = EntrySelector.purging.map { selector in
        CommandOption(selector.name, selector.value, selector.purgeHelp ?? "")
    }
    private static let all = CommandOption("all", "all answers")
    private static let hard = CommandOption("hard", "remove them; without it they become stale")
    private static let dryRun = CommandOption("dry-run", "only count them")

    static let purge = Command(
        "purge", "make stored answers of a running proxy stale, or remove them",
        options: selectors + [all, hard, dryRun, .config, .admin, .adminTokenFile, .json],
        details: [
            "A stale answer is served within the stale time of its class while a new one is fetched in the "
                + "background. With --hard the answer is removed, and the next request waits for the origin. Personal "
                + "answers are purged like all others.",
            "If nodes share a tier, all of them purge. Nodes that have not confirmed the purge are listed, and the "
                + "exit status is 1 then; they purge as soon as they reach the tier.",
            "A pattern is matched against the path only, as refrain list shows it, not against the query. A node "
                + "whose version does not know patterns purges everything. Count the matches first with --dry-run.",
            "Answers that the proxy has composed from stored ones are dropped, and not counted: \"purged 0 entries\" "
                + "may have dropped one.",
            "Without admin_token_file, only root and the user that the proxy runs as may purge.",
        ],
        examples: [
            .init("refrain purge --resource songs:1440935467", "makes every answer that contains this song stale"),
            .init(
                "refrain purge --prefix /v1/catalog/us/charts --dry-run",
                "counts the answers that it would make stale"),
            .init(
                "refrain purge --match '/v1/catalog/*/albums/*' --dry-run",
                "counts the answers about albums of all storefronts"),
            .init("refrain purge --all --hard", "empties the cache"),
        ]
    ) { arguments, context throws(CommandFailure) in
        let content = try purgeContent(arguments)
        let counting = "the proxy counts the chosen answers"
        let wait = arguments.has(dryRun) ? counting : "a purge is in effect from the start; \(counting)"
        let body = try ask(AdminClient(arguments, context), content, context.output, waiting: wait)
        guard let answer = try? JSON.parse(body), let count = answer["purged"]?.intValue else {
            throw .failed("the answer to POST /purge has no count (purged)")
        }
        let reach = PurgeReach(answer)
        guard !arguments.has(.json) else {
            context.output.json(body)
            return reach.status
        }
        let verb = arguments.has(dryRun) ? "would purge" : "purged"
        let noun = count == 1 ? "entry" : "entries"
        context.output.line("\(verb) \(count) \(noun) (\(arguments.has(hard) ? "hard" : "soft"))\(reach.words)")
        if !reach.isLogged {
            context.output.problem(
                reach.refusal.map { "the engine refused the purge (\($0)): the other nodes purge when it accepts it" }
                    ?? "the shared tier is unavailable: the other nodes purge when it is back; repeat the purge then")
        }
        if reach.isWidened {
            context.output.problem(
                "too many purges wait for the shared tier: the other nodes will make all their answers stale")
        }
        return reach.status
    }

    /// The proxy's answer, which may take minutes: a terminal shows how long it has been so far.
    private static func ask(
        _ client: AdminClient, _ content: [UInt8], _ output: Output, waiting: String
    ) throws(CommandFailure) -> [UInt8] {
        let width = output.width == nil ? nil : terminalWidth(STDERR_FILENO)
        let progress = width.map { ProgressLine(output, width: $0) }
        defer { progress?.end() }
        return try client.ask(
            "/purge", sending: content, within: .seconds(600),
            progress: progress?.waiting(for: waiting))
    }

    /// The content of the request, held to the rules of the proxy: a wrong one is a usage error.
    private static func purgeContent(_ arguments: CommandArguments) throws(CommandFailure) -> [UInt8] {
        var object = JSONObject()
        for option in selectors {
            if let value = arguments.value(option) { object.append(option.name, .string(value)) }
        }
        guard !object.isEmpty || arguments.has(all) else {
            let names = selectors.map { "--" + $0.name }.joined(separator: ", ")
            throw .usage("purge: needs \(names) or --all (see \"refrain help purge\")")
        }
        guard object.isEmpty || !arguments.has(all) else {
            throw .usage("purge: --all cannot be combined with another selector")
        }
        if arguments.has(all) { object.append("all", true) }
        if arguments.has(hard) { object.append("hard", true) }
        if arguments.has(dryRun) { object.append("dry_run", true) }
        let content = JSON.object(object).bytes
        do throws(AdminRequestError) {
            _ = try PurgeRequest(content)
        } catch {
            throw .usage("purge: --\(error.sentence)")
        }
        return content
    }
}

/// How far a purge has reached the other nodes, by the answer to `POST /purge`; nothing where there
/// are none.
private struct PurgeReach {
    /// Printed after the count.
    let words: String
    /// False where the other nodes do not hear of it before the tier is back.
    let isLogged: Bool
    /// Whether they hear of a purge of everything then.
    let isWidened: Bool
    /// The engine's words, if it answers and does not take the purge.
    let refusal: String?
    let status: ExitStatus

    init(_ answer: JSON) {
        let missing = (answer["missing"]?.arrayValue ?? []).map { node in
            "\(node["name"].shown) (last seen \(node["last_seen"].span) ago)"
        }
        var words = ""
        if let nodes = answer["nodes"]?.intValue, let reached = answer["reached"]?.intValue {
            words = " on \(reached) of \(nodes) nodes"
        }
        refusal = answer["refused"]?.stringValue
        let isAlone = answer["nodes"] == .null
        if isAlone { words = " on this node; the engine is unavailable, so the other nodes are unknown" }
        if !missing.isEmpty { words += "; missing: " + missing.joined(separator: ", ") }
        self.words = words
        isLogged = answer["logged"] != .bool(false)
        isWidened = answer["widened"] == .bool(true)
        status = isLogged && missing.isEmpty && !isAlone ? .done : .failed
    }
}
