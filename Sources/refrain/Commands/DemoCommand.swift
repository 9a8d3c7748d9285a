extension Command {
    private static let listen = CommandOption(
        "listen", "ADDRESS:PORT", "address to listen on (127.0.0.1:8080)")

    static let demo = Command(
        "demo", "run the proxy in front of a simulated API, in one process", options: [listen],
        details: ["It needs no credentials and no configuration, writes no file, and shows URLs to try."],
        examples: [.init("refrain demo", "listens on 127.0.0.1:8080 until it is interrupted")],
        signals: TaggedParagraph.stopSignals
    ) { arguments, context throws(CommandFailure) in
        try runDemo(arguments.parsed(listen, HostPort.init(_:)), context)
    }
}
