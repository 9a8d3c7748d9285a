/// What `help` can be asked about.
enum HelpTopic: Sendable {
    /// A command, and the directive that has the same name.
    case command(Command, Directive?)
    case configuration
    case directive(Directive)

    /// Each once.
    static let names =
        Command.table.map(\.name) + [ManualPage.configurationName]
        + Directive.table.map(\.name).filter { name in !Command.table.contains { $0.name == name } }

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
