/// `1*DIGIT`, the only spelling of a number in HTTP: no sign, no whitespace, no other base.
public enum Decimal {
    /// Nil when the bytes at `range` are something else or when the number does not fit an Int.
    public static func parse(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Int? {
        guard !range.isEmpty else { return nil }
        var number = 0
        for index in range {
            guard ASCII.isDigit(bytes[index]) else { return nil }
            let (shifted, overflowed) = number.multipliedReportingOverflow(by: 10)
            let (sum, carried) = shifted.addingReportingOverflow(Int(bytes[index] - UInt8(ascii: "0")))
            guard !overflowed, !carried else { return nil }
            number = sum
        }
        return number
    }
}

/// `delta-seconds` (RFC 9111 1.2.2): a count of seconds in Age and in cache directives.
public enum DeltaSeconds {
    /// The meaning of a larger number: 2^31, as RFC 9111 1.2.2 has it.
    static let max = 1 << 31

    /// Seconds, at most `max`; nil when the bytes at `range` are not `1*DIGIT`.
    public static func parse(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Int? {
        guard !range.isEmpty else { return nil }
        for index in range where !ASCII.isDigit(bytes[index]) { return nil }
        return min(Decimal.parse(bytes, range) ?? max, max)
    }
}
