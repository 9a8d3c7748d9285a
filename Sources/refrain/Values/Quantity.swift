// The numbers of the configuration and of the command line: sizes, durations, rates, counts. All
// are exact: overflow is refused, and nothing is rounded. All have a bound.

import Text

enum Quantity {
    /// Bytes: digits and a unit, `10k`, `64MiB`, `2GiB`; every unit is a power of 1024, as in
    /// nginx.
    static func size(_ text: String, atLeast least: Int = 0) throws(ValueError) -> Int {
        let (digits, unit) = split(text)
        let powers = ["": 0, "b": 0, "k": 1, "kib": 1, "m": 2, "mib": 2, "g": 3, "gib": 3, "t": 4, "tib": 4]
        guard let number = Int(digits), let power = powers[unit.lowercased()] else {
            throw ValueError(text, isNot: "a size such as 10k, 64MiB or 2GiB")
        }
        let (bytes, overflows) = number.multipliedReportingOverflow(by: 1 << (10 * power))
        guard !overflows, bytes <= largestSize else { throw ValueError("\(quoted(text)) is more than 1024TiB") }
        guard bytes >= least else { throw ValueError(text, isNot: "a size of at least \(least) bytes") }
        return bytes
    }

    /// Larger than any disk or memory, and so small that a sum of sizes cannot overflow.
    private static let largestSize = 1 << 50
    /// The largest rate, in requests a second.
    private static let largestRate = 1_000_000_000

    /// Digits and one of `ms`, `s`, `m`, `h`, `d`; a hundred years at most, so that sums with an
    /// instant cannot overflow.
    static func duration(_ text: String) throws(ValueError) -> Duration {
        guard let total = SpanOfTime.milliseconds(text) else {
            throw ValueError(text, isNot: "a duration such as 500ms, 30s, 15m, 12h or 7d")
        }
        guard total <= 36_500 * 86_400_000 else { throw ValueError("\(quoted(text)) is too long a duration") }
        return .milliseconds(total)
    }

    /// A duration within `range`, which errors call `wanted`.
    static func duration(
        _ text: String, in range: ClosedRange<Duration>, _ wanted: String
    ) throws(ValueError) -> Duration {
        let duration = try duration(text)
        guard range.contains(duration) else { throw ValueError(text, isNot: wanted) }
        return duration
    }

    /// Whole requests a second: `20/s`.
    static func rate(_ text: String) throws(ValueError) -> Int {
        let (digits, unit) = split(text)
        guard unit == "/s", let number = Int(digits), (1...largestRate).contains(number) else {
            throw ValueError(text, isNot: "a rate such as 20/s")
        }
        return number
    }

    /// Bytes a second, one at least: `256KiB/s`.
    static func sizeRate(_ text: String) throws(ValueError) -> Int {
        guard text.hasSuffix("/s"), let bytes = try? size(String(text.dropLast(2))), bytes > 0 else {
            throw ValueError(text, isNot: "a rate such as 256KiB/s")
        }
        return bytes
    }

    /// Per cent, above 0 and at most 100, with decimals or without: `5%`, `0.1%`. As a part of 1.
    static func share(_ text: String) throws(ValueError) -> Double {
        let digits = text.utf8.dropLast()
        guard text.hasSuffix("%"), digits.allSatisfy({ (0x30...0x39).contains($0) || $0 == 0x2E }),
            let number = Double(text.dropLast()), number > 0, number <= 100
        else { throw ValueError(text, isNot: "a share such as 5%, above 0% and at most 100%") }
        return number / 100
    }

    /// A share in millionths, one at least.
    /// - Parameter wanted: how errors begin.
    static func millionths(_ text: String, _ wanted: String = "a share") throws(ValueError) -> Int {
        guard let share = try? share(text), share >= 1e-6 else {
            throw ValueError(text, isNot: wanted + " from 0.0001% to 100%, such as 1%")
        }
        return Int(clamping: (share * 1e6).rounded())
    }

    /// Digits only, within `range`.
    static func count(_ text: String, in range: ClosedRange<Int>) throws(ValueError) -> Int {
        let (digits, unit) = split(text)
        guard unit.isEmpty, let number = Int(digits), range.contains(number) else {
            throw ValueError(text, isNot: "a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    static func split(_ text: String) -> (digits: Substring, unit: Substring) {
        let digits = text.prefix { ("0"..."9").contains($0) }
        return (digits, text[digits.endIndex...])
    }
}
