/// Topics of `help`.
enum HelpTopic: Sendable {
    /// A command, and the directive that has the same name.
    case command(Command, Directive?)
    case configuration
    case directive(Directive)

    /// Names of all topics, each once.
    static func names(in commands: [Command]) -> [String] {
        commands.map(\.name) + [ManualPage.configurationName]
            + Directive.table.map(\.name).filter { name in !commands.contains { $0.name == name } }
    }

    init(named name: String, in commands: [Command]) throws(CommandFailure) {
        if let command = commands.first(where: { $0.name == name }) {
            self = .command(command, Directive.named(name))
        } else if name == ManualPage.configurationName {
            self = .configuration
        } else if let directive = Directive.named(name) {
            self = .directive(directive)
        } else {
            throw Command.unknown(name, among: Self.names(in: commands), kind: "command or directive")
        }
    }

    /// The page that it is on.
    var manualPage: ManualPage {
        switch self {
        case .command(let command, _): ManualPage(of: command)
        case .configuration, .directive: .configuration
        }
    }
}
