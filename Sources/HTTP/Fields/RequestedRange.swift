/// The range of content of a known length that a Range field asks for (RFC 9110 14.1.2, 14.2),
/// reduced to one that a single part can answer.
public enum RequestedRange: Sendable, Equatable {
    /// The header is ignored: another unit, several ranges, or nothing that follows the grammar.
    /// All of the content is a right answer.
    case ignored
    /// No byte of the content is asked for.
    case unsatisfiable
    /// Never empty, within the content.
    case part(Range<Int>)

    /// Reads the field value at `value` against content of `length` bytes. Numbers too large for an
    /// Int lie after any end.
    public static func parse(_ bytes: Span<UInt8>, _ value: Range<Int>, length: Int) -> RequestedRange {
        let unit = value.lowerBound..<min(value.lowerBound + 6, value.upperBound)
        guard bytes.equalsIgnoringCase(unit, "bytes=") else { return .ignored }
        var elements = ListElements(ByteRange(unit.upperBound, value.upperBound))
        guard let spec = elements.next(in: bytes)?.range, elements.next(in: bytes) == nil else { return .ignored }
        let dash = bytes.first(UInt8(ascii: "-"), in: spec)
        guard dash < spec.upperBound else { return .ignored }
        let (first, last) = (spec.lowerBound..<dash, (dash + 1)..<spec.upperBound)
        if first.isEmpty { return suffix(position(bytes, last), length) }
        guard let first = position(bytes, first) else { return .ignored }
        guard !last.isEmpty else { return part(from: first, to: .max, length) }
        guard let last = position(bytes, last), first <= last else { return .ignored }
        return part(from: first, to: last, length)
    }

    /// `first` and `last` are both inclusive.
    private static func part(from first: Int, to last: Int, _ length: Int) -> RequestedRange {
        first < length ? .part(first..<(min(last, length - 1) + 1)) : .unsatisfiable
    }

    private static func suffix(_ count: Int?, _ length: Int) -> RequestedRange {
        guard let count else { return .ignored }
        guard count > 0 else { return .unsatisfiable }
        // No Content-Range can name a part of nothing.
        return length == 0 ? .ignored : .part((length - min(count, length))..<length)
    }

    private static func position(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Int? {
        guard !range.isEmpty else { return nil }
        for index in range where !ASCII.isDigit(bytes[index]) { return nil }
        return Decimal.parse(bytes, range) ?? .max
    }
}
