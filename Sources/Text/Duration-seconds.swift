/// Seconds as decimals, kept as they are to the nanosecond: no floating point on the way.
extension Duration {
    /// With nine decimals, such as `1.250000000`. Negative spans are zero.
    public var decimalSeconds: String {
        let (seconds, attoseconds) = max(self, .zero).components
        let fraction = String(attoseconds / 1_000_000_000)
        return String(seconds) + "." + String(repeating: "0", count: 9 - fraction.utf8.count) + fraction
    }

    /// Reads a number as JSON spells it, from 0 to a billion; digits after the ninth decimal are
    /// dropped.
    public init?(decimalSeconds text: String) {
        if text.utf8.contains(where: { $0 == UInt8(ascii: "e") || $0 == UInt8(ascii: "E") }) {
            guard let value = Double(text), value >= 0, value <= 1e9 else { return nil }
            self = .seconds(value)
            return
        }
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard let seconds = Int64(parts[0]), seconds >= 0, seconds <= 1_000_000_000,
            text.utf8.first != UInt8(ascii: "-")
        else { return nil }
        let digits = parts.count > 1 ? String(parts[1].prefix(9)) : ""
        guard let fraction = Int64(digits + String(repeating: "0", count: 9 - digits.utf8.count)), fraction >= 0 else {
            return nil
        }
        self = .seconds(seconds) + .nanoseconds(fraction)
    }
}
