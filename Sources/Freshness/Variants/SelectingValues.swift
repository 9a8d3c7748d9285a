import HTTP

// The values of the request fields that an answer was chosen by, in a form that is equal where RFC
// 9111 4.1 lets two requests match: white space around commas goes, and lines of one name are
// combined.
// Must hold: two values become equal only if they mean the same.

/// Gathers one field after another into bytes that can be compared or hashed.
struct SelectingValues {
    /// For each field whether it is there, and if so how long its value is, and the value.
    private(set) var bytes: [UInt8] = []
    /// The lines of the present field, combined; nil before the first.
    private var value: [UInt8]?

    /// One more line of the present field.
    mutating func add(_ line: Span<UInt8>) {
        let isFirst = value == nil
        var combined = value.take() ?? []
        if !isFirst { combined.append(UInt8(ascii: ",")) }
        Self.appendWithoutWhitespace(line, to: &combined)
        value = combined
    }

    /// Ends the present field.
    mutating func end() {
        guard let value = value.take() else { return bytes.append(Self.absent) }
        bytes.append(Self.present)
        withUnsafeBytes(of: UInt32(truncatingIfNeeded: value.count).littleEndian) { bytes.append(contentsOf: $0) }
        bytes.append(contentsOf: value)
    }

    private static let (absent, present): (UInt8, UInt8) = (0, 1)

    /// Leaves out white space at the ends and around commas, but not within quotes.
    private static func appendWithoutWhitespace(_ line: Span<UInt8>, to value: inout [UInt8]) {
        let trimmed = line.trimmingWhitespace(0..<line.count)
        var (isQuoted, isEscaped, start) = (false, false, value.count)
        for index in trimmed {
            let byte = line[index]
            let isSeparator = byte == UInt8(ascii: ",") && !isQuoted
            if isSeparator {
                while value.count > start, value.last.map(Self.isWhitespace) == true { value.removeLast() }
            }
            if !isQuoted, Self.isWhitespace(byte), value.count == start { continue }
            value.append(byte)
            if isSeparator { start = value.count }
            if byte == UInt8(ascii: "\""), !isEscaped { isQuoted.toggle() }
            isEscaped = isQuoted && !isEscaped && byte == UInt8(ascii: "\\")
        }
    }

    private static func isWhitespace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
}
