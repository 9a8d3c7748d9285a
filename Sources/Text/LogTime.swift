import Glibc

/// A second as logs and JSON write it, in UTC.
public enum LogTime {
    /// `21/Nov/2026:00:00:00 +0000`: the common log format's.
    public static func common(_ unixSeconds: Int64) -> String {
        let parts = broken(unixSeconds)
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        return padded(parts.tm_mday) + "/" + months[Int(parts.tm_mon)] + "/" + padded(1900 + parts.tm_year, 4) + ":"
            + clock(parts) + " +0000"
    }

    /// `2026-11-21T00:00:00Z` (RFC 3339).
    public static func rfc3339(_ unixSeconds: Int64) -> String {
        let parts = broken(unixSeconds)
        let date = [padded(1900 + parts.tm_year, 4), padded(parts.tm_mon + 1), padded(parts.tm_mday)]
        return date.joined(separator: "-") + "T" + clock(parts) + "Z"
    }

    /// The same with a fraction of a second in so many digits: `2026-11-21T00:00:00.007Z`.
    public static func rfc3339(_ unixSeconds: Int64, fraction: Int64, digits: Int) -> String {
        rfc3339(unixSeconds).dropLast() + "." + padded(fraction, digits) + "Z"
    }

    private static func broken(_ unixSeconds: Int64) -> tm {
        var time = time_t(unixSeconds)
        var parts = tm()
        gmtime_r(&time, &parts)
        return parts
    }

    private static func clock(_ parts: tm) -> String {
        [parts.tm_hour, parts.tm_min, parts.tm_sec].map { padded($0) }.joined(separator: ":")
    }

    /// With zeros in front.
    private static func padded(_ value: some BinaryInteger, _ width: Int = 2) -> String {
        let text = String(value)
        return String(repeating: "0", count: max(0, width - text.utf8.count)) + text
    }
}
