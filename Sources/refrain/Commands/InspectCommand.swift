import Admin
import Cache
import Purging
import Store
import Text

// `inspect`: all that is known of one stored answer.

extension Command {
    private static let body = CommandOption("body", "write only the stored content")

    static let inspect = Command(
        "inspect", "show all metadata of one stored answer", positional: "URL",
        options: [body, .config, .admin, .adminTokenFile, .json],
        details: [
            "URL is a path with its query, or a full URL, whose host is ignored. Any spelling of the request matches."
        ],
        examples: [
            .init(
                "refrain inspect /v1/catalog/us/songs/1440935467",
                "shows age, freshness, fields and where it is stored"),
            .init("refrain inspect --body /v1/catalog/us/songs/1440935467 > song.json", "writes the content to a file"),
        ]
    ) { arguments, context throws(CommandFailure) in
        let url = try arguments.url(of: "inspect")
        var parameters = [("url", url)]
        if arguments.has(body) { parameters.append(("body", "1")) }
        let answer = try AdminClient(arguments, context).ask("/entry", parameters)
        if arguments.has(body) {
            context.output.bytes(answer)
        } else if arguments.has(.json) {
            context.output.json(answer)
        } else {
            guard let entry = try? JSON.parse(answer), let stored = entry["stored"]?.arrayValue else {
                throw .failed("the answer to GET /entry has no stored answer")
            }
            for answer in stored { context.output.standard(text(of: answer, in: entry, context.output.width)) }
        }
        return .done
    }

    /// The answer, and below it the fields that are stored with it.
    private static func text(of answer: JSON, in entry: JSON, _ width: Int?) -> String {
        let whole =
            [JSONObject.Member(key: "target", value: entry["target"] ?? .null)]
            + (answer.objectValue?.members ?? [])
        let fields = (answer["fields"]?.arrayValue ?? []).map { ($0["name"].shown, $0["value"].shown) }
        return ReplyTable.text(of: .object(JSONObject(members: whole)), width: width) + "\n"
            + Table.text(fields, width: width) + "\n"
    }
}

extension CommandArguments {
    /// The URL that a command is about, held to the rules of the proxy: a wrong one is a usage
    /// error.
    func url(of command: String) throws(CommandFailure) -> String {
        guard let url = positional.first else {
            throw .usage("\(command): expected a URL or a path (see \"refrain help \(command)\")")
        }
        do throws(AdminRequestError) {
            _ = try EntrySelection.target(of: url)
        } catch {
            throw .usage("\(command): \(error.sentence)")
        }
        return url
    }
}
