import Text

// `record`: switches the recording of a running proxy on and off, and shows its status. The first
// word says which; `export` is about a file and no running proxy.

extension Command {
    static let record = Command(
        "record", "switch the recording of traffic on or off, show its status, or export a recording",
        positional: "on|off|status|export FILE", upTo: 2,
        options: [RecordExport.har, RecordExport.force, .config, .admin, .adminTokenFile, .json],
        details: [
            "The directive record names the file; this command cannot choose another one. With \"record FILE off\" in "
                + "the configuration, recording starts only when it is switched on.",
            "status counts recorded and dropped exchanges, and bytes, over all files since the proxy was started.",
            "Without admin_token_file, only root and the user that the proxy runs as may switch recording.",
            "export writes a recording as HAR, which browsers' developer tools can open. Every command that reads a "
                + "recording also reads HAR.",
        ],
        examples: [
            .init("refrain record on", "starts to record to the configured file"),
            .init("refrain record status", "shows the file and the counts of recorded and dropped exchanges"),
            .init("refrain record export traffic.jsonl --har traffic.har", "writes a file that browsers can open"),
        ]
    ) { arguments, context throws(CommandFailure) in
        guard let word = arguments.positional.first else {
            throw .usage("record: expected on, off, status or export (see \"refrain help record\")")
        }
        let words = ["on", "off", "status", RecordExport.word]
        guard words.contains(word) else {
            throw .usage("record: \(ValueError(word, isNoneOf: words).message)")
        }
        if word == RecordExport.word {
            return try RecordExport.run(arguments.positional.dropFirst(), arguments, context.output)
        }
        guard arguments.positional.count == 1 else {
            throw .usage("record: unexpected argument \(quoted(arguments.positional[1])) (see \"refrain help record\")")
        }
        let client = try AdminClient(arguments, context)
        let body =
            word == "status"
            ? try client.ask("/recording")
            : try client.ask("/recording", sending: Array("{\"on\":\(word == "on")}".utf8), within: .seconds(10))
        if arguments.has(.json) { return context.done(json: body) }
        guard let recording = try? JSON.parse(body), recording["on"] != nil else {
            throw .failed("the answer of /recording has no member on")
        }
        context.output.standard(ReplyTable.text(of: recording, width: context.output.width))
        return .done
    }
}
