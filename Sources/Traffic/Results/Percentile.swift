/// A share of all values, as people name it.
struct Percentile: Sendable, Equatable {
    /// `99.9`.
    let name: String
    /// From 0 to 1.
    let share: Double

    /// Reads `50` or `99.999`: above 0 and at most 100. nil for anything else.
    init?(_ name: some StringProtocol) {
        guard name.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") }),
            let number = Double(String(name)), number > 0, number <= 100
        else { return nil }
        self.name = String(name)
        share = number / 100
    }

    private init(_ name: String, share: Double) { (self.name, self.share) = (name, share) }

    static let p99 = Percentile("99", share: 0.99)

    /// The percentiles that reports show: to five nines.
    static let reported = ["50", "75", "90", "99", "99.9", "99.99", "99.999"].compactMap { Percentile($0) }
}
