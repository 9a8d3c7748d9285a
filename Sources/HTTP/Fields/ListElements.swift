/// Walks the elements of a comma-separated field value (RFC 9110 5.6.1): empty ones are skipped,
/// whitespace around them is left out, and a comma inside a quoted string separates nothing. A
/// quoted string that does not end runs to the end of the value.
public struct ListElements: Sendable {
    private var index: Int
    private let end: Int

    /// The elements of the field value at `value`.
    public init(_ value: ByteRange) {
        index = Int(value.start)
        end = Int(value.end)
    }

    /// The elements of everything in `bytes`.
    public init(of bytes: Span<UInt8>) {
        index = 0
        end = bytes.count
    }

    /// The next element, never empty; nil when there are no more. `bytes` are those the offsets
    /// count in.
    public mutating func next(in bytes: Span<UInt8>) -> ByteRange? {
        while index < end {
            let start = index
            skipElement(bytes)
            let element = bytes.trimmingWhitespace(start..<index)
            if index < end { index += 1 }
            if !element.isEmpty { return ByteRange(element.lowerBound, element.upperBound) }
        }
        return nil
    }

    /// Moves to the comma after the element, or to the end.
    private mutating func skipElement(_ bytes: Span<UInt8>) {
        var isQuoted = false
        while index < end {
            switch bytes[index] {
            case UInt8(ascii: "\""): isQuoted.toggle()
            case UInt8(ascii: "\\") where isQuoted: index += 1
            case UInt8(ascii: ",") where !isQuoted: return
            default: break
            }
            index += 1
        }
        index = end
    }
}
