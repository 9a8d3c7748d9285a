import AppleMusic

// `record`: switches the recording of a running proxy on and off, and shows how it fares. The first word says which; a word is a
// case of `RecordAction`.

/// What `record` is asked to do.
enum RecordAction: String, CaseIterable, Sendable {
    case on, off, status
}

extension Command {
    static let record = Command(
        "record", "switch the recording of traffic on or off in a running proxy, or show how it fares",
        positional: "on|off|status",
        options: [.admin, .adminTokenFile, .json],
        details: [
            "The file is the one that the directive record names: nobody can choose another from here. \"record FILE off\" "
                + "in the configuration starts nothing until it is switched on.",
            "Without admin_token_file only root and the user that the proxy runs as may switch it.",
        ],
        examples: [
            .init("refrain record on", "begins to record to the configured file"),
            .init("refrain record status", "shows the file, what is in it, and what was left out"),
        ]
    ) { arguments, context throws(CommandFailure) in
        guard let word = arguments.positional.first else {
            throw .usage("record: on, off or status? (see \"refrain help record\")")
        }
        guard let action = RecordAction(rawValue: word) else {
            throw .usage(
                "record: unknown \(quoted(word))\(Suggestion.text(for: word, in: RecordAction.allCases.map(\.rawValue)))"
            )
        }
        let client = try AdminClient(arguments, context.files)
        let body =
            switch action {
            case .on: try client.post("/recording", Array(#"{"on":true}"#.utf8), within: .seconds(10))
            case .off: try client.post("/recording", Array(#"{"on":false}"#.utf8), within: .seconds(10))
            case .status: try client.get("/recording")
            }
        guard !arguments.has(.json) else {
            context.output.json(body)
            return .done
        }
        guard let recording = try? JSON.parse(body), let isOn = recording["on"] else {
            throw .failed("the answer of /recording does not say whether it is on")
        }
        context.output.standard(RecordingTable.text(of: recording, isOn == .bool(true), for: context.output.terminal))
        return .done
    }
}

private enum RecordingTable {
    static func text(of recording: JSON, _ isOn: Bool, for terminal: Terminal) -> String {
        var table = Table.named()
        table.add(["recording", isOn ? "on" : "off"])
        table.add(["file", "\(recording["file"]?.stringValue ?? "none: there is no record line in the configuration")"])
        if let since = recording["since"]?.stringValue { table.add(["since", "\(since)"]) }
        if case .number(let share) = recording["sampling"], share != "1.0" { table.add(["share", "\(share)"]) }
        for name in ["exchanges", "bytes", "dropped"] {
            if let count = recording[name]?.intValue { table.add(["\(name)", "\(String(count))"]) }
        }
        if let problem = recording["problem"]?.stringValue { table.add(["problem", "\(problem)"]) }
        return table.text(for: terminal)
    }
}
