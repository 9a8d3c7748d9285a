import Proxy
import Text

// `explain`: how a request would be answered and why, without sending it.

extension Command {
    private static let method = CommandOption("method", "METHOD", "method of the request (GET)")
    private static let user = CommandOption("user", "as if the request had a Music-User-Token")

    static let explain = Command(
        "explain", "show how a request would be answered and why, without sending it", positional: "URL",
        options: [method, user, .config, .admin, .adminTokenFile, .json],
        details: [
            "The proxy decides on the request with what is stored now, and reports the decision instead of carrying "
                + "it out. URL is a path with its query, or a full URL, whose host is ignored.",
            "Personal answers are shown only as sums over all users of the same route: their number, bytes and ages.",
        ],
        examples: [
            .init(
                "refrain explain /v1/catalog/us/songs/1440935467",
                "shows whether the request would be a hit, and if not, why"),
            .init("refrain explain --user /v1/me/library/songs", "does the same for a request with a user token"),
        ]
    ) { arguments, context throws(CommandFailure) in
        var parameters = [("url", try arguments.url(of: "explain"))]
        if let name = try arguments.word(method, of: HypotheticalRequest.methodNames) {
            parameters.append(("method", name))
        }
        if arguments.has(user) { parameters.append(("user", "1")) }
        let body = try AdminClient(arguments, context).ask("/explain", parameters)
        if arguments.has(.json) { return context.done(json: body) }
        guard let explanation = try? JSON.parse(body), explanation["plan"]?.stringValue != nil else {
            throw .failed("the answer to GET /explain has no plan")
        }
        context.output.standard(ReplyTable.text(of: explanation, width: context.output.width))
        return .done
    }
}
