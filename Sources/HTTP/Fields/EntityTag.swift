/// An entity tag (RFC 9110 8.8.3), as offsets into the bytes it was found in. Taken strictly: `W/`
/// in upper case, quotes, and between them visible characters and obs-text, where a backslash is a
/// character like any other.
public struct EntityTag: Sendable, Equatable {
    /// Whether equal tags promise no more than equivalent content.
    public let isWeak: Bool
    /// The opaque tag with its quotes.
    public let opaque: ByteRange

    /// The tag that the bytes at `range` are; nil when they are anything else.
    public init?(_ bytes: Span<UInt8>, _ range: Range<Int>) {
        isWeak = range.count >= 2 && bytes.equals(range.lowerBound..<(range.lowerBound + 2), "W/")
        let start = range.lowerBound + (isWeak ? 2 : 0)
        guard range.upperBound - start >= 2, bytes[start] == Self.quote, bytes[range.upperBound - 1] == Self.quote
        else { return nil }
        for index in (start + 1)..<(range.upperBound - 1) where !Self.isCharacter(bytes[index]) { return nil }
        opaque = ByteRange(start, range.upperBound)
    }

    /// A strong tag with its quotes at `value`, for the writer of these bytes.
    public init(strong value: ByteRange) {
        (isWeak, opaque) = (false, value)
    }

    /// `etagc`.
    private static func isCharacter(_ byte: UInt8) -> Bool {
        byte == 0x21 || (0x23...0x7E).contains(byte) || byte >= 0x80
    }

    private static let quote = UInt8(ascii: "\"")
}

/// Walks a list of entity tags, as If-None-Match has it (RFC 9110 13.1.2). Elements that are no
/// entity tag are skipped.
public struct EntityTags: Sendable {
    private var elements: ListElements

    /// The tags of the field value at `value`; in them a backslash escapes nothing.
    public init(_ value: ByteRange) { elements = ListElements(value, escaping: false) }

    /// The next tag; nil when there are no more. `bytes` are those the offsets count in.
    public mutating func next(in bytes: Span<UInt8>) -> EntityTag? {
        while let element = elements.next(in: bytes) {
            if let tag = EntityTag(bytes, element.range) { return tag }
        }
        return nil
    }
}
