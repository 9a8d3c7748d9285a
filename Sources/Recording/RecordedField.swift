import HTTP

/// A field of a request or an answer.
public struct RecordedField: Sendable, Hashable {
    /// In lower case.
    public let name: String
    public let value: String

    public init(_ name: String, _ value: String) {
        (self.name, self.value) = (name, value)
    }
}

extension RecordedField {
    /// Whether a field, or a method, may be called so (RFC 9110 5.6.2).
    public static func isName(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        return bytes.count <= 256 && bytes.span.isToken(0..<bytes.count)
    }

    /// Whether a field may have this value: nothing in it ends a line.
    public static func isValue(_ text: String) -> Bool {
        text.utf8.count <= 16 << 10 && text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
    }
}
