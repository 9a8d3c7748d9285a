/// How a run of the program ended, as its exit code says.
enum ExitStatus: Int32, CaseIterable, Sendable {
    case done = 0
    /// It failed, or a threshold was missed, or not all nodes have done it.
    case failed = 1
    /// The command line was wrong.
    case usage = 2
    /// A replay measured its own generator rather than the target: run it again.
    case invalidRun = 3
    /// The configuration was wrong (EX_CONFIG of sysexits.h).
    case configuration = 78

    /// For the help and the man pages.
    var meaning: String {
        switch self {
        case .done: "done"
        case .failed: "failed"
        case .usage: "wrong usage"
        case .invalidRun: "invalid run of replay"
        case .configuration: "wrong configuration"
        }
    }
}

extension CommandFailure {
    var status: ExitStatus {
        switch self {
        case .failed: .failed
        case .usage: .usage
        case .configuration: .configuration
        }
    }

    /// The failure with the command's name before that of an option: values are read by code that
    /// does not know for which command.
    func naming(_ command: Command) -> CommandFailure {
        switch self {
        case .usage(let message) where message.hasPrefix("--"): .usage("\(command.name): \(message)")
        case .failed(let message) where message.hasPrefix("--"): .failed("\(command.name): \(message)")
        default: self
        }
    }
}
