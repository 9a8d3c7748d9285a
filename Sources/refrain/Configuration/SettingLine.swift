/// A directive as it is in effect.
struct SettingLine: Sendable {
    let directive: Directive
    /// The directive's arguments.
    let words: [String]
    /// Nil: a default.
    let place: SourceLine?

    /// The line's text in a file.
    var spelling: String { "\(directive.name) \(value)" }
    /// The arguments, as they would be written.
    var value: String { words.map(ConfigurationLexer.spelling).joined(separator: " ") }
}
