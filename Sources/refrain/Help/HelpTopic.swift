/// Topics of `help`.
enum HelpTopic: Sendable {
    /// A command, and the directive that has the same name.
    case command(Command, Directive?)
    case configuration
    case directive(Directive)

    /// Each once.
    static var names: [String] {
        let commands = Command.table.map(\.name)
        return commands + [ManualPage.configurationName] + Directive.table.map(\.name).filter { !commands.contains($0) }
    }

    init(named name: String) throws(CommandFailure) {
        if let command = Command.table.first(where: { $0.name == name }) {
            self = .command(command, Directive.named(name))
        } else if name == ManualPage.configurationName {
            self = .configuration
        } else if let directive = Directive.named(name) {
            self = .directive(directive)
        } else {
            throw Command.unknown(name, among: Self.names)
        }
    }

    /// The page that it stands on.
    var manualPage: ManualPage {
        switch self {
        case .command(let command, _): ManualPage(of: command)
        case .configuration, .directive: .configuration
        }
    }
}
