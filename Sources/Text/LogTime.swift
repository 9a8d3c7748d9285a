import Glibc

/// A second as logs and JSON write it, in UTC.
public enum LogTime {
    /// `21/Nov/2026:00:00:00 +0000`: the common log format's.
    public static func common(_ unixSeconds: Int64) -> String { text(unixSeconds, "%d/%b/%04Y:%H:%M:%S +0000") }

    /// `2026-11-21T00:00:00Z` (RFC 3339).
    public static func rfc3339(_ unixSeconds: Int64) -> String { text(unixSeconds, "%04Y-%m-%dT%H:%M:%SZ") }

    /// The time with a fraction of a second in `digits` digits: `2026-11-21T00:00:00.007Z`.
    public static func rfc3339(_ unixSeconds: Int64, fraction: Int64, digits: Int) -> String {
        let text = String(fraction)
        let zeros = String(repeating: "0", count: max(0, digits - text.utf8.count))
        return "\(rfc3339(unixSeconds).dropLast()).\(zeros)\(text)Z"
    }

    /// By strftime(3); months are English, because nothing sets a locale.
    private static func text(_ unixSeconds: Int64, _ format: String) -> String {
        var time = time_t(unixSeconds)
        var parts = tm()
        gmtime_r(&time, &parts)
        return String(unsafeUninitializedCapacity: 64) { room in
            room.withMemoryRebound(to: CChar.self) { strftime($0.baseAddress, $0.count, format, &parts) }
        }
    }
}
