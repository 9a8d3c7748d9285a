import Admin
import Text

// `reload`: a running proxy reads its configuration again, and reports the result.

extension Command {
    static let reload = Command(
        "reload", "make a running proxy read its configuration again",
        options: [.config, .admin, .adminTokenFile, .json],
        details: [
            "Like SIGHUP, but it waits for the result, shows the changed directives, and fails if the proxy rejected "
                + "the configuration and changed nothing.",
            "Without admin_token_file, only root and the user that the proxy runs as may reload.",
        ],
        examples: [
            .init("refrain reload", "applies the current file, or shows its errors")
        ]
    ) { arguments, context throws(CommandFailure) in
        let client = try AdminClient(arguments, context)
        let body = try client.ask("/reload", sending: Array("{}".utf8), within: .seconds(60))
        if arguments.has(.json) { return context.done(json: body) }
        let outcome = try? JSON.parse(body)
        guard let changed = outcome?["changed"]?.arrayValue else {
            throw .failed("the answer to POST /reload has no list of changes (changed)")
        }
        let names = changed.map { Optional($0).shown }.joined(separator: ", ")
        let ending = outcome?["ending_connections"]?.intValue ?? 0
        context.output.line(
            "reloaded; " + (names.isEmpty ? "no setting has changed" : "changed: \(names)")
                + (ending > 0 ? "; \(ReloadOutcome.words(ofEnding: ending))" : ""))
        return .done
    }
}
