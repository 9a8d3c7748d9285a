import Glibc

/// `21/Nov/2026:00:00:00 +0000`, the time of the common log format, in UTC.
enum CommonLogTime {
    static func text(unixSeconds: Int64) -> String {
        var time = time_t(unixSeconds)
        var parts = tm()
        gmtime_r(&time, &parts)
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        return padded(parts.tm_mday) + "/" + months[Int(parts.tm_mon)] + "/" + String(1900 + parts.tm_year) + ":"
            + padded(parts.tm_hour) + ":" + padded(parts.tm_min) + ":" + padded(parts.tm_sec) + " +0000"
    }

    private static func padded(_ value: CInt) -> String {
        value < 10 ? "0" + String(value) : String(value)
    }
}
