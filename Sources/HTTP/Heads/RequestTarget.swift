/// The forms of a request target (RFC 9112 3.2). Origin form and absolute form are served; a
/// gateway has no use for the authority form (CONNECT only) and the asterisk form (the server as a
/// whole), nor for anything else.
enum RequestTarget {
    /// Finds path and query, and the authority of an absolute form, in a target whose characters
    /// were checked.
    static func parse(
        _ bytes: Span<UInt8>, _ range: Range<Int>, into head: RequestHead
    ) throws(ParseError) {
        if bytes[range.lowerBound] == UInt8(ascii: "/") {
            head.target = ByteRange(range.lowerBound, range.upperBound)
            return
        }
        guard let start = authorityStart(bytes, range) else { throw .target }
        var end = start
        while end < range.upperBound, bytes[end] != UInt8(ascii: "/"), bytes[end] != UInt8(ascii: "?") { end += 1 }
        guard Authority(bytes, start..<end) != nil else { throw .target }
        head.authority = ByteRange(start, end)
        head.target = ByteRange(end, range.upperBound)
    }

    /// Offset of the authority, after `http://` or `https://`.
    private static func authorityStart(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Int? {
        let schemes: InlineArray<2, StaticString> = ["http://", "https://"]
        for index in schemes.indices {
            let end = range.lowerBound + schemes[index].utf8CodeUnitCount
            if end <= range.upperBound, bytes.equalsIgnoringCase(range.lowerBound..<end, schemes[index]) { return end }
        }
        return nil
    }
}
