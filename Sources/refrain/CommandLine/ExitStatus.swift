/// How a run of the program ended, as its exit code says.
enum ExitStatus: Int32, CaseIterable, Sendable {
    case done = 0
    /// It failed, or a threshold was missed.
    case failed = 1
    /// The command line was wrong.
    case usage = 2
    /// The configuration was wrong (EX_CONFIG of sysexits.h).
    case configuration = 78
}

/// Why a command did not do what it was asked.
enum CommandFailure: Error, Equatable, Sendable {
    case failed(String)
    case usage(String)
    case configuration([ConfigurationError])

    var status: ExitStatus {
        switch self {
        case .failed: .failed
        case .usage: .usage
        case .configuration: .configuration
        }
    }

    /// One line each.
    var messages: [String] {
        switch self {
        case .failed(let message), .usage(let message): [message]
        case .configuration(let errors): errors.map(\.description)
        }
    }
}
