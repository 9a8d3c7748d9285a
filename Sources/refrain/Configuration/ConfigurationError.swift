// Where a line of configuration stands, and the errors that point there.

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

/// Everything that is wrong with a configuration, in reading order; never empty.
struct ConfigurationErrors: Error, Equatable, Sendable {
    let errors: [ConfigurationError]
}

/// Why the arguments of one directive, or the value of one option, were refused; the reader of the
/// line adds the place.
struct ValueError: Error, Equatable, Sendable {
    let message: String

    init(_ message: String) {
        self.message = message
    }

    /// `"VALUE" is not WANTED`, the value cut to a length at which a secret pasted by mistake is
    /// not repeated in full.
    init(_ value: String, isNot wanted: String) {
        message = "\(quoted(value)) is not \(wanted)"
    }
}

/// `text` in double quotes as messages show it: printable, and 48 characters at most.
func quoted(_ text: some StringProtocol) -> String {
    let limit = 48
    let safe = text.unicodeScalars.prefix(limit).map { $0.value < 0x20 || $0.value == 0x7F ? "?" : String($0) }
    return "\"" + safe.joined() + (text.unicodeScalars.count > limit ? "..." : "") + "\""
}
