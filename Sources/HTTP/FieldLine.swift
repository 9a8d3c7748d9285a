/// `field-line = field-name ":" OWS field-value OWS` (RFC 9112 5), for heads of both sides and for trailers.
enum FieldLine {
    /// Takes one line (whose control characters `LineScanner` has checked) apart. A name is a token with the colon right
    /// behind it; a line that begins with whitespace is an obsolete fold and refused like anything else (RFC 9112 5.2).
    static func parse(
        _ bytes: Span<UInt8>, _ line: Range<Int>, limits: MessageLimits
    ) throws(ParseError) -> Field {
        var colon = line.lowerBound
        while colon < line.upperBound, ASCII.isToken(bytes[colon]) { colon += 1 }
        guard colon > line.lowerBound, colon < line.upperBound, bytes[colon] == UInt8(ascii: ":") else {
            throw ASCII.isWhitespace(bytes[line.lowerBound]) ? .foldedField : .fieldName
        }
        guard colon - line.lowerBound <= limits.maxFieldNameBytes else { throw .fieldNameTooLong }
        let value = bytes.trimmingWhitespace((colon + 1)..<line.upperBound)
        return Field(
            id: FieldName(token: bytes, line.lowerBound..<colon),
            name: ByteRange(line.lowerBound, colon),
            value: ByteRange(value.lowerBound, value.upperBound))
    }
}
