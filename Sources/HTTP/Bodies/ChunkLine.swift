/// `chunk-size [ chunk-ext ] CRLF` (RFC 9112 7.1), stricter than the grammar in that no whitespace
/// is allowed around the parts of an extension: no peer sends any, and parsers disagree about it.
enum ChunkLine {
    /// The most hexadecimal digits of a size: 64 bits.
    static let maxSizeDigits = 16

    /// The size at the start of a line that may not have wholly arrived, and where its digits end
    /// so far. Throws as soon as the line cannot be one.
    static func size(_ bytes: Span<UInt8>, from start: Int) throws(ParseError) -> (size: Int, end: Int) {
        var size = 0
        var index = start
        while index < bytes.count, let digit = ASCII.hexadecimalValue(bytes[index]) {
            guard index - start < maxSizeDigits, size <= Int.max >> 4 else { throw .chunkSize }
            size = size << 4 | digit
            index += 1
        }
        guard index < bytes.count else { return (size, index) }
        let next = bytes[index]
        guard index > start, next == ASCII.carriageReturn || next == UInt8(ascii: ";") else { throw .chunkSize }
        return (size, index)
    }

    /// `*( ";" chunk-ext-name [ "=" ( token / quoted-string ) ] )`: the bytes between the digits
    /// and the line's end.
    static func checkExtensions(_ bytes: Span<UInt8>, _ range: Range<Int>) throws(ParseError) {
        var index = range.lowerBound
        while index < range.upperBound {
            guard bytes[index] == UInt8(ascii: ";") else { throw .chunkExtension }
            index = try skipToken(bytes, (index + 1)..<range.upperBound)
            guard index < range.upperBound, bytes[index] == UInt8(ascii: "=") else { continue }
            index += 1
            if index < range.upperBound, bytes[index] == UInt8(ascii: "\"") {
                index = try skipQuoted(bytes, (index + 1)..<range.upperBound)
            } else {
                index = try skipToken(bytes, index..<range.upperBound)
            }
        }
    }

    private static func skipToken(_ bytes: Span<UInt8>, _ range: Range<Int>) throws(ParseError) -> Int {
        var index = range.lowerBound
        while index < range.upperBound, ASCII.isToken(bytes[index]) { index += 1 }
        guard index > range.lowerBound else { throw .chunkExtension }
        return index
    }

    /// The offset after the closing quote. Control characters were refused when the line was found.
    private static func skipQuoted(_ bytes: Span<UInt8>, _ range: Range<Int>) throws(ParseError) -> Int {
        var index = range.lowerBound
        while index < range.upperBound {
            if bytes[index] == UInt8(ascii: "\"") { return index + 1 }
            index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        throw .chunkExtension
    }
}
