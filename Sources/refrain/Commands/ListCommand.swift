import Admin
import AppleMusic
import Text

// `list`: the stored answers of a running proxy.

extension Command {
    private static let selectors = EntrySelector.listing.map { selector in
        (selector, option: CommandOption(selector.name, selector.value, selector.listHelp ?? ""))
    }
    private static let limit = CommandOption("limit", "N", "show at most N (\(EntriesQuery.standardLimit))")

    private static let sort = CommandOption(
        "sort", EntriesQuery.orders.joined(separator: "|"),
        "size: largest first; age: oldest first; use: most recently used first (default)")

    static let list = Command(
        "list", "show what a running proxy has stored",
        options: selectors.map(\.option) + [sort, limit, .config, .admin, .adminTokenFile, .json],
        details: [
            "For personal answers (--class personal) it shows the route in place of the target, the status, size and "
                + "age, never the user. Selectors match the route only."
        ],
        examples: [
            .init("refrain list --storefront us --class charts", "shows the charts of one storefront"),
            .init(
                "refrain list --resource songs:1440935467 --sort size",
                "shows answers that contain a song, the largest first"),
            .init(
                "refrain list --prefix /v1/catalog/us/albums --limit 1000 --json",
                "writes up to 1000 entries as JSON"),
        ]
    ) { arguments, context throws(CommandFailure) in
        var parameters: [(String, String)] = []
        for (selector, option) in selectors {
            guard let value = arguments.value(option) else { continue }
            if selector.name == "class" { _ = try arguments.parsed(option, classNamed) }
            do throws(AdminRequestError) {
                _ = try selector.condition(value)
            } catch {
                throw .usage("list: --\(error.sentence)")
            }
            parameters.append((option.name, value))
        }
        if let order = try arguments.word(sort, of: EntriesQuery.orders) { parameters.append((sort.name, order)) }
        if let most = try arguments.count(limit, in: EntriesQuery.limits) {
            parameters.append(("limit", String(most)))
        }
        let body = try AdminClient(arguments, context).ask("/entries", parameters)
        if arguments.has(.json) { return context.done(json: body) }
        guard let answer = try? JSON.parse(body), let entries = answer["entries"]?.arrayValue else {
            throw .failed("the answer to GET /entries has no entries")
        }
        if !entries.isEmpty { context.output.standard(entryTable(of: entries, width: context.output.width)) }
        if entries.isEmpty { context.output.problem("no stored answer matches") }
        if answer["truncated"] == .bool(true) {
            context.output.problem("only the first \(entries.count) are shown; --limit N shows more")
        }
        return .done
    }

    private static func classNamed(_ text: String) throws(ValueError) -> ResourceClass {
        guard let known = ResourceClass(name: text) else {
            let names = ResourceClass.allCases.map(\.name)
            let hint = Suggestion.text(for: text, in: names)
            throw ValueError(
                text, isNot: "a class" + (hint.isEmpty ? "; classes are \(names.joined(separator: ", "))" : hint))
        }
        return known
    }

    /// Entries for people; the target comes last, because the last column may be cut.
    private static func entryTable(of entries: [JSON], width: Int?) -> String {
        let columns = [
            "status", "class", "storefront", ">age", ">ttl", "freshness", ">bytes", "coding", "tiers", "target",
        ]
        let rows = entries.map { entry in
            let tiers = entry["tiers"]?.arrayValue?.compactMap(\.stringValue).joined(separator: "+") ?? ""
            return [
                entry["status"].shown, entry["class"].shown, entry["storefront"].shown, entry["age"].span,
                entry["ttl"].span, entry["freshness"].shown, entry["bytes"].shown, entry["coding"].shown,
                tiers.isEmpty ? "-" : tiers, entry["target"].shown,
            ]
        }
        return Table.text(columns, rows, width: width)
    }
}
