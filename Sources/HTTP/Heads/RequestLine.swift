/// `request-line = method SP request-target SP HTTP-version` (RFC 9112 3), single spaces.
enum RequestLine {
    /// Checks a request line before its end has arrived: it must begin with a method.
    /// Garbage that never sends a line end, such as a TLS handshake, is refused at once and not
    /// when the head's deadline passes.
    static func checkBeginning(
        _ bytes: Span<UInt8>, from start: Int, limits: MessageLimits
    ) throws(ParseError) {
        guard start < bytes.count, bytes[start] != ASCII.carriageReturn else { return }
        let end = min(bytes.count, start + limits.maxMethodBytes + 1)
        var index = start
        while index < end, ASCII.isToken(bytes[index]) { index += 1 }
        if index < end {
            guard index > start, bytes[index] == ASCII.space else { throw .method }
        } else if index > start + limits.maxMethodBytes {
            throw .methodTooLong
        }
    }

    /// How many bytes a request line may have: none is longer without its method or target being
    /// too long.
    static func maxBytes(_ limits: MessageLimits) -> Int {
        limits.maxMethodBytes + limits.maxTargetBytes + " ".utf8.count + " HTTP/1.1\r\n".utf8.count
    }

    /// Takes a whole line apart whose beginning and control characters were checked.
    static func parse(
        _ bytes: Span<UInt8>, _ line: Range<Int>, into head: RequestHead, limits: MessageLimits
    ) throws(ParseError) {
        var index = line.lowerBound
        while index < line.upperBound, bytes[index] != ASCII.space { index += 1 }
        guard index < line.upperBound else { throw .requestLine }
        head.method = Method(bytes, line.lowerBound..<index)
        guard head.method != .other || !Method.isMisspelt(bytes, line.lowerBound..<index) else { throw .method }
        head.methodText = ByteRange(line.lowerBound, index)
        let start = index + 1
        let end = try endOfTarget(bytes, start..<line.upperBound)
        guard end > start, end < line.upperBound else { throw .requestLine }
        guard end - start <= limits.maxTargetBytes else { throw .targetTooLong }
        head.version = try version(bytes, (end + 1)..<line.upperBound)
        guard head.method != .connect else { throw .connect }
        try RequestTarget.parse(bytes, start..<end, into: head)
    }

    /// Offset of the space after the target; on the way there every character is checked.
    private static func endOfTarget(
        _ bytes: Span<UInt8>, _ range: Range<Int>
    ) throws(ParseError) -> Int {
        var index = range.lowerBound
        while true {
            index = bytes.firstOutsideTarget(index..<range.upperBound)
            guard index < range.upperBound, bytes[index] != ASCII.space else { return index }
            guard bytes[index] == UInt8(ascii: "%"), index + 2 < range.upperBound,
                ASCII.hexadecimalValue(bytes[index + 1]) != nil,
                ASCII.hexadecimalValue(bytes[index + 2]) != nil
            else { throw .target }
            index += 3
        }
    }

    /// `HTTP/1.0` or `HTTP/1.1`; other digits are another version, anything else is no request
    /// line.
    private static func version(_ bytes: Span<UInt8>, _ range: Range<Int>) throws(ParseError) -> Version {
        let start = range.lowerBound
        guard range.count == 8, bytes.equals(start..<(start + 5), "HTTP/"), bytes[start + 6] == UInt8(ascii: "."),
            ASCII.isDigit(bytes[start + 5]), ASCII.isDigit(bytes[start + 7])
        else { throw .requestLine }
        switch (bytes[start + 5], bytes[start + 7]) {
        case (UInt8(ascii: "1"), UInt8(ascii: "1")): return .http11
        case (UInt8(ascii: "1"), UInt8(ascii: "0")): return .http10
        default: throw .version
        }
    }
}
