/// Dates as HTTP writes them (RFC 9110 5.6.7), to and from unix seconds. The three formats are told
/// apart by their shape and taken strictly, apart from case: any other text is no date, and an
/// Expires like that is in the past. The day's name has to be a day's name, but not the right one.
public enum HTTPDate {
    /// Unix seconds; nil for anything that is not a date. Nothing here has a clock: the two-digit
    /// year of an RFC 850 date is one up to `lastShortYear`, and that is 50 years ahead.
    public static func parse(_ bytes: Span<UInt8>) -> Int64? {
        switch bytes.count {
        case 29: parseFixed(bytes)
        case 24: parseASCTime(bytes)
        default: parseRFC850(bytes)
        }
    }

    private static let lastShortYear = 2076

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

    private static let weekdays: StaticString = "SunMonTueWedThuFriSat"
    static let months: StaticString = "JanFebMarAprMayJunJulAugSepOctNovDec"

    private static func append(name index: Int, of names: StaticString, to buffer: inout ByteBuffer) {
        for offset in 0..<3 { buffer.append(names.utf8Start[index * 3 + offset]) }
    }
}

/// The three formats of a date. Offsets are fixed within each.
extension HTTPDate {
    /// `Sun, 06 Nov 1994 08:49:37 GMT`
    private static func parseFixed(_ bytes: Span<UInt8>) -> Int64? {
        guard name(bytes, 0, of: weekdays) != nil, bytes.equals(3..<5, ", "), let day = digits(bytes, 5, 2),
            bytes[7] == ASCII.space, let month = name(bytes, 8, of: months), bytes[11] == ASCII.space,
            let year = digits(bytes, 12, 4), bytes[16] == ASCII.space, let time = time(bytes, 17),
            bytes.equalsIgnoringCase(25..<29, " gmt")
        else { return nil }
        return Calendar.seconds(year: year, month: month + 1, day: day, time: time)
    }

    /// `Sun Nov  6 08:49:37 1994`
    private static func parseASCTime(_ bytes: Span<UInt8>) -> Int64? {
        let dayStart = bytes[8] == ASCII.space ? 9 : 8
        guard name(bytes, 0, of: weekdays) != nil, bytes[3] == ASCII.space,
            let month = name(bytes, 4, of: months), bytes[7] == ASCII.space,
            let day = digits(bytes, dayStart, 10 - dayStart), bytes[10] == ASCII.space,
            let time = time(bytes, 11), bytes[19] == ASCII.space, let year = digits(bytes, 20, 4)
        else { return nil }
        return Calendar.seconds(year: year, month: month + 1, day: day, time: time)
    }

    /// `Sunday, 06-Nov-94 08:49:37 GMT`
    private static func parseRFC850(_ bytes: Span<UInt8>) -> Int64? {
        var comma = 0
        while comma < bytes.count, bytes[comma] != UInt8(ascii: ",") { comma += 1 }
        let base = comma + 2
        guard isWholeWeekday(bytes, 0..<comma), bytes.count == base + 22, bytes[comma + 1] == ASCII.space,
            let day = digits(bytes, base, 2), bytes[base + 2] == UInt8(ascii: "-"),
            let month = name(bytes, base + 3, of: months), bytes[base + 6] == UInt8(ascii: "-"),
            let shortYear = digits(bytes, base + 7, 2), bytes[base + 9] == ASCII.space,
            let time = time(bytes, base + 10), bytes.equalsIgnoringCase((base + 18)..<(base + 22), " gmt")
        else { return nil }
        let year = 2000 + shortYear > lastShortYear ? 1900 + shortYear : 2000 + shortYear
        return Calendar.seconds(year: year, month: month + 1, day: day, time: time)
    }

    private static func isWholeWeekday(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
        let names: InlineArray<7, StaticString> = [
            "sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday",
        ]
        for index in 0..<7 where bytes.equalsIgnoringCase(range, names[index]) { return true }
        return false
    }

    /// Which three-letter name of `names` is at `start`, in any case.
    private static func name(_ bytes: Span<UInt8>, _ start: Int, of names: StaticString) -> Int? {
        let wanted = word(bytes[start], bytes[start + 1], bytes[start + 2])
        for index in 0..<(names.utf8CodeUnitCount / 3) {
            let name = names.utf8Start + index * 3
            if word(name[0], name[1], name[2]) == wanted { return index }
        }
        return nil
    }

    /// Three letters as one number, the same for both cases; nothing else gives the number of
    /// letters.
    private static func word(_ first: UInt8, _ second: UInt8, _ third: UInt8) -> UInt32 {
        (UInt32(first) << 16 | UInt32(second) << 8 | UInt32(third)) | 0x20_2020
    }

    private static func digits(_ bytes: Span<UInt8>, _ start: Int, _ count: Int) -> Int? {
        Decimal.parse(bytes, start..<(start + count))
    }

    /// `08:49:37` as seconds of the day; 60 is a leap second.
    private static func time(_ bytes: Span<UInt8>, _ start: Int) -> Int? {
        guard let hour = digits(bytes, start, 2), bytes[start + 2] == UInt8(ascii: ":"),
            let minute = digits(bytes, start + 3, 2), bytes[start + 5] == UInt8(ascii: ":"),
            let second = digits(bytes, start + 6, 2), hour < 24, minute < 60, second <= 60
        else { return nil }
        return hour * 3600 + minute * 60 + second
    }
}

/// The proleptic Gregorian calendar in days since 1970-01-01 (after Howard Hinnant,
/// "chrono-compatible low-level date algorithms": years begin in March, so that the leap day is the
/// last of its year).
enum Calendar {
    /// Unix seconds; nil when the month has no such day. `month` and `day` count from 1.
    static func seconds(year: Int, month: Int, day: Int, time: Int) -> Int64? {
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        let lengths: InlineArray<12, Int> = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        guard day >= 1, day <= lengths[month - 1] else { return nil }
        let marchYear = Int64(month <= 2 ? year - 1 : year)
        let era = floorDivision(marchYear, 400)
        let yearOfEra = marchYear - era * 400
        let dayOfYear = Int64((153 * ((month + 9) % 12) + 2) / 5 + day - 1)
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return (era * 146_097 + dayOfEra - 719_468) * 86_400 + Int64(time)
    }

    /// The date that is `days` after 1970-01-01.
    static func date(of days: Int64) -> (year: Int, month: Int, day: Int) {
        let shifted = days + 719_468
        let era = floorDivision(shifted, 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * marchMonth + 2) / 5 + 1
        let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        return (Int(yearOfEra + era * 400 + (month <= 2 ? 1 : 0)), Int(month), Int(day))
    }

    fileprivate static func floorDivision(_ number: Int64, _ divisor: Int64) -> Int64 {
        number >= 0 ? number / divisor : (number - divisor + 1) / divisor
    }
}
