// A strict parser for RFC 8259: no comments, no trailing commas, no byte order mark, nothing after
// the value.
//
// What must hold: the open arrays and objects are on a list and not on the call stack, so that no
// input can exhaust the stack; the work is linear in the input; numbers are checked against the
// grammar and copied, never converted.

extension JSON {
    /// How many arrays and objects may be open at once (HARDENING 3).
    public static let maxDepth = 128

    /// The value a UTF-8 text holds.
    public static func parse(_ bytes: Span<UInt8>) throws(JSONError) -> JSON {
        var parser = JSONParser()
        return try parser.parse(bytes)
    }

    /// The value a UTF-8 text holds.
    public static func parse(_ bytes: [UInt8]) throws(JSONError) -> JSON {
        try parse(bytes.span)
    }
}

struct JSONParser {
    /// An array or object whose end has not come yet.
    private struct Frame {
        let isObject: Bool
        var elements: [JSON] = []
        var object = JSONObject()
        var key = ""
    }

    var position = 0
    private var open: [Frame] = []
    var scratch: [UInt8] = []

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

    /// Puts a finished value where it belongs and closes what ends after it; the whole value once
    /// nothing is open.
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

    func byte(_ bytes: Span<UInt8>) throws(JSONError) -> UInt8 {
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

    func error(_ reason: JSONError.Reason) -> JSONError {
        JSONError(reason: reason, offset: position)
    }
}
