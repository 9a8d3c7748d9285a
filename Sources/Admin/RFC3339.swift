import Glibc

/// Times as people and programs read them: `2026-11-22T01:30:00Z`.
enum RFC3339 {
    static func text(_ unixSeconds: Int64) -> String {
        var seconds = time_t(unixSeconds)
        var parts = tm()
        guard gmtime_r(&seconds, &parts) != nil else { return "-" }
        func padded(_ number: Int32, _ width: Int = 2) -> String {
            let digits = String(number)
            return String(repeating: "0", count: max(0, width - digits.count)) + digits
        }
        let date = "\(padded(parts.tm_year + 1900, 4))-\(padded(parts.tm_mon + 1))-\(padded(parts.tm_mday))"
        return "\(date)T\(padded(parts.tm_hour)):\(padded(parts.tm_min)):\(padded(parts.tm_sec))Z"
    }
}
