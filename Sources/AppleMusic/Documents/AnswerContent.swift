/// Whether a text that was well-formed to its end is an answer of the API (APPLE-MUSIC-API 5.1).
///
/// An answer is an object. Its `data`, if any, is an array that does not begin with null, its
/// `results` an object, and `errors` do not take the place of both. Objects of another shape are
/// answers too: not every endpoint is known. Told of each array and object that is the text or a
/// member of it, and of values of the wrong type for their members.
struct AnswerContent {
    private var isObject = false
    /// Whether `data` or `results` has anything in it.
    private(set) var hasItems = false
    /// Whether it lists errors, beside content or alone.
    private(set) var hasErrors = false
    /// Whether a `data` or `results` is something else than it has to be.
    var isMisshapen = false

    var isAnswer: Bool { isObject && (hasItems || !isMisshapen && !hasErrors) }

    /// The whole text is an array or object that begins here.
    mutating func noteWhole(_ bytes: Span<UInt8>, _ start: Int) { isObject = bytes[start] == UInt8(ascii: "{") }

    /// - Parameters:
    ///   - start: of the opening bracket of a member's value in `bytes`.
    ///   - end: after the closing one.
    mutating func noteMember(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) {
        let first = DocumentScanner.skipWhitespace(bytes, from: start + 1)
        let (isObject, isEmpty) = (bytes[start] == UInt8(ascii: "{"), first == end - 1)
        if Self.isNamed("data", bytes, start) {
            note(isRight: !isObject && bytes[first] != UInt8(ascii: "n"), isEmpty)
        } else if Self.isNamed("results", bytes, start) {
            note(isRight: isObject, isEmpty)
        } else if !isEmpty, Self.isNamed("errors", bytes, start) {
            hasErrors = true
        }
    }

    private mutating func note(isRight: Bool, _ isEmpty: Bool) {
        if !isRight { isMisshapen = true } else if !isEmpty { hasItems = true }
    }

    /// Whether the member whose value starts here has this name, spelt without escapes.
    private static func isNamed(_ name: StaticString, _ bytes: Span<UInt8>, _ start: Int) -> Bool {
        guard let colon = lastOfText(bytes, before: start), bytes[colon] == UInt8(ascii: ":"),
            let quote = lastOfText(bytes, before: colon), bytes[quote] == UInt8(ascii: "\"")
        else { return false }
        let begin = quote - name.utf8CodeUnitCount
        guard begin > 0, bytes[begin - 1] == UInt8(ascii: "\"") else { return false }
        return TextSlice(begin, quote).equals(name, in: bytes)
    }

    /// The last byte before `end` that is no white space.
    private static func lastOfText(_ bytes: Span<UInt8>, before end: Int) -> Int? {
        var position = end - 1
        while position >= 0, bytes[position] <= 0x20 { position -= 1 }
        return position >= 0 ? position : nil
    }
}
