import Glibc
import Text

/// Numbers as people read them: as many digits as mean something, units behind them.
public enum Figure {
    /// What stands where there is nothing to say.
    static let none = "–"

    /// `12,345`.
    static func count(_ number: Int) -> String {
        let digits = String(number.magnitude)
        var text = number < 0 ? "-" : ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index).isMultiple(of: 3) { text.append(",") }
            text.append(digit)
        }
        return text
    }

    /// Three digits, which is what histograms can tell: `812 ns`, `45.6 µs`, `1.23 ms`, `3.00 s`,
    /// `1,234 s`.
    static func time(nanoseconds: Double) -> String {
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
    static func rate(_ perSecond: Double) -> String { significant(perSecond, isWhole: false) + "/s" }

    /// `93.1 %`. Rounded towards the middle, so that 100 % means all and 0 % none.
    static func percent(_ share: Double) -> String {
        if share <= 0 { return "0 %" }
        if share >= 1 { return "100 %" }
        return fixed(min(max(share * 100, 0.01), 99.99), share < 0.01 || share > 0.99 ? 2 : 1) + " %"
    }

    /// `2.10`; with three digits, or more where it is larger.
    static func ratio(_ value: Double) -> String { significant(value, isWhole: false) }

    /// `512 B`, `1.2 MiB`.
    static func bytes(_ number: Int) -> String {
        var rest = Double(number)
        for unit in ["B", "KiB", "MiB"] {
            if rest < 1023.95 { return unit == "B" ? "\(number) B" : "\(fixed(rest, 1)) \(unit)" }
            rest /= 1024
        }
        return "\(fixed(rest, 1)) GiB"
    }

    /// `120 s`, `12.0 ms`, `0 s`.
    static func span(_ duration: Duration) -> String {
        duration == .zero ? "0 s" : time(nanoseconds: duration / .nanoseconds(1))
    }

    /// `2026-11-22 04:00:00.250 UTC`.
    static func moment(_ time: Timestamp) -> String {
        let text = time.text
        return text.prefix(10) + " " + text.dropFirst(11).prefix(12) + " UTC"
    }

    private static func significant(_ value: Double, isWhole: Bool) -> String {
        if isWhole || value == 0 || value >= 99.95 { return count(Int(min(value, 1e15).rounded())) }
        return fixed(value, value < 9.995 ? 2 : 1)
    }

    /// `6`, `0.25`: at most three decimals, and no zeros behind them.
    static func shortest(_ value: Double) -> String {
        let digits = fixed(value, 3).reversed().drop { $0 == "0" }
        return String((digits.first == "." ? digits.dropFirst() : digits).reversed())
    }

    /// With so many decimals, and commas before them; for finite values.
    static func fixed(_ value: Double, _ decimals: Int) -> String {
        let scale = Int(pow(10, Double(decimals)))
        let scaled = Int((min(abs(value), 1e12) * Double(scale)).rounded())
        let sign = value < 0 && scaled > 0 ? "-" : ""
        guard decimals > 0 else { return sign + count(scaled) }
        let digits = String(scaled % scale)
        return sign + count(scaled / scale) + "." + String(repeating: "0", count: decimals - digits.utf8.count) + digits
    }
}
