import Proxy
import Text

// `explain`: what would become of a request and why, without sending it.

extension Command {
    private static let method = CommandOption("method", "METHOD", "of a request with this method (GET)")
    private static let user = CommandOption("user", "of a request with a Music-User-Token")

    static let explain = Command(
        "explain", "show what would become of a request and why, without sending it", positional: "URL",
        options: [method, user, .config, .admin, .adminTokenFile, .json],
        details: [
            "The proxy takes the decision that it would take for a request, on what is stored now, and says it instead of acting on it. "
                + "URL is a path with its query, or a whole address, whose host does not count."
        ],
        examples: [
            .init(
                "refrain explain /v1/catalog/us/songs/1440935467", "says whether this would be a hit, and if not why"),
            .init("refrain explain --user /v1/me/library/songs", "the same for a request with a user's token"),
        ]
    ) { arguments, context throws(CommandFailure) in
        var parameters = [("url", try arguments.url(of: "explain"))]
        if let name = arguments.value(method) {
            guard HypotheticalRequest.methodNames.contains(name) else {
                let names = HypotheticalRequest.methodNames.joined(separator: ", ")
                throw .usage("explain: --method: expected one of \(names)")
            }
            parameters.append(("method", name))
        }
        if arguments.has(user) { parameters.append(("user", "1")) }
        let body = try AdminClient(arguments, context.files).get("/explain", parameters)
        if arguments.has(.json) { return context.done(json: body) }
        guard let explanation = try? JSON.parse(body), explanation["plan"]?.stringValue != nil else {
            throw .failed("the answer to GET /explain has no plan")
        }
        context.output.standard(ExplanationTable.text(of: explanation, for: context.output.terminal))
        return .done
    }
}

private enum ExplanationTable {
    static func text(of explanation: JSON, for terminal: Terminal) -> String {
        var table = Table.named()
        table.add(["plan", Table.Cell(explanation["plan"]?.stringValue ?? "-", .bold)])
        table.add(["why", .shown(explanation["why"])])
        table.add(["reason", .shown(explanation["reason"])])
        table.add(["origin asked", .shown(explanation["asks_origin"])])
        if explanation["asks_tier"] == .bool(true) { table.add(["shared tier", "asked before the origin"]) }
        table.add(["waits for another", .shown(explanation["waits_for_another"])])
        for name in ["target", "route", "class", "scope", "storefront"] {
            table.add([Table.Cell(name), .shown(explanation[name])])
        }
        table.add(["ttl", .shown(explanation["rule"])])
        let fields = explanation["selecting_fields"]?.arrayValue?.compactMap(\.stringValue) ?? []
        if !fields.isEmpty { table.add(["differs by", Table.Cell(fields.joined(separator: ", "))]) }
        table.add(["stored", stored(explanation["stored"])])
        if let last = explanation["last_answer"], last != .null { table.add(["last answer", answer(last)]) }
        if let composing = explanation["composing"], composing != .null { add(composing, to: &table) }
        if let sentence = explanation["not_composed"]?["why"]?.stringValue {
            table.add(["not composed", Table.Cell(sentence)])
        }
        if explanation["needs_client_key"] == .bool(true) { table.add(["client key", "needed"]) }
        return table.text(for: terminal)
    }

    /// `400 2s ago, not stored (status)`.
    private static func answer(_ last: JSON) -> Table.Cell {
        let status = last["status"]?.intValue.map { "\($0)" } ?? "none"
        let reason = Table.Cell.shown(last["reason"]).text
        return Table.Cell("\(status), \(Table.Cell.span(last["age"]).text) ago, not stored (\(reason))", .red)
    }

    private static func stored(_ stored: JSON?) -> Table.Cell {
        guard let stored, stored != .null, let freshness = stored["freshness"]?.stringValue else { return "nothing" }
        let words = [
            freshness, "age \(Table.Cell.span(stored["age"]).text)", "ttl \(Table.Cell.span(stored["ttl"]).text)",
            "status \(Table.Cell.shown(stored["status"]).text)", "\(Table.Cell.shown(stored["bytes"]).text) bytes",
            "in \(Table.Cell.shown(stored["tier"]).text)",
        ]
        return Table.Cell(words.joined(separator: ", "), EntryTable.style(of: freshness))
    }

    private static func add(_ composing: JSON, to table: inout Table) {
        if let kind = composing["kind"]?.stringValue { table.add(["composed", Table.Cell(kind)]) }
        for part in composing["parts"]?.arrayValue ?? [] { table.add(["  of", .shown(part)]) }
        if let supplement = composing["supplement"]?.stringValue { table.add(["fetches", Table.Cell(supplement)]) }
    }
}
