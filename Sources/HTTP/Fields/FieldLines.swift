import Glibc

// Walking `Name: value` CR LF lines, the form in which fields are stored and forwarded.
// Must hold: lines that are no field lines are passed over, and so is the status line of a head,
// whose only colon would be in a reason.

/// Walks the lines of a span once.
public struct FieldLines {
    /// A field line, as offsets into the span.
    public struct Line {
        /// With its line end.
        public let whole: Range<Int>
        public let name: Range<Int>
        /// Without surrounding white space.
        public let value: Range<Int>
        public let id: FieldName
    }

    private var start = 0

    /// From the first line on.
    public init() {}

    /// The next line; nil when there are no more. Always called with the same bytes.
    public mutating func next(in bytes: Span<UInt8>) -> Line? {
        while start < bytes.count {
            let end = bytes.offset(of: UInt8(ascii: "\n"), in: start..<bytes.count)
            let line = start..<min(end + 1, bytes.count)
            start = line.upperBound
            let colon = bytes.offset(of: UInt8(ascii: ":"), in: line)
            guard end < bytes.count, colon < end, colon > line.lowerBound, bytes[end - 1] == UInt8(ascii: "\r")
            else { continue }
            let name = line.lowerBound..<colon
            return Line(
                whole: line, name: name, value: bytes.trimmingWhitespace((colon + 1)..<(end - 1)),
                id: FieldName.named(bytes, name))
        }
        return nil
    }
}

extension Span<UInt8> {
    /// Offset of the first such byte in `range`, or its end.
    fileprivate func offset(of byte: UInt8, in range: Range<Int>) -> Int {
        precondition(range.lowerBound >= 0 && range.upperBound <= count)
        return withUnsafeBytes { raw in
            guard let start = raw.baseAddress,
                let found = memchr(start + range.lowerBound, CInt(byte), range.count)
            else { return range.upperBound }
            return UnsafeRawPointer(found) - start
        }
    }
}
