/// A structured field that is a dictionary (RFC 9651 3.2, 4.2.2), taken as strictly as that asks
/// for: one byte out of place and there is no dictionary. Parameters and the members of inner lists
/// are checked and left out.
enum StructuredDictionary {
    /// Value of a member, as far as it is used here.
    enum Value: Sendable, Equatable {
        /// At most fifteen digits.
        case integer(Int)
        /// Also that of a member without a value.
        case boolean(Bool)
        /// Text between the quotes, escapes included.
        case string(ByteRange)
        /// A decimal, a token, a byte sequence, a date, a display string, or an inner list.
        case other
    }

    /// One member. Of several with one key the last counts.
    struct Member: Sendable, Equatable {
        let key: ByteRange
        let value: Value
    }

    /// The members in their order, which may be none; nil when `bytes` are no dictionary.
    static func members(_ bytes: Span<UInt8>) -> [Member]? {
        var parser = StructuredFieldParser(end: bytes.count)
        var members: [Member] = []
        parser.skipSpaces(bytes)
        while !parser.isAtEnd {
            guard let key = parser.key(bytes), let value = parser.memberValue(bytes) else { return nil }
            members.append(Member(key: key, value: value))
            parser.skipWhitespace(bytes)
            if parser.isAtEnd { break }
            guard parser.take(",", bytes) else { return nil }
            parser.skipWhitespace(bytes)
            // A comma behind the last member.
            if parser.isAtEnd { return nil }
        }
        return members
    }
}

/// The steps of RFC 9651 4.2, each nil or false where parsing fails.
private struct StructuredFieldParser {
    typealias Value = StructuredDictionary.Value

    private var index = 0
    private let end: Int

    init(end: Int) { self.end = end }

    var isAtEnd: Bool { index == end }

    private func peek(_ bytes: Span<UInt8>) -> UInt8? { index < end ? bytes[index] : nil }

    mutating func take(_ character: Unicode.Scalar, _ bytes: Span<UInt8>) -> Bool {
        guard peek(bytes) == UInt8(ascii: character) else { return false }
        index += 1
        return true
    }

    mutating func skipSpaces(_ bytes: Span<UInt8>) {
        while peek(bytes) == ASCII.space { index += 1 }
    }

    mutating func skipWhitespace(_ bytes: Span<UInt8>) {
        while let byte = peek(bytes), ASCII.isWhitespace(byte) { index += 1 }
    }

    private mutating func skip(_ bytes: Span<UInt8>, while isWanted: (UInt8) -> Bool) {
        while let byte = peek(bytes), isWanted(byte) { index += 1 }
    }

