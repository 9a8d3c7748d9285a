// `record`: recordings of traffic.

extension Command {
    static let record = Command(
        "record", "turn a recording into HAR", positional: "export FILE", upTo: 2,
        options: [RecordExport.har, RecordExport.force],
        details: [
            "HAR is what the developer tools of browsers import and export. A HAR file, or an index of responses, is read wherever a "
                + "recording is."
        ],
        examples: [
            .init("refrain record export traffic.jsonl --har traffic.har", "writes a file that a browser opens")
        ]
    ) { arguments, context throws(CommandFailure) in
        guard arguments.positional.first == "export" else {
            throw .usage("record: what? (refrain record export FILE --har OUT)")
        }
        return try RecordExport.run(arguments.positional.dropFirst(), arguments, context.output)
    }
}
