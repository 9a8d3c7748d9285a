// The place of a line of configuration, the errors that point there, and how they end a command.

/// A line of a configuration file, written `file:line`.
struct SourceLine: Hashable, Sendable, CustomStringConvertible {
    /// The path as it was given or composed from an `include`.
    let file: String
    /// Counted from 1.
    let line: Int

    var description: String { "\(file):\(line)" }
}

/// One thing that is wrong with a configuration. Never holds the content of a secret file.
struct ConfigurationError: Error, Equatable, Sendable, CustomStringConvertible {
    /// Nil where no line is to blame, for example when the file itself cannot be read.
    let place: SourceLine?
    let message: String

    /// One line: `file:line: message`.
    var description: String { place.map { "\($0): \(message)" } ?? message }
}

/// Why a command did not do what it was asked.
enum CommandFailure: Error, Equatable, Sendable {
    case failed(String)
    case usage(String)
    /// Everything that is wrong with a configuration, in reading order; never empty.
    case configuration([ConfigurationError])

    /// A setting that was found wrong when it was put to use.
    static func badSetting(_ message: String) -> CommandFailure {
        .configuration([ConfigurationError(place: nil, message: message)])
    }

    /// One line each.
    var messages: [String] {
        switch self {
        case .failed(let message), .usage(let message): [message]
        case .configuration(let errors): errors.map(\.description)
        }
    }
}
