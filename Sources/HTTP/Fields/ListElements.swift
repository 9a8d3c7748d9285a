/// Walks the elements of a comma-separated field value (RFC 9110 5.6.1): empty ones are skipped,
/// whitespace around them is left out, and a comma inside a quoted string separates nothing. A
/// quoted string that does not end runs to the end of the value.
public struct ListElements: Sendable {
    private var index: Int
    private let end: Int
    private let escapes: Bool

    /// The elements of the field value at `value`.
    public init(_ value: ByteRange) { self.init(value, escaping: true) }

    /// The elements of everything in `bytes`.
    public init(of bytes: Span<UInt8>) { self.init(ByteRange(0, bytes.count)) }

    /// - Parameter escapes: whether a backslash in a quoted string takes the meaning of the next
    ///   byte.
    init(_ value: ByteRange, escaping escapes: Bool) {
        (index, end, self.escapes) = (Int(value.start), Int(value.end), escapes)
    }

    /// The next element, never empty; nil when there are no more. `bytes` are those the offsets
    /// count in.
    public mutating func next(in bytes: Span<UInt8>) -> ByteRange? {
        while index < end {
            let comma = bytes.firstUnquoted(UInt8(ascii: ","), in: index..<end, escaping: escapes) ?? end
            let element = bytes.trimmingWhitespace(index..<comma)
            index = comma + 1
            if !element.isEmpty { return ByteRange(element.lowerBound, element.upperBound) }
        }
        return nil
    }
}
