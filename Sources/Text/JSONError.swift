// Why a text is not JSON.

/// Place and cause of a parsing failure. Never quotes the text, which may hold secrets.
public struct JSONError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The fault; the raw value describes it.
    public enum Reason: String, Sendable, CaseIterable {
        case truncated = "the text ends inside a value"
        case unexpectedByte = "an unexpected byte"
        case trailingContent = "content after the value"
        case tooDeep = "nested too deeply"
        case badNumber = "a malformed number"
        case badEscape = "an unknown escape"
        /// An escaped surrogate without its other half: no UTF-8 text can hold it.
        case loneSurrogate = "half of a surrogate pair"
        case controlCharacter = "an unescaped control character"
        case invalidUTF8 = "bytes that are not UTF-8"
    }

    /// The fault.
    public let reason: Reason
    /// In bytes from the start of the text: of the byte at fault, or of the string or number it
    /// belongs to.
    public let offset: Int

    public var description: String { "not JSON: \(reason.rawValue), at byte \(offset)" }
}
