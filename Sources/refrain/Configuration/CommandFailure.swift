/// Why a command failed.
enum CommandFailure: Error, Equatable, Sendable {
    case failed(String)
    case usage(String)
    /// Everything that is wrong with a configuration, in reading order; never empty.
    case configuration([ConfigurationError])

    /// A setting that was found wrong when it was put to use.
    static func badSetting(_ message: String) -> CommandFailure {
        .configuration([ConfigurationError(place: nil, message: message)])
    }

    /// Error messages, of one line each.
    var messages: [String] {
        switch self {
        case .failed(let message), .usage(let message): [message]
        case .configuration(let errors): errors.map(\.description)
        }
    }
}

/// Returns the result of `body`. Its error ends the command, with its subject in front.
func attempt<Value>(
    _ about: String, or failure: (String) -> CommandFailure = CommandFailure.failed, _ body: () throws -> Value
) throws(CommandFailure) -> Value {
    do {
        return try body()
    } catch {
        throw failure("\(about): \(error)")
    }
}
