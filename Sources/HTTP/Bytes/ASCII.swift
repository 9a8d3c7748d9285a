/// Comparing and trimming bytes as ASCII, without ever making a String of them.
extension Span where Element == UInt8 {
    /// Whether the bytes at `range` are exactly `text`.
    public func equals(_ range: Range<Int>, _ text: StaticString) -> Bool {
        guard range.count == text.utf8CodeUnitCount else { return false }
        for offset in 0..<range.count where self[range.lowerBound + offset] != text.utf8Start[offset] {
            return false
        }
        return true
    }

    /// Whether the bytes at `range` are `lowercase` in any case; only ASCII letters have a case.
    public func equalsIgnoringCase(_ range: Range<Int>, _ lowercase: StaticString) -> Bool {
        guard range.count == lowercase.utf8CodeUnitCount else { return false }
        for offset in 0..<range.count
        where ASCII.lowercased(self[range.lowerBound + offset]) != lowercase.utf8Start[offset] {
            return false
        }
        return true
    }

    /// Whether the bytes at `range` are those of `other` at `otherRange`.
    public func equals(_ range: Range<Int>, _ other: Span<UInt8>, _ otherRange: Range<Int>) -> Bool {
        guard range.count == otherRange.count else { return false }
        for offset in 0..<range.count
        where self[range.lowerBound + offset] != other[otherRange.lowerBound + offset] {
            return false
        }
        return true
    }

    /// Whether the bytes are equal when ASCII letters have no case.
    public func equalsIgnoringCase(_ range: Range<Int>, _ other: Span<UInt8>, _ otherRange: Range<Int>) -> Bool {
        guard range.count == otherRange.count else { return false }
        for offset in 0..<range.count
        where ASCII.lowercased(self[range.lowerBound + offset])
            != ASCII.lowercased(other[otherRange.lowerBound + offset])
        {
            return false
        }
        return true
    }

    /// Whether the bytes at `range` are a token (RFC 9110 5.6.2), such as a field name.
    public func isToken(_ range: Range<Int>) -> Bool {
        for index in range where !ASCII.isToken(self[index]) { return false }
        return !range.isEmpty
    }

    /// A copy of the bytes at `range` with ASCII letters in lower case.
    public func lowercased(_ range: Range<Int>) -> [UInt8] {
        range.map { ASCII.lowercased(self[$0]) }
    }

    /// Offset of the first such byte in `range` that is not between quotation marks; its end where
    /// there is none, nil where a quotation is not closed.
    /// - Parameter escaping: whether a backslash in a quotation takes the meaning of the next byte.
    public func firstUnquoted(_ byte: UInt8, in range: Range<Int>, escaping: Bool) -> Int? {
        var (isQuoted, index) = (false, range.lowerBound)
        while index < range.upperBound {
            switch self[index] {
            case UInt8(ascii: "\""): isQuoted.toggle()
            case UInt8(ascii: "\\") where isQuoted && escaping: index += 1
            case byte where !isQuoted: return index
            default: break
            }
            index += 1
        }
        return isQuoted ? nil : range.upperBound
    }

    /// Offset of the first such byte; no backslash escapes, an open quotation goes on to the end.
    public func firstUnquoted(_ byte: UInt8, in range: Range<Int>) -> Int {
        firstUnquoted(byte, in: range, escaping: false) ?? range.upperBound
    }

    /// `range` without optional whitespace (SP and HTAB, RFC 9110 5.6.3) at its ends.
    @inline(__always)
    public func trimmingWhitespace(_ range: Range<Int>) -> Range<Int> {
        var (start, end) = (range.lowerBound, range.upperBound)
        while start < end, ASCII.isWhitespace(self[start]) { start += 1 }
        while start < end, ASCII.isWhitespace(self[end - 1]) { end -= 1 }
        return start..<end
    }
}

enum ASCII {
    static let tab: UInt8 = 0x09
    static let lineFeed: UInt8 = 0x0A
    static let carriageReturn: UInt8 = 0x0D
    static let space: UInt8 = 0x20

    @inline(__always)
    static func lowercased(_ byte: UInt8) -> UInt8 { byte &- 0x41 < 26 ? byte | 0x20 : byte }

    @inline(__always)
    static func isWhitespace(_ byte: UInt8) -> Bool { byte == space || byte == tab }

    @inline(__always)
    static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }

    /// Value of a hexadecimal digit of either case.
    @inline(__always)
    static func hexadecimalValue(_ byte: UInt8) -> Int? {
        if isDigit(byte) { return Int(byte - 0x30) }
        let letter = (byte | 0x20) &- 0x61
        return letter < 6 ? Int(letter) + 10 : nil
    }

    /// `tchar` (RFC 9110 5.6.2).
    @inline(__always)
    static func isToken(_ byte: UInt8) -> Bool {
        isMember(byte, 0x03FF_6CFA_0000_0000, 0x57FF_FFFF_C7FF_FFFE)
    }

    /// Whether a byte may be in a request target besides percent-encoded ones: visible ASCII
    /// without `"`, `#`, `<`, `>` and `\`. `^`, `` ` ``, `{`, `|` and `}` are no URI characters
    /// either, but browsers send them and they mislead no server.
    @inline(__always)
    static func isTarget(_ byte: UInt8) -> Bool {
        isMember(byte, 0xAFFF_FFD2_0000_0000, 0x7FFF_FFFF_EFFF_FFFF)
    }

    /// `unreserved / sub-delims` (RFC 3986 3.2.2): the bytes of a registered name but for escapes.
    @inline(__always)
    static func isRegisteredName(_ byte: UInt8) -> Bool {
        isMember(byte, 0x2BFF_7FD2_0000_0000, 0x47FF_FFFE_87FF_FFFE)
    }

    /// A set of ASCII characters as two words: faster than a table, because it needs no memory.
    @inline(__always)
    private static func isMember(_ byte: UInt8, _ low: UInt64, _ high: UInt64) -> Bool {
        let word = byte & 0x40 == 0 ? low : high
        return byte < 0x80 && (word &>> UInt64(byte & 0x3F)) & 1 == 1
    }
}
