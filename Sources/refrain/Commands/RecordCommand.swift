import Text

// `record`: switches the recording of a running proxy on and off, and shows how it fares. The first
// word says which; `export` is about a file and no running proxy.

extension Command {
    static let record = Command(
        "record", "switch the recording of traffic on or off, show how it fares, or export a recording",
        positional: "on|off|status|export FILE", upTo: 2,
        options: [RecordExport.har, RecordExport.force, .config, .admin, .adminTokenFile, .json],
        details: [
            "The file is the one that the directive record names: nobody can choose another from here. \"record FILE off\" "
                + "in the configuration starts nothing until it is switched on.",
            "status counts exchanges, bytes and what was left out since the proxy was started, over all files.",
            "Without admin_token_file only root and the user that the proxy runs as may switch it.",
            "export writes a recording as HAR, which the developer tools of browsers open. HAR files of theirs are read wherever a "
                + "recording is.",
        ],
        examples: [
            .init("refrain record on", "begins to record to the configured file"),
            .init("refrain record status", "shows the file, and what was recorded and left out since the start"),
            .init("refrain record export traffic.jsonl --har traffic.har", "writes a file that a browser opens"),
        ]
    ) { arguments, context throws(CommandFailure) in
        guard let word = arguments.positional.first else {
            throw .usage("record: on, off, status or export? (see \"refrain help record\")")
        }
        let words = ["on", "off", "status", RecordExport.word]
        guard words.contains(word) else {
            throw .usage("record: unknown \(quoted(word))\(Suggestion.text(for: word, in: words))")
        }
        if word == RecordExport.word {
            return try RecordExport.run(arguments.positional.dropFirst(), arguments, context.output)
        }
        guard arguments.positional.count == 1 else {
            throw .usage("record: unexpected argument \(quoted(arguments.positional[1])) (see \"refrain help record\")")
        }
        let client = try AdminClient(arguments, context.files)
        let body =
            word == "status"
            ? try client.get("/recording")
            : try client.post("/recording", Array("{\"on\":\(word == "on")}".utf8), within: .seconds(10))
        if arguments.has(.json) { return context.done(json: body) }
        guard let recording = try? JSON.parse(body), recording["on"] != nil else {
            throw .failed("the answer of /recording does not say whether it is on")
        }
        context.output.standard(ReplyTable.text(of: recording, width: context.output.width))
        return .done
    }
}
