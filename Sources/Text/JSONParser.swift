// A strict parser for RFC 8259: no comments, no trailing commas, no byte order mark, nothing after
// the value.
//
// Must hold: the open arrays and objects are on a list and not on the call stack, so that no
// input can exhaust the stack; the work is linear in the input; numbers are checked against the
// grammar and copied, never converted.

extension JSON {
    /// How many arrays and objects may be open at once (FRAMING 2.10).
    public static let maxDepth = 128

    /// The value a UTF-8 text holds.
    public static func parse(_ bytes: Span<UInt8>) throws(JSONError) -> JSON {
        var parser = JSONParser()
        return try parser.parse(bytes)
    }

    /// The value a UTF-8 text holds.
    public static func parse(_ bytes: [UInt8]) throws(JSONError) -> JSON { try parse(bytes.span) }
}

private struct JSONParser {
    /// An array or object whose end has not come yet.
    private struct Frame {
        let isObject: Bool
        var elements: [JSON] = []
        var object = JSONObject()
        var key = ""
    }

    private var position = 0
    private var open: [Frame] = []
    private var scratch: [UInt8] = []

    mutating func parse(_ bytes: Span<UInt8>) throws(JSONError) -> JSON {
        while true {
            skipWhitespace(bytes)
            guard let value = try beginValue(bytes) else { continue }
            guard let whole = try complete(value, bytes) else { continue }
            skipWhitespace(bytes)
            guard position == bytes.count else { throw error(.trailingContent) }
            return whole
        }
    }

    /// A scalar or an empty array or object; nil after the opening of one that has content.
    private mutating func beginValue(_ bytes: Span<UInt8>) throws(JSONError) -> JSON? {
        switch try byte(bytes) {
        case UInt8(ascii: "{"):
            try push(Frame(isObject: true))
            skipWhitespace(bytes)
            if try byte(bytes) == UInt8(ascii: "}") { return pop() }
            try parseKey(bytes)
            return nil
        case UInt8(ascii: "["):
            try push(Frame(isObject: false))
            skipWhitespace(bytes)
            return try byte(bytes) == UInt8(ascii: "]") ? pop() : nil
        case UInt8(ascii: "\""): return .string(try parseString(bytes))
        case UInt8(ascii: "t"): return try parseWord("true", .bool(true), bytes)
        case UInt8(ascii: "f"): return try parseWord("false", .bool(false), bytes)
        case UInt8(ascii: "n"): return try parseWord("null", .null, bytes)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number(try parseNumber(bytes))
        default: throw error(.unexpectedByte)
        }
    }

    /// Puts a finished value where it belongs and closes the arrays and objects that end after it;
    /// the whole value once nothing is open.
    private mutating func complete(_ finished: JSON, _ bytes: Span<UInt8>) throws(JSONError) -> JSON? {
        var value = finished
        while let last = open.indices.last {
            let isObject = open[last].isObject
            if isObject {
                open[last].object.append(open[last].key, value)
            } else {
                open[last].elements.append(value)
            }
            skipWhitespace(bytes)
            let next = try byte(bytes)
            if next == UInt8(ascii: ",") {
                position += 1
                guard isObject else { return nil }
                skipWhitespace(bytes)
                try parseKey(bytes)
                return nil
            }
            guard next == (isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) else { throw error(.unexpectedByte) }
            value = pop()
        }
        return value
    }

    private mutating func push(_ frame: Frame) throws(JSONError) {
        guard open.count < JSON.maxDepth else { throw error(.tooDeep) }
        open.append(frame)
        position += 1
    }

    private mutating func pop() -> JSON {
        position += 1
        let frame = open.removeLast()
        return frame.isObject ? .object(frame.object) : .array(frame.elements)
    }

    private mutating func parseKey(_ bytes: Span<UInt8>) throws(JSONError) {
        guard try byte(bytes) == UInt8(ascii: "\"") else { throw error(.unexpectedByte) }
        let key = try parseString(bytes)
        open[open.count - 1].key = key
        skipWhitespace(bytes)
        guard try byte(bytes) == UInt8(ascii: ":") else { throw error(.unexpectedByte) }
        position += 1
    }

    private mutating func parseWord(
        _ word: StaticString, _ value: JSON, _ bytes: Span<UInt8>
    ) throws(JSONError) -> JSON {
        for index in 0..<word.utf8CodeUnitCount {
            guard try byte(bytes) == word.utf8Start[index] else { throw error(.unexpectedByte) }
            position += 1
        }
        return value
    }

    private func byte(_ bytes: Span<UInt8>) throws(JSONError) -> UInt8 {
        guard position < bytes.count else { throw error(.truncated) }
        return bytes[position]
    }

    private mutating func skipWhitespace(_ bytes: Span<UInt8>) {
        while position < bytes.count {
            switch bytes[position] {
            case 0x20, 0x09, 0x0A, 0x0D: position += 1
            default: return
            }
        }
    }

