/// Dates as HTTP writes them (RFC 9110 5.6.7), to and from unix seconds. The three formats are told
/// apart by their shape and taken strictly, apart from case: what is not exactly one of them is no
/// date, and an Expires like that is in the past. The day's name has to be a day's name, but not
/// the right one.
public enum HTTPDate {
    /// Unix seconds; nil for anything that is not a date. `now` (unix seconds) decides the century
    /// of the two-digit year of an RFC 850 date: one more than 50 years ahead is the last one that
    /// has the same digits.
    public static func parse(_ bytes: Span<UInt8>, now: Int64 = assumedNow) -> Int64? {
        switch bytes.count {
        case 29: parseFixed(bytes)
        case 24: parseASCTime(bytes)
        default: parseRFC850(bytes, now: now)
        }
    }

    /// 2026-01-01, for callers that have no clock at hand: RFC 850 dates up to 2075 are read as the
    /// future.
    public static let assumedNow: Int64 = 1_767_225_600

    /// Appends 29 bytes in the one format that may be sent, IMF-fixdate:
    /// `Sun, 06 Nov 1994 08:49:37 GMT`.
    public static func append(_ seconds: Int64, to buffer: inout ByteBuffer) {
        let clamped = min(max(seconds, -62_167_219_200), 253_402_300_799)  // the years 0000 to 9999
        let days = Calendar.floorDivision(clamped, 86_400)
        let second = Int(clamped - days * 86_400)
        let (year, month, day) = Calendar.date(of: days)
        let weekday = Int((days % 7 + 11) % 7)  // 1970-01-01 was a Thursday
        append(name: weekday, of: Self.weekdays, to: &buffer)
        buffer.append(", ")
        buffer.append(twoDigits: day)
        buffer.append(ASCII.space)
        append(name: month - 1, of: Self.months, to: &buffer)
        buffer.append(ASCII.space)
        buffer.append(twoDigits: year / 100)
        buffer.append(twoDigits: year)
        buffer.append(ASCII.space)
        buffer.append(twoDigits: second / 3600)
        buffer.append(UInt8(ascii: ":"))
        buffer.append(twoDigits: second / 60 % 60)
        buffer.append(UInt8(ascii: ":"))
        buffer.append(twoDigits: second % 60)
        buffer.append(" GMT")
    }

    static let weekdays: StaticString = "SunMonTueWedThuFriSat"
    static let months: StaticString = "JanFebMarAprMayJunJulAugSepOctNovDec"

    private static func append(name index: Int, of names: StaticString, to buffer: inout ByteBuffer) {
        for offset in 0..<3 { buffer.append(names.utf8Start[index * 3 + offset]) }
    }
}