    mutating func key(_ bytes: Span<UInt8>) -> ByteRange? {
        let start = index
        guard let first = peek(bytes), first == UInt8(ascii: "*") || Self.isLowercase(first) else { return nil }
        skip(bytes) { byte in
            Self.isLowercase(byte) || ASCII.isDigit(byte) || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-")
                || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "*")
        }
        return ByteRange(start, index)
    }

    /// Reads the value after a member's key, parameters included.
    mutating func memberValue(_ bytes: Span<UInt8>) -> Value? {
        guard take("=", bytes) else { return parameters(bytes) ? .boolean(true) : nil }
        if peek(bytes) == UInt8(ascii: "(") { return innerList(bytes) ? .other : nil }
        guard let value = bareItem(bytes), parameters(bytes) else { return nil }
        return value
    }

    private mutating func innerList(_ bytes: Span<UInt8>) -> Bool {
        guard take("(", bytes) else { return false }
        while !isAtEnd {
            skipSpaces(bytes)
            if take(")", bytes) { return parameters(bytes) }
            guard bareItem(bytes) != nil, parameters(bytes) else { return false }
            guard peek(bytes) == ASCII.space || peek(bytes) == UInt8(ascii: ")") else { return false }
        }
        return false
    }

    private mutating func parameters(_ bytes: Span<UInt8>) -> Bool {
        while take(";", bytes) {
            skipSpaces(bytes)
            guard key(bytes) != nil else { return false }
            if take("=", bytes), bareItem(bytes) == nil { return false }
        }
        return true
    }

    private mutating func bareItem(_ bytes: Span<UInt8>) -> Value? {
        guard let first = peek(bytes) else { return nil }
        switch first {
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return number(bytes)
        case UInt8(ascii: "\""): return string(bytes)
        case UInt8(ascii: "?"): return boolean(bytes)
        case UInt8(ascii: ":"): return byteSequence(bytes) ? .other : nil
        case UInt8(ascii: "@"): return date(bytes) ? .other : nil
        case UInt8(ascii: "%"): return displayString(bytes) ? .other : nil
        default: return token(bytes) ? .other : nil
        }
    }

    /// 4.2.4: fifteen digits, or twelve and up to three behind a point.
    private mutating func number(_ bytes: Span<UInt8>) -> Value? {
        let isNegative = take("-", bytes)
        let start = index
        skip(bytes, while: ASCII.isDigit)
        let digits = start..<index
        guard !digits.isEmpty, digits.count <= 15, let magnitude = Decimal.parse(bytes, digits) else { return nil }
        guard take(".", bytes) else { return .integer(isNegative ? -magnitude : magnitude) }
        let fraction = index
        skip(bytes, while: ASCII.isDigit)
        return digits.count <= 12 && (1...3).contains(index - fraction) ? .other : nil
    }

    private mutating func string(_ bytes: Span<UInt8>) -> Value? {
        guard take("\"", bytes) else { return nil }
        let start = index
        while let byte = peek(bytes) {
            index += 1
            switch byte {
            case UInt8(ascii: "\""): return .string(ByteRange(start, index - 1))
            case UInt8(ascii: "\\"): guard take("\"", bytes) || take("\\", bytes) else { return nil }
            case 0x20...0x7E: break
            default: return nil
            }
        }
        return nil
    }

    private mutating func boolean(_ bytes: Span<UInt8>) -> Value? {
        guard take("?", bytes) else { return nil }
        if take("1", bytes) { return .boolean(true) }
        return take("0", bytes) ? .boolean(false) : nil
    }

    private mutating func token(_ bytes: Span<UInt8>) -> Bool {
        guard let first = peek(bytes), first == UInt8(ascii: "*") || Self.isLowercase(first | 0x20) else {
            return false
        }
        skip(bytes) { ASCII.isToken($0) || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "/") }
        return true
    }

    private mutating func byteSequence(_ bytes: Span<UInt8>) -> Bool {
        guard take(":", bytes) else { return false }
        skip(bytes) { byte in
            Self.isLowercase(byte | 0x20) || ASCII.isDigit(byte) || byte == UInt8(ascii: "+")
                || byte == UInt8(ascii: "/") || byte == UInt8(ascii: "=")
        }
        return take(":", bytes)
    }

    private mutating func date(_ bytes: Span<UInt8>) -> Bool {
        guard take("@", bytes), case .integer = number(bytes) else { return false }
        return true
    }

    /// 4.2.10: visible ASCII, and bytes of UTF-8 as two lower-case hexadecimal digits behind a
    /// percent sign.
    private mutating func displayString(_ bytes: Span<UInt8>) -> Bool {
        guard take("%", bytes), take("\"", bytes) else { return false }
        var text: [UInt8] = []
        while let byte = peek(bytes) {
            index += 1
            switch byte {
            case UInt8(ascii: "\""): return String(validating: text, as: UTF8.self) != nil
            case UInt8(ascii: "%"):
                guard index + 2 <= end, let high = Self.hexadecimal(bytes[index]),
                    let low = Self.hexadecimal(bytes[index + 1])
                else { return false }
                text.append(UInt8(high * 16 + low))
                index += 2
            case 0x20...0x7E: text.append(byte)
            default: return false
            }
        }
        return false
    }

    private static func hexadecimal(_ byte: UInt8) -> Int? {
        ASCII.lowercased(byte) == byte ? ASCII.hexadecimalValue(byte) : nil
    }

    private static func isLowercase(_ byte: UInt8) -> Bool { byte &- 0x61 < 26 }
}
