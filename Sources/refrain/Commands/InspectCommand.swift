import Admin
import Cache
import Store
import Text

// `inspect`: all that is known of one stored answer.

extension Command {
    private static let body = CommandOption("body", "write the content as it is stored, and nothing else")

    static let inspect = Command(
        "inspect", "show all that is known of one stored answer", positional: "URL",
        options: [body, .config, .admin, .adminTokenFile, .json],
        details: [
            "URL is a path with its query, or a whole address, whose host does not count. Any spelling of a request will do."
        ],
        examples: [
            .init(
                "refrain inspect /v1/catalog/us/songs/1440935467", "shows age, freshness, fields and where it is kept"),
            .init("refrain inspect --body /v1/catalog/us/songs/1440935467 > song.json", "writes the content to a file"),
        ]
    ) { arguments, context throws(CommandFailure) in
        let url = try arguments.url(of: "inspect")
        var parameters = [("url", url)]
        if arguments.has(body) { parameters.append(("body", "1")) }
        let answer = try AdminClient(arguments, context.files).get("/entry", parameters)
        if arguments.has(body) {
            context.output.bytes(answer)
        } else if arguments.has(.json) {
            context.output.json(answer)
        } else {
            guard let entry = try? JSON.parse(answer), let stored = entry["stored"]?.arrayValue else {
                throw .failed("the answer to GET /entry has nothing stored in it")
            }
            let terminal = context.output.terminal
            for answer in stored {
                context.output.standard(StoredAnswerTable.text(of: answer, at: entry["target"], for: terminal))
            }
        }
        return .done
    }
}

extension CommandArguments {
    /// The URL that a command is about, held to the rules of the proxy, so that what is wrong with
    /// it is a usage error.
    func url(of command: String) throws(CommandFailure) -> String {
        guard let url = positional.first else {
            throw .usage("\(command): which URL? (see \"refrain help \(command)\")")
        }
        do throws(AdminRequestError) {
            _ = try EntrySelection.target(of: url)
        } catch {
            throw .usage("\(command): \(error.detail)")
        }
        return url
    }
}

private enum StoredAnswerTable {
    static func text(of answer: JSON, at target: JSON?, for terminal: Terminal) -> String {
        let freshness = answer["freshness"]?.stringValue ?? "-"
        var table = Table.named()
        table.add(["target", .shown(target)])
        if let variant = answer["variant"]?.stringValue, !variant.isEmpty {
            table.add(["variant", Table.Cell(variant)])
        }
        for name in ["class", "storefront", "status"] { table.add([Table.Cell(name), .shown(answer[name])]) }
        table.add(["received", .shown(answer["received_at"])])
        table.add(["freshness", Table.Cell(freshness, EntryTable.style(of: freshness))])
        for (title, name) in [
            ("age", "age"), ("ttl", "ttl"), ("fresh for", "fresh_for"), ("then stale for", "stale_for"),
            ("or if the origin fails", "stale_if_error_for"), ("kept for a 304", "keep_for"),
        ] {
            table.add([Table.Cell(title), .span(answer[name])])
        }
        for (title, name) in [
            ("head", "head_bytes"), ("content", "body_bytes"), ("in gzip", "gzip_bytes"), ("in memory", "memory_bytes"),
        ] {
            table.add([Table.Cell(title), answer[name]?.intValue.map { Table.Cell("\($0) bytes") } ?? "-"])
        }
        table.add(["resources", answer["resources"] == .null ? "may name any" : .shown(answer["resources"])])
        table.add(["composed", .shown(answer["composed"])])
        for part in answer["composed_of"]?.arrayValue ?? [] { table.add(["  of", .shown(part)]) }
        return table.text(for: terminal) + "\n" + fields(answer, terminal) + "\n"
    }

    private static func fields(_ answer: JSON, _ terminal: Terminal) -> String {
        var table = Table.named()
        for field in answer["fields"]?.arrayValue ?? [] {
            table.add([Table.Cell(field["name"]?.stringValue ?? "-", .bold), .shown(field["value"])])
        }
        return table.text(for: terminal)
    }
}
