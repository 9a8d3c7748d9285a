/// Spans of time as people write and read them.
public enum SpanOfTime {
    /// Seconds as people say them: the two largest units, `11h 59m`, `3d 4h`.
    public static func text(_ seconds: Int) -> String {
        guard seconds >= 0 else { return "-" + text(-seconds) }
        let units = [
            ("d", seconds / 86_400), ("h", seconds / 3600 % 24), ("m", seconds / 60 % 60), ("s", seconds % 60),
        ]
        let shown = units.drop { $0.1 == 0 }.prefix(2).filter { $0.1 > 0 }
        return shown.isEmpty ? "0s" : shown.map { "\($0.1)\($0.0)" }.joined(separator: " ")
    }

    /// Milliseconds of digits and one of `ms`, `s`, `m`, `h`, `d`, such as `500ms` or `7d`; the
    /// largest number where there are more. Nil for any other text, and for digits beyond `Int64`.
    public static func milliseconds(_ text: String) -> Int64? {
        let digits = text.prefix { ("0"..."9").contains($0) }
        let factors: [Substring: Int64] = ["ms": 1, "s": 1000, "m": 60_000, "h": 3_600_000, "d": 86_400_000]
        guard !digits.isEmpty, let factor = factors[text[digits.endIndex...]] else { return nil }
        let (total, overflows) = (Int64(digits) ?? .max).multipliedReportingOverflow(by: factor)
        return overflows ? .max : total
    }
}
