import Glibc
import Text

/// The scale of a plot: where values are along a line, and the labels next to it.
struct PlotAxis: Equatable, Sendable {
    struct Tick: Equatable, Sendable {
        let value: Double
        let label: String
    }

    let lowest: Double
    let highest: Double
    let isLogarithmic: Bool
    let ticks: [Tick]

    /// From 0 (lowest) to 1 (highest); values outside are put at the ends.
    func place(_ value: Double) -> Double {
        let clamped = min(max(value, lowest), highest)
        return isLogarithmic ? log(clamped / lowest) / log(highest / lowest) : (clamped - lowest) / (highest - lowest)
    }

    /// From 0 to a round number of at least `highest`, four to five steps. Labels are whole numbers
    /// or decimals, as many digits as the steps need: `0`, `250`, `1.5k`, `2M`.
    static func amounts(upTo highest: Double) -> PlotAxis {
        let highest = highest > 0 ? max(highest, 1e-9) : 1
        let exact = highest / 5
        let magnitude = pow(10, log10(exact).rounded(.down))
        let step = ([1, 2, 2.5, 5, 10].first { $0 * magnitude >= exact * (1 - 1e-9) } ?? 10) * magnitude
        let count = Int(clamping: (highest / step - 1e-9).rounded(.up))
        let decimals = Self.decimals(of: step)
        return PlotAxis(
            lowest: 0, highest: step * Double(count), isLogarithmic: false,
            ticks: (0...count).map { Tick(value: step * Double($0), label: amount(step * Double($0), decimals)) })
    }

    /// Decimals that write a multiple of the number exactly; at most 12.
    private static func decimals(of number: Double) -> Int {
        (0..<12).first { places in
            let scaled = number * pow(10, Double(places))
            return abs(scaled - scaled.rounded()) < 1e-6 * scaled
        } ?? 12
    }

    private static func amount(_ value: Double, _ decimals: Int) -> String {
        for (size, suffix) in [(1e9, "G"), (1e6, "M"), (1e4, "k")] where value >= size {
            return Figure.shortest(value / (suffix == "k" ? 1e3 : size)) + suffix
        }
        return Figure.shortest(value, decimals: decimals)
    }

    /// Nanoseconds, logarithmic, from and to a 1, 2 or 5 of some power of ten.
    static func latencies(_ nanoseconds: some Sequence<Double>) -> PlotAxis {
        let values = nanoseconds.filter { $0 > 0 }
        let (least, most) = (max(1, values.min() ?? 1e5), max(1, values.max() ?? 1e7))
        // A histogram holds nanoseconds below 10^13.
        let steps = (0...13).flatMap { exponent in [1, 2, 5].map { $0 * pow(10, Double(exponent)) } }
        let lowest = steps.last { $0 <= least } ?? 1
        let highest = steps.first { $0 >= most && $0 > lowest } ?? 1e13
        let isWide = highest / lowest > 999
        let within = steps.filter { $0 >= lowest && $0 <= highest && (!isWide || isPowerOfTen($0)) }
        return PlotAxis(
            lowest: lowest, highest: highest, isLogarithmic: true,
            ticks: within.map { Tick(value: $0, label: time(nanoseconds: $0)) })
    }

    /// One in this many was slower, logarithmic.
    ///
    /// 1 is the fastest, 10 the 90th percentile, 100 the 99th.
    static func percentiles(ofCount count: Int) -> PlotAxis {
        let highest = max(10, Double(count))
        let nines = Int(clamping: log10(highest) + 1e-9)
        let ticks = (0...nines).map { exponent in
            let label = exponent == 0 ? "0 %" : "9" + (exponent == 1 ? "0" : "9") + decimals(exponent - 2) + " %"
            return Tick(value: pow(10, Double(exponent)), label: label)
        }
        return PlotAxis(lowest: 1, highest: highest, isLogarithmic: true, ticks: ticks)
    }

    /// Seconds since the start, up to the end of the run.
    static func time(seconds: Double) -> PlotAxis {
        let end = max(seconds, 1e-3)
        let round = [0.001, 0.01, 0.1, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800]
        let step =
            round.first { end / $0 <= 6 } ?? [1, 2, 3, 6, 12, 24].map { $0 * 3600 }.first { end / $0 <= 6 }
            ?? (end / 6 / 86_400).rounded(.up) * 86_400
        let ticks = (0...Int(clamping: end / step + 1e-9)).map { index in
            Tick(value: step * Double(index), label: clock(step * Double(index), step: step))
        }
        return PlotAxis(lowest: 0, highest: end, isLogarithmic: false, ticks: ticks)
    }

    /// `0:30`, `12:00`, `1:00:00`; `0.5 s` and `20 ms` where steps are that short.
    static func clock(_ seconds: Double, step: Double = 1) -> String {
        if step < 0.1 { return Figure.shortest(seconds * 1000) + " ms" }
        if step < 1 { return Figure.shortest(seconds) + " s" }
        let whole = Int(clamping: seconds.rounded())
        let (hours, minutes, rest) = (whole / 3600, whole / 60 % 60, whole % 60)
        let padded = rest < 10 ? "0\(rest)" : "\(rest)"
        guard hours > 0 else { return "\(minutes):\(padded)" }
        return "\(hours):\(minutes < 10 ? "0" : "")\(minutes):\(padded)"
    }

    private static func isPowerOfTen(_ value: Double) -> Bool {
        abs(log10(value) - log10(value).rounded()) < 1e-9
    }

    private static func time(nanoseconds: Double) -> String {
        for (unit, size) in [("s", 1e9), ("ms", 1e6), ("µs", 1e3)] where nanoseconds >= size {
            return Figure.count(Int(clamping: (nanoseconds / size).rounded())) + " " + unit
        }
        return "\(Int(clamping: nanoseconds.rounded())) ns"
    }

    private static func decimals(_ nines: Int) -> String {
        nines > 0 ? "." + String(repeating: "9", count: nines) : ""
    }
}
