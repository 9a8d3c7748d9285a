import Text

/// Finds where the values of a JSON text begin and end, and decodes none of them.
///
/// A damaged string or number is passed over: only its own reader has to refuse it. The open arrays
/// and objects are a number, so no input can exhaust the stack.
struct JSONWalker {
    /// Why the text is no JSON, and at which byte.
    struct Problem: Error {
        let reason: JSONError.Reason
        let offset: Int
    }

    private let bytes: [UInt8]
    private(set) var position = 0
    /// Whether no element of the array or object that was entered last has been read yet.
    private var isAtStart = false

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        position = bytes.span.byteOrderMarkCount
    }

    /// Steps into an array (`[`) or an object (`{`); false where there is another value.
    mutating func enter(_ opening: Unicode.Scalar) throws(Problem) -> Bool {
        skipBlanks()
        guard try byte() == UInt8(ascii: opening) else { return false }
        position += 1
        isAtStart = true
        return true
    }

    /// Goes to the next element of an array; false after the last one.
    mutating func nextElement() throws(Problem) -> Bool { try next(before: UInt8(ascii: "]")) }

    /// Goes to the value of an object's next member; its name, or nil after the last one.
    mutating func nextMember() throws(Problem) -> String? {
        guard try next(before: UInt8(ascii: "}")) else { return nil }
        guard try byte() == UInt8(ascii: "\"") else { throw error(.unexpectedByte) }
        let name = try value()
        skipBlanks()
        guard try byte() == UInt8(ascii: ":") else { throw error(.unexpectedByte) }
        position += 1
        return String(decoding: bytes[name].dropFirst().dropLast(), as: UTF8.self)
    }

    /// Passes over a value; where it is.
    mutating func value() throws(Problem) -> Range<Int> {
        skipBlanks()
        let start = position
        var depth = 0
        repeat {
            switch try byte() {
            case UInt8(ascii: "\""): try skipString()
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                position += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                guard depth > 0 else { throw error(.unexpectedByte) }
                depth -= 1
                position += 1
            case UInt8(ascii: ","), UInt8(ascii: ":"), 0x20, 0x09, 0x0A, 0x0D:
                guard depth > 0 else { throw error(.unexpectedByte) }
                position += 1
            default: skipScalar()
            }
        } while depth > 0
        return start..<position
    }

    private mutating func next(before closing: UInt8) throws(Problem) -> Bool {
        skipBlanks()
        if try byte() == closing {
            position += 1
            isAtStart = false
            return false
        }
        if !isAtStart {
            guard try byte() == UInt8(ascii: ",") else { throw error(.unexpectedByte) }
            position += 1
            skipBlanks()
        }
        isAtStart = false
        return true
    }

    private mutating func skipString() throws(Problem) {
        position += 1
        while try byte() != UInt8(ascii: "\"") { position += try byte() == UInt8(ascii: "\\") ? 2 : 1 }
        position += 1
    }

    /// A number or a word, up to whatever may follow it.
    private mutating func skipScalar() { skip { !Self.isBlank($0) && !Self.isPunctuation($0) } }

    private mutating func skipBlanks() { skip { Self.isBlank($0) } }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
    }

    private static func isPunctuation(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: ","), UInt8(ascii: ":"), UInt8(ascii: "{"), UInt8(ascii: "}"),
            UInt8(ascii: "["), UInt8(ascii: "]"):
            true
        default: false
        }
    }

    private mutating func skip(_ isSkipped: (UInt8) -> Bool) {
        while position < bytes.count, isSkipped(bytes[position]) { position += 1 }
    }

    private func byte() throws(Problem) -> UInt8 {
        guard position < bytes.count else { throw error(.truncated) }
        return bytes[position]
    }

    private func error(_ reason: JSONError.Reason) -> Problem { Problem(reason: reason, offset: position) }
}
