/// Options of `demo`.
struct DemoOptions: Equatable, Sendable {
    /// Where the proxy listens; nil: the default of `listen`.
    let listen: HostPort?

    static let listen = CommandOption("listen", "ADDRESS:PORT", "where the proxy listens (127.0.0.1:8080)")

    init(_ arguments: CommandArguments) throws(CommandFailure) {
        listen = try arguments.parsed(Self.listen, HostPort.init)
    }
}
