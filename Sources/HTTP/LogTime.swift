import Glibc

/// A second as logs write it, in UTC.
public enum LogTime {
    /// `21/Nov/2026:00:00:00 +0000`: the common log format's.
    package static func common(_ unixSeconds: Int64) -> String {
        let parts = broken(unixSeconds)
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        return padded(parts.tm_mday) + "/" + months[Int(parts.tm_mon)] + "/" + String(1900 + parts.tm_year) + ":"
            + clock(parts) + " +0000"
    }

    /// `2026-11-21T00:00:00Z` (RFC 3339).
    public static func rfc3339(_ unixSeconds: Int64) -> String {
        let parts = broken(unixSeconds)
        let date = [String(1900 + parts.tm_year), padded(parts.tm_mon + 1), padded(parts.tm_mday)]
        return date.joined(separator: "-") + "T" + clock(parts) + "Z"
    }

    private static func broken(_ unixSeconds: Int64) -> tm {
        var time = time_t(unixSeconds)
        var parts = tm()
        gmtime_r(&time, &parts)
        return parts
    }

    private static func clock(_ parts: tm) -> String {
        [parts.tm_hour, parts.tm_min, parts.tm_sec].map(padded).joined(separator: ":")
    }

    private static func padded(_ value: CInt) -> String {
        value < 10 ? "0" + String(value) : String(value)
    }
}
