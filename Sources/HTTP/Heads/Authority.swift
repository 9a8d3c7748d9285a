/// `uri-host [ ":" port ]` (RFC 9110 7.2): a Host field or the authority of a target. User
/// information is refused, an empty host as well.
package struct Authority {
    /// The host at `range` without the dot that ends an absolute name: both are the same host.
    package static func name(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Range<Int> {
        guard range.count > 1, bytes[range.upperBound - 1] == UInt8(ascii: ".") else { return range }
        return range.lowerBound..<range.upperBound - 1
    }

    let host: Range<Int>
    /// Nil when there is none, or none after the colon.
    let port: UInt16?

    /// Nil when the bytes at `range` are not one.
    init?(_ bytes: Span<UInt8>, _ range: Range<Int>) {
        guard let end = Self.endOfHost(bytes, range), end > range.lowerBound else { return nil }
        host = range.lowerBound..<end
        guard end < range.upperBound else {
            port = nil
            return
        }
        let digits = (end + 1)..<range.upperBound
        guard bytes[end] == UInt8(ascii: ":"), digits.count <= 5 else { return nil }
        port = Decimal.parse(bytes, digits).flatMap { UInt16(exactly: $0) }
        guard port != nil || digits.isEmpty else { return nil }
    }

    /// End of a registered name, an IPv4 address or a bracketed IPv6 address; nil when a bracketed
    /// one is not closed.
    private static func endOfHost(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Int? {
        var index = range.lowerBound
        guard index < range.upperBound else { return nil }
        guard bytes[index] == UInt8(ascii: "[") else {
            while index < range.upperBound {
                if ASCII.isRegisteredName(bytes[index]) {
                    index += 1
                } else if bytes[index] == UInt8(ascii: "%"), index + 2 < range.upperBound,
                    ASCII.hexadecimalValue(bytes[index + 1]) != nil, ASCII.hexadecimalValue(bytes[index + 2]) != nil
                {
                    index += 3
                } else {
                    break
                }
            }
            return index
        }
        index += 1
        let start = index
        while index < range.upperBound,
            ASCII.hexadecimalValue(bytes[index]) != nil || bytes[index] == UInt8(ascii: ":")
                || bytes[index] == UInt8(ascii: ".")
        { index += 1 }
        guard index < range.upperBound, bytes[index] == UInt8(ascii: "]"), index - start >= 2 else { return nil }
        return index + 1
    }

    /// Whether both name the same host and port, where a missing port is the scheme's, and neither
    /// case nor a final dot matters.
    func isSame(as other: Authority, in bytes: Span<UInt8>, defaultPort: UInt16) -> Bool {
        (port ?? defaultPort) == (other.port ?? defaultPort)
            && bytes.equalsIgnoringCase(Self.name(bytes, host), bytes, Self.name(bytes, other.host))
    }
}
