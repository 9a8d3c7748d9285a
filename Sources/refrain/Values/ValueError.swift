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

    /// `"VALUE" is not A, B or C`, with the word that was meant if one is near.
    init(_ value: String, isNoneOf words: [String]) {
        let others = words.count > 1 ? words.dropLast().joined(separator: ", ") + " or " : ""
        self.init(value, isNot: others + (words.last ?? "") + Suggestion.text(for: value, in: words))
    }
}

/// `text` in double quotes as messages show it: printable, and 48 characters at most.
func quoted(_ text: some StringProtocol) -> String {
    let limit = 48
    let safe = text.unicodeScalars.prefix(limit).map { $0.value < 0x20 || $0.value == 0x7F ? "?" : String($0) }
    return "\"" + safe.joined() + (text.unicodeScalars.count > limit ? "..." : "") + "\""
}
