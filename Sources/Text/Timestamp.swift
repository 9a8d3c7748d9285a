import Glibc

/// A point on the wall clock, to the microsecond.
public struct Timestamp: Sendable, Hashable, Comparable {
    /// Since 1970, in UTC, leap seconds left out.
    public let microseconds: Int64

    public init(microseconds: Int64) { self.microseconds = microseconds }

    public static func now() -> Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000)
    }

    public static func < (left: Timestamp, right: Timestamp) -> Bool { left.microseconds < right.microseconds }

    /// The time from `right` to `left`.
    public static func - (left: Timestamp, right: Timestamp) -> Duration {
        .microseconds(left.microseconds.subtractingReportingOverflow(right.microseconds).partialValue)
    }

    public static func + (time: Timestamp, span: Duration) -> Timestamp {
        let (seconds, attoseconds) = span.components
        let microseconds = seconds.multipliedReportingOverflow(by: 1_000_000).partialValue
        return Timestamp(microseconds: time.microseconds &+ microseconds &+ attoseconds / 1_000_000_000_000)
    }

    // MARK: RFC 3339

    /// Reads `2026-11-21T00:00:00Z`, with a fraction of any length and any offset; nil for other
    /// text (RFC 3339 5.6).
    public init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count >= 20, bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-"),
            [UInt8(ascii: "T"), UInt8(ascii: "t")].contains(bytes[10]), bytes[13] == UInt8(ascii: ":"),
            bytes[16] == UInt8(ascii: ":"), let year = Self.digits(bytes[0..<4]),
            let month = Self.digits(bytes[5..<7]), let day = Self.digits(bytes[8..<10]),
            let hour = Self.digits(bytes[11..<13]), let minute = Self.digits(bytes[14..<16]),
            let second = Self.digits(bytes[17..<19]), (1...12).contains(month), (1...31).contains(day), hour < 24,
            minute < 60, second < 61
        else { return nil }
        var rest = bytes[19...]
        guard let fraction = Self.takeFraction(&rest), let offset = Self.offset(rest) else { return nil }
        var parts = tm()
        (parts.tm_year, parts.tm_mon, parts.tm_mday) = (CInt(year - 1900), CInt(month - 1), CInt(day))
        (parts.tm_hour, parts.tm_min, parts.tm_sec) = (CInt(hour), CInt(minute), CInt(second))
        // A day that a month has not is one of the next.
        microseconds = (Int64(timegm(&parts)) - Int64(offset)) * 1_000_000 + fraction
    }

    /// With six decimals, in UTC: `2026-11-21T00:00:00.000000Z`.
    public var text: String {
        let (seconds, rest) = microseconds.quotientAndRemainder(dividingBy: 1_000_000)
        let isBefore = rest < 0
        return LogTime.rfc3339(
            isBefore ? seconds - 1 : seconds, fraction: isBefore ? rest + 1_000_000 : rest, digits: 6)
    }

    private static func digits(_ bytes: ArraySlice<UInt8>) -> Int? {
        bytes.reduce(0) { sum, byte in
            guard let sum, byte >= 0x30, byte <= 0x39 else { return nil }
            return sum * 10 + Int(byte - 0x30)
        }
    }

    /// Microseconds of `.123`; 0 where there is no fraction, nil where there is a point without
    /// digits.
    private static func takeFraction(_ rest: inout ArraySlice<UInt8>) -> Int64? {
        guard rest.first == UInt8(ascii: ".") else { return 0 }
        let digits = rest.dropFirst().prefix { $0 >= 0x30 && $0 <= 0x39 }
        rest = rest[digits.endIndex...]
        guard !digits.isEmpty else { return nil }
        let six = (digits.prefix(6) + repeatElement(0x30, count: max(0, 6 - digits.count))).prefix(6)
        return Int64(Self.digits(ArraySlice(Array(six))) ?? 0)
    }

    /// Seconds east of UTC.
    private static func offset(_ rest: ArraySlice<UInt8>) -> Int? {
        let bytes = Array(rest)
        if bytes == [UInt8(ascii: "Z")] || bytes == [UInt8(ascii: "z")] { return 0 }
        // Some exporters of HAR leave the colon out.
        guard bytes.count == 5 || bytes.count == 6 && bytes[3] == UInt8(ascii: ":"), let hours = digits(bytes[1..<3]),
            let minutes = digits(bytes.suffix(2)), hours < 24, minutes < 60
        else { return nil }
        switch bytes[0] {
        case UInt8(ascii: "+"): return hours * 3600 + minutes * 60
        case UInt8(ascii: "-"): return -(hours * 3600 + minutes * 60)
        default: return nil
        }
    }
}
