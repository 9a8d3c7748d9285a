import HTTP

/// One `name=value` of a `Cookie` field, as places in the head (RFC 6265 4.2.1).
struct CookiePair {
    /// All of it, without the spaces around it.
    let whole: Range<Int>
    let name: Range<Int>
    /// Without the quotes that some servers take off; empty where there is none.
    let value: Range<Int>

    init(_ range: Range<Int>, in bytes: Span<UInt8>) {
        whole = bytes.trimmingWhitespace(range)
        let equals = whole.first { bytes[$0] == UInt8(ascii: "=") } ?? whole.upperBound
        name = bytes.trimmingWhitespace(whole.lowerBound..<equals)
        let text = bytes.trimmingWhitespace(min(equals + 1, whole.upperBound)..<whole.upperBound)
        let isQuoted =
            text.count >= 2 && bytes[text.lowerBound] == UInt8(ascii: "\"")
            && bytes[text.upperBound - 1] == UInt8(ascii: "\"")
        value = isQuoted ? text.lowerBound + 1..<text.upperBound - 1 : text
    }

    /// Whether it has this name, in any case: a server may not tell them apart.
    func isNamed(_ lowercase: StaticString, in bytes: Span<UInt8>) -> Bool {
        bytes.equalsIgnoringCase(name, lowercase)
    }
}

extension [CookiePair] {
    /// The pairs between the semicolons of a field's value.
    init(_ range: Range<Int>, in bytes: Span<UInt8>) {
        self = []
        var start = range.lowerBound
        for index in range where bytes[index] == UInt8(ascii: ";") {
            append(CookiePair(start..<index, in: bytes))
            start = index + 1
        }
        append(CookiePair(start..<range.upperBound, in: bytes))
    }
}
