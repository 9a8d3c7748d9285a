/// Numbers as people read them: as many digits as mean something, units behind them. Two numbers
/// below each other have the same decimals wherever they have the same unit.
enum Figure {
    /// What stands where there is nothing to say.
    static let none = "–"

    /// `12,345`.
    static func count(_ number: Int) -> String {
        let digits = String(number.magnitude)
        var text = ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index).isMultiple(of: 3) { text.append(",") }
            text.append(digit)
        }
        return number < 0 ? "-" + text : text
    }

    /// `0.4/s`, `1,204/s`.
    static func rate(_ perSecond: Double) -> String {
        perSecond < 99.95 ? decimal(perSecond) + "/s" : count(Int(perSecond.rounded())) + "/s"
    }

    /// In tenths of a percent, rounded down so that 100 % means all.
    static func percent(_ part: Int, of whole: Int) -> String {
        guard whole > 0 else { return none }
        let tenths = Int((Double(max(0, part)) * 1000 / Double(whole)).rounded(.down))
        return tenths == 1000 ? "100 %" : "\(tenths / 10).\(tenths % 10) %"
    }

    /// `512 B`, `1.2 MiB`.
    static func bytes(_ number: Int) -> String {
        var rest = Double(number)
        for unit in ["B", "KiB", "MiB"] {
            if rest < 1023.95 { return unit == "B" ? "\(number) B" : "\(decimal(rest)) \(unit)" }
            rest /= 1024
        }
        return "\(decimal(rest)) GiB"
    }

    /// `820 µs`, `1.2 ms`, `3.0 s`.
    static func time(nanoseconds: Int?) -> String {
        guard let nanoseconds else { return none }
        let microseconds = Double(nanoseconds) / 1000
        if microseconds < 999.5 { return "\(Int(microseconds.rounded())) µs" }
        if microseconds < 999_950 { return "\(decimal(microseconds / 1000)) ms" }
        return "\(decimal(microseconds / 1_000_000)) s"
    }

    /// `14:03:09`, of the day in UTC.
    static func timeOfDay(_ unixSeconds: Int64) -> String {
        let second = Int(unixSeconds % 86_400)
        return [second / 3600, second / 60 % 60, second % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }
            .joined(separator: ":")
    }

    /// One decimal.
    static func decimal(_ number: Double) -> String {
        let tenths = Int((number * 10).rounded())
        return "\(count(tenths / 10)).\(abs(tenths % 10))"
    }
}
