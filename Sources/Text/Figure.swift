import Glibc

/// Numbers as people read them: as many digits as mean something, units after them.
public enum Figure {
    /// Shown where there is no figure.
    public static let none = "–"

    /// `12,345`.
    public static func count(_ number: Int) -> String {
        let digits = String(number.magnitude)
        var text = number < 0 ? "-" : ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index).isMultiple(of: 3) { text.append(",") }
            text.append(digit)
        }
        return text
    }

    /// Three digits, the precision of histograms: `812 ns`, `45.6 µs`, `1.23 ms`, `3.00 s`,
    /// `1,234 s`.
    public static func time(nanoseconds: Double) -> String {
        for (unit, size) in [("ns", 1.0), ("µs", 1e3), ("ms", 1e6)] where nanoseconds < size * 999.5 {
            let value = nanoseconds / size
            return significant(value, isWhole: unit == "ns") + " " + unit
        }
        return significant(nanoseconds / 1e9, isWhole: false) + " s"
    }

    public static func time(nanoseconds: Int?) -> String {
        nanoseconds.map { time(nanoseconds: Double($0)) } ?? none
    }

    /// `0.42/s`, `1,204/s`.
    public static func rate(_ perSecond: Double) -> String { significant(perSecond, isWhole: false) + "/s" }

    /// `93.1 %`. Rounded towards the middle, so that 100 % means all and 0 % none.
    public static func percent(_ share: Double) -> String {
        if share <= 0 { return "0 %" }
        if share >= 1 { return "100 %" }
        return fixed(min(max(share * 100, 0.01), 99.99), share < 0.01 || share > 0.99 ? 2 : 1) + " %"
    }

    /// `2.10`; with three digits, or more where it is larger.
    public static func ratio(_ value: Double) -> String { significant(value, isWhole: false) }

    /// `512 B`, `1.2 MiB`.
    public static func bytes(_ number: Int) -> String {
        var rest = Double(number)
        for unit in ["B", "KiB", "MiB"] {
            if rest < 1023.95 { return unit == "B" ? "\(number) B" : "\(fixed(rest, 1)) \(unit)" }
            rest /= 1024
        }
        return "\(fixed(rest, 1)) GiB"
    }

    /// `120 s`, `12.0 ms`, `0 s`.
    public static func span(_ duration: Duration) -> String {
        duration == .zero ? "0 s" : time(nanoseconds: duration / .nanoseconds(1))
    }

    /// `2026-11-22 04:00:00.250 UTC`.
    public static func moment(_ time: Timestamp) -> String {
        let text = time.text
        return text.prefix(10) + " " + text.dropFirst(11).prefix(12) + " UTC"
    }

    private static func significant(_ value: Double, isWhole: Bool) -> String {
        if isWhole || value == 0 || value >= 99.95 { return count(Int(clamping: min(value, 1e15).rounded())) }
        return fixed(value, value < 9.995 ? 2 : 1)
    }

    /// `6`, `0.25`: at most `decimals` decimals, and no zeros after them.
    public static func shortest(_ value: Double, decimals: Int = 3, isGrouped: Bool = true) -> String {
        let text = fixed(value, decimals, isGrouped: isGrouped)
        guard decimals > 0 else { return text }
        let digits = text.reversed().drop { $0 == "0" }
        return String((digits.first == "." ? digits.dropFirst() : digits).reversed())
    }

    /// With `decimals` decimals, and commas before them unless they are not wanted; for finite
    /// values.
    public static func fixed(_ value: Double, _ decimals: Int, isGrouped: Bool = true) -> String {
        let scale = Int(clamping: pow(10, Double(decimals)))
        let scaled = Int(clamping: (min(abs(value), 1e12) * Double(scale)).rounded())
        let whole = (value < 0 && scaled > 0 ? "-" : "") + (isGrouped ? count(scaled / scale) : "\(scaled / scale)")
        guard decimals > 0 else { return whole }
        let digits = String(scaled % scale)
        return whole + "." + String(repeating: "0", count: decimals - digits.utf8.count) + digits
    }

    // MARK: Figures of live views

    /// `820 µs`, `1.2 ms`, `3.0 s`. Two below each other have the same decimals wherever they have
    /// the same unit.
    public static func steadyTime(nanoseconds: Int?) -> String {
        guard let nanoseconds else { return none }
        let microseconds = Double(nanoseconds) / 1000
        if microseconds < 999.5 { return "\(Int(clamping: microseconds.rounded())) µs" }
        if microseconds < 999_950 { return "\(fixed(microseconds / 1000, 1)) ms" }
        return "\(fixed(microseconds / 1_000_000, 1)) s"
    }

    /// `0.4/s`, `1,204/s`.
    public static func steadyRate(_ perSecond: Double) -> String { fixed(perSecond, perSecond < 99.95 ? 1 : 0) + "/s" }

    /// The nearest tenth of a percent: `93.1 %`. 100 % means all.
    public static func percent(_ part: Int, of whole: Int) -> String {
        guard let tenths = perMille(part, of: whole) else { return none }
        return tenths == 1000 ? "100 %" : "\(tenths / 10).\(tenths % 10) %"
    }

    /// The nearest thousandth of a share, but 1000 for all alone; nil for a share of nothing. Every
    /// view of counts rounds here, for people and for programs.
    public static func perMille(_ part: Int, of whole: Int) -> Int? {
        guard whole > 0 else { return nil }
        let nearest = Int(clamping: (Double(max(0, part)) * 1000 / Double(whole)).rounded())
        return part < whole ? min(nearest, 999) : nearest
    }

    /// `14:03:09`, of the day in UTC.
    public static func timeOfDay(_ unixSeconds: Int64) -> String {
        String(LogTime.rfc3339(unixSeconds).dropFirst(11).prefix(8))
    }
}
