/// `field-line = field-name ":" OWS field-value OWS` (RFC 9112 5), for heads of both sides and for
/// trailers.
enum FieldLine {
    /// Takes one line (whose control characters `LineScanner` has checked) apart. A name is a token
    /// with the colon right after it; a line that begins with whitespace is an obsolete fold and
    /// refused like anything else (RFC 9112 5.2).
    @inline(__always)
    static func parse(
        _ bytes: Span<UInt8>, _ line: Range<Int>, maxNameBytes: Int
    ) throws(ParseError) -> Field {
        let colon = bytes.first(UInt8(ascii: ":"), in: line)
        guard colon > line.lowerBound, colon < line.upperBound else { throw refusal(bytes, line) }
        let name = line.lowerBound..<colon
        let id = FieldName(bytes, name)
        if id == .other {
            for index in name where !ASCII.isToken(bytes[index]) { throw refusal(bytes, line) }
            guard name.count <= maxNameBytes else { throw .fieldNameTooLong }
        }
        let value = bytes.trimmingWhitespace((colon + 1)..<line.upperBound)
        return Field(
            id: id,
            name: ByteRange(name.lowerBound, name.upperBound),
            value: ByteRange(value.lowerBound, value.upperBound))
    }

    private static func refusal(_ bytes: Span<UInt8>, _ line: Range<Int>) -> ParseError {
        ASCII.isWhitespace(bytes[line.lowerBound]) ? .foldedField : .fieldName
    }
}
