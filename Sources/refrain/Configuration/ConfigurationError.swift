// The place of a line of configuration, and the errors that point there.

/// A line of a configuration file, written `file:line`.
struct SourceLine: Hashable, Sendable, CustomStringConvertible {
    /// The path as it was given or composed from an `include`.
    let file: String
    /// Counted from 1.
    let line: Int

    var description: String { "\(file):\(line)" }
}

/// A mistake in a configuration. Never holds the content of a secret file.
struct ConfigurationError: Error, Equatable, Sendable, CustomStringConvertible {
    /// Nil where no line is to blame, for example when the file itself cannot be read.
    let place: SourceLine?
    let message: String

    /// The error on one line: `file:line: message`.
    var description: String { place.map { "\($0): \(message)" } ?? message }
}
