import AppleMusic
import Proxy
import Simulator

/// Completions of a value, by its name in the tables.
enum CompletedValue: Equatable, Sendable {
    case file
    case directory
    /// A word of these.
    case words([String])
    /// A prefix of these, and something after it.
    case prefixes([String])
    /// Nothing is known of it.
    case unknown

    /// - Parameter commands: those of the program, which are topics of its help.
    init(named name: String, in commands: [Command]) {
        switch name {
        case "FILE": self = .file
        case "DIRECTORY": self = .directory
        case "CLASS": self = .words(ResourceClass.allCases.map(\.name))
        case "CODE": self = .words(SimulatedStorefronts.codes.sorted())
        case "METHOD": self = .words(HypotheticalRequest.methodNames)
        case "SHELL": self = .words(Shell.allCases.map(\.rawValue))
        case "KIND[:RATE]": self = .words(Fault.Kind.allCases.map(\.rawValue))
        case "TYPE:ID": self = .prefixes(ResourceClass.allCases.filter(\.isResourceType).map { $0.name + ":" })
        case "[TOPIC]": self = .words(HelpTopic.names(in: commands))
        default:
            // Such as `on|off|export FILE`: words to type, each perhaps with something after it.
            let words = name.split(separator: "|").map { String($0.prefix { $0 != " " }) }
            let areLiteral = words.count > 1 && words.allSatisfy { $0.allSatisfy(\.isLowercase) }
            self = areLiteral ? .words(words) : .unknown
        }
    }
}
