import HTTP
import Text

extension ByteBuffer {
    /// Appends text from a client to a line of the log (FRAMING 7.4).
    ///
    /// Characters that could end a line, a quoted string or an escape, or that a terminal would act
    /// on, are written as `\uHHHH`, which is also valid JSON; bytes that are not UTF-8 as `\u00HH`;
    /// all others as they came. Clean stretches, the usual case, go in one piece.
    /// - Parameter most: bytes written at most. Longer text is cut, never inside a character or an
    ///   escape, and `...` follows.
    mutating func appendEscaped(_ bytes: Span<UInt8>, upTo most: Int) {
        // Bytes before `start` are written, those before `index` are judged. Escapes have taken
        // `extra` bytes more than the characters that they replace.
        var (start, index, extra) = (0, 0, 0)
        var end = min(bytes.count, most)
        while index < end {
            guard Self.needsCare(bytes[index]) else {
                index += 1
                continue
            }
            let (byteCount, code) = Self.character(bytes, index)
            let size = code == nil ? byteCount : 6
            guard index + extra + size <= most else {
                end = index
                break
            }
            if let code {
                append(bytes.extracting(start..<index))
                append("\\u")
                for shift in [12, 8, 4, 0] { append(Self.digit(UInt8(truncatingIfNeeded: code >> shift) & 15)) }
                start = index + byteCount
                extra += 6 - byteCount
                end = min(bytes.count, most - extra)
            }
            index += byteCount
        }
        append(bytes.extracting(start..<end))
        if end < bytes.count { append("...") }
    }

    private static func needsCare(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte >= 0x7f || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    /// The size of the character, and the number of its escape; nil where it is written as it came.
    /// - Parameter index: that of a byte that needs care.
    private static func character(_ bytes: Span<UInt8>, _ index: Int) -> (byteCount: Int, code: UInt32?) {
        guard let character = UTF8Character(in: bytes, at: index) else { return (1, UInt32(bytes[index])) }
        let isClean = character.byteCount > 1 && !character.isControl
        return (character.byteCount, isClean ? nil : character.scalar.value)
    }

    /// A digit of a hexadecimal number.
    static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }
}
