/// What `demo` was asked for.
struct DemoOptions: Equatable, Sendable {
    /// Where the proxy listens; nil: the default of `listen`.
    let listen: HostPort?

    static let listen = CommandOption("listen", "ADDRESS:PORT", "where the proxy listens (127.0.0.1:8080)")

    init(_ arguments: CommandArguments) throws(CommandFailure) {
        listen = try arguments.parsed(Self.listen, HostPort.init)
    }
}

extension Command {
    static let demo = Command(
        "demo", "run the proxy in front of a simulated API, in one process", options: [DemoOptions.listen],
        details: ["It needs no credentials and no configuration, writes no file, and says which URLs to try."],
        examples: [.init("refrain demo", "listens on 127.0.0.1:8080 until it is interrupted")],
        signals: ProgramSignal.stopping
    ) { arguments, context throws(CommandFailure) in
        try runDemo(DemoOptions(arguments), context)
    }
}

extension CommandArguments {
    /// The value of an option read by `read`, or nil where it was not given.
    func parsed<Value>(
        _ option: CommandOption, _ read: (String) throws(ValueError) -> Value
    ) throws(CommandFailure) -> Value? {
        guard let text = value(option) else { return nil }
        do throws(ValueError) {
            return try read(text)
        } catch {
            throw .usage("--\(option.name): \(error.message)")
        }
    }
}