    private func error(_ reason: JSONError.Reason) -> JSONError {
        JSONError(reason: reason, offset: position)
    }
}

// MARK: Numbers

extension JSONParser {
    private mutating func parseNumber(_ bytes: Span<UInt8>) throws(JSONError) -> String {
        let start = position
        if bytes[position] == UInt8(ascii: "-") { position += 1 }
        if position < bytes.count, bytes[position] == UInt8(ascii: "0") {
            position += 1
        } else {
            try skipDigits(bytes)
        }
        if position < bytes.count, bytes[position] == UInt8(ascii: ".") {
            position += 1
            try skipDigits(bytes)
        }
        if position < bytes.count, bytes[position] | 0x20 == UInt8(ascii: "e") {
            position += 1
            if position < bytes.count, bytes[position] == UInt8(ascii: "+") || bytes[position] == UInt8(ascii: "-") {
                position += 1
            }
            try skipDigits(bytes)
        }
        return try text(bytes, start..<position)
    }

    /// Skips at least one digit.
    private mutating func skipDigits(_ bytes: Span<UInt8>) throws(JSONError) {
        let start = position
        while position < bytes.count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[position]) {
            position += 1
        }
        guard position > start else { throw error(position == bytes.count ? .truncated : .badNumber) }
    }
}

// MARK: Strings

extension JSONParser {
    /// `position` is at the opening quotation mark; afterwards it is after the closing one.
    private mutating func parseString(_ bytes: Span<UInt8>) throws(JSONError) -> String {
        position += 1
        let start = position
        var isEscaped = false
        while true {
            let next = try byte(bytes)
            switch next {
            case UInt8(ascii: "\""):
                position += 1
                return try isEscaped ? unescapedText(start) : text(bytes, start..<position - 1)
            case UInt8(ascii: "\\"):
                if !isEscaped {
                    isEscaped = true
                    scratch.removeAll(keepingCapacity: true)
                    for index in start..<position { scratch.append(bytes[index]) }
                }
                try parseEscape(bytes)
            case 0..<0x20: throw error(.controlCharacter)
            default:
                if isEscaped { scratch.append(next) }
                position += 1
            }
        }
    }

    /// `position` is at the reverse solidus.
    private mutating func parseEscape(_ bytes: Span<UInt8>) throws(JSONError) {
        position += 1
        switch try byte(bytes) {
        case UInt8(ascii: "\""): scratch.append(UInt8(ascii: "\""))
        case UInt8(ascii: "\\"): scratch.append(UInt8(ascii: "\\"))
        case UInt8(ascii: "/"): scratch.append(UInt8(ascii: "/"))
        case UInt8(ascii: "b"): scratch.append(0x08)
        case UInt8(ascii: "f"): scratch.append(0x0C)
        case UInt8(ascii: "n"): scratch.append(0x0A)
        case UInt8(ascii: "r"): scratch.append(0x0D)
        case UInt8(ascii: "t"): scratch.append(0x09)
        case UInt8(ascii: "u"):
            position += 1
            return try parseScalar(bytes)
        default: throw error(.badEscape)
        }
        position += 1
    }

    /// The hexadecimal digits of `\uXXXX`, and the second escape of a surrogate pair.
    private mutating func parseScalar(_ bytes: Span<UInt8>) throws(JSONError) {
        let first = try parseCodeUnit(bytes)
        var value = UInt32(first)
        if UTF16.isLeadSurrogate(first) {
            guard try byte(bytes) == UInt8(ascii: "\\") else { throw error(.loneSurrogate) }
            position += 1
            guard try byte(bytes) == UInt8(ascii: "u") else { throw error(.loneSurrogate) }
            position += 1
            let second = try parseCodeUnit(bytes)
            guard UTF16.isTrailSurrogate(second) else { throw error(.loneSurrogate) }
            value = 0x10000 + ((UInt32(first) & 0x3FF) << 10) + (UInt32(second) & 0x3FF)
        }
        guard let scalar = Unicode.Scalar(value) else { throw error(.loneSurrogate) }
        scratch.append(contentsOf: scalar.utf8)
    }

    private mutating func parseCodeUnit(_ bytes: Span<UInt8>) throws(JSONError) -> UInt16 {
        var value: UInt16 = 0
        for _ in 0..<4 {
            guard let digit = Hexadecimal.value(try byte(bytes)) else { throw error(.badEscape) }
            value = value << 4 | UInt16(digit)
            position += 1
        }
        return value
    }

    private func text(_ bytes: Span<UInt8>, _ range: Range<Int>) throws(JSONError) -> String {
        guard let valid = try? UTF8Span(validating: bytes.extracting(range)) else {
            throw JSONError(reason: .invalidUTF8, offset: range.lowerBound)
        }
        return String(copying: valid)
    }

    private func unescapedText(_ start: Int) throws(JSONError) -> String {
        guard let valid = String(validating: scratch, as: UTF8.self) else {
            throw JSONError(reason: .invalidUTF8, offset: start)
        }
        return valid
    }
}
