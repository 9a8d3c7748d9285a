/// What `help` can be asked about.
enum HelpTopic: Sendable {
    case command(Command)
    case configuration
    case directive(Directive)

    /// In the order in which they are looked for; a test says that none is another's.
    static let names = Command.table.map(\.name) + [ManualPage.configurationName] + Directive.table.map(\.name)

    init(named name: String) throws(CommandFailure) {
        if let command = Command.table.first(where: { $0.name == name }) {
            self = .command(command)
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
        case .command(let command): ManualPage(of: command)
        case .configuration, .directive: .configuration
        }
    }
}
