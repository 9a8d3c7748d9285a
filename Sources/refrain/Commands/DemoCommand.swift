extension Command {
    static let demo = Command(
        "demo", "run the proxy in front of a simulated API, in one process", options: [DemoOptions.listen],
        details: ["It needs no credentials and no configuration, writes no file, and says which URLs to try."],
        examples: [.init("refrain demo", "listens on 127.0.0.1:8080 until it is interrupted")],
        signals: TaggedParagraph.stopSignals
    ) { arguments, context throws(CommandFailure) in
        try runDemo(DemoOptions(arguments), context)
    }
}
