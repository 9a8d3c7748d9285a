/// Walks the pairs of a `Cookie` field (RFC 6265 4.2.1) once, without an allocation: a client may
/// send very many of them before anything is known of it.
public struct CookiePairs {
    /// The places of a `name=value`, as offsets into the head.
    public struct Pair {
        public let name: Range<Int>
        /// The value without the quotes that some servers take off; empty where there is none.
        public let value: Range<Int>
    }

    private var index: Int
    private let end: Int
    private let shortest: Int

    /// The pairs of the field value at `value`.
    /// - Parameter shortest: bytes of a pair of use; shorter ones are passed over at once.
    public init(_ value: ByteRange, shortest: Int = 1) {
        (index, end, self.shortest) = (Int(value.start), Int(value.end), shortest)
    }

    /// The next pair, whose name may be empty; nil when there are no more. `bytes` are those the
    /// offsets count in.
    public mutating func next(in bytes: Span<UInt8>) -> Pair? {
        var semicolon = index - 1
        repeat {
            index = semicolon + 1
            while index < end, bytes[index] == UInt8(ascii: ";") || ASCII.isWhitespace(bytes[index]) { index += 1 }
            guard index < end else { return nil }
            semicolon = bytes.first(UInt8(ascii: ";"), in: index..<end)
        } while semicolon - index < shortest
        let whole = bytes.trimmingWhitespace(index..<semicolon)
        index = semicolon + 1
        let equals = bytes.first(UInt8(ascii: "="), in: whole)
        let text = bytes.trimmingWhitespace(min(equals + 1, whole.upperBound)..<whole.upperBound)
        let quote = UInt8(ascii: "\"")
        let isQuoted = text.count >= 2 && bytes[text.lowerBound] == quote && bytes[text.upperBound - 1] == quote
        return Pair(
            name: bytes.trimmingWhitespace(whole.lowerBound..<equals),
            value: isQuoted ? text.lowerBound + 1..<text.upperBound - 1 : text)
    }
}
