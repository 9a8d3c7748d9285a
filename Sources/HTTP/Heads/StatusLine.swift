/// `status-line = HTTP-version SP status-code SP [ reason-phrase ]` (RFC 9112 4). The space before
/// an absent reason may be absent too, as many origins leave it out; a reason is skipped, never
/// kept (CVE-2022-38150).
enum StatusLine {
    /// Checks a line before its end has arrived: it must be HTTP/1.
    static func checkBeginning(_ bytes: Span<UInt8>, from start: Int) throws(ParseError) {
        let text: StaticString = "HTTP/1."
        for index in start..<max(start, min(bytes.count, start + text.utf8CodeUnitCount))
        where bytes[index] != text.utf8Start[index - start] {
            throw .statusLine
        }
    }

    /// Takes a whole line apart whose beginning and control characters were checked.
    static func parse(
        _ bytes: Span<UInt8>, _ line: Range<Int>, into head: inout ResponseHead
    ) throws(ParseError) {
        let start = line.lowerBound
        guard line.count >= 12, bytes[start + 8] == ASCII.space,
            line.count == 12 || bytes[start + 12] == ASCII.space
        else { throw .statusLine }
        switch bytes[start + 7] {
        case UInt8(ascii: "1"): head.version = .http11
        case UInt8(ascii: "0"): head.version = .http10
        default: throw .statusLine
        }
        let status = Decimal.parse(bytes, (start + 9)..<(start + 12))
        guard let status, (100...599).contains(status) else { throw .statusLine }
        head.status = status
    }
}
