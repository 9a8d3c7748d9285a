import HTTP

// Walking `Name: value` CR LF lines, the form in which fields are stored and forwarded.
// Must hold: what is no field line is passed over, and so is the status line of a head, whose only colon would be in a reason.

/// Walks the lines of a span once.
struct FieldLines {
    /// One line, as offsets into the span.
    struct Line {
        /// With its line end.
        let whole: Range<Int>
        let name: Range<Int>
        /// Without surrounding white space.
        let value: Range<Int>
        let id: FieldName
    }

    private var start = 0

    /// The next line; nil when there are no more. Always called with the same bytes.
    mutating func next(in bytes: Span<UInt8>) -> Line? {
        while start < bytes.count {
            var colon: Int?
            var index = start
            while index < bytes.count, bytes[index] != UInt8(ascii: "\n") {
                if colon == nil, bytes[index] == UInt8(ascii: ":") { colon = index }
                index += 1
            }
            let line = start..<min(index + 1, bytes.count)
            start = line.upperBound
            guard index < bytes.count, let colon, colon > line.lowerBound, bytes[index - 1] == UInt8(ascii: "\r")
            else { continue }
            let name = line.lowerBound..<colon
            return Line(
                whole: line, name: name, value: bytes.trimmingWhitespace((colon + 1)..<(index - 1)),
                id: FieldName.named(bytes, name))
        }
        return nil
    }
}
