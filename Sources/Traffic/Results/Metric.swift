import Text

/// A figure of a run that a threshold can name.
enum Metric: Sendable, Equatable {
    case latency(Series, Statistic)
    case hitRatio
    case differences
    case errors
    case resets
    /// Answers a second.
    case rate
    /// Answers with a status in this range.
    case statuses(ClosedRange<Int>)

    enum Series: String, CaseIterable, Sendable {
        case corrected
        case uncorrected
        case lag
    }

    enum Statistic: Sendable, Equatable {
        case percentile(Percentile)
        case maximum
        case mean
    }

    /// A figure, and the whole that it is a part of.
    struct Measured {
        let value: Double
        /// Why a latency is not known: more requests failed than lie above it, which may all be
        /// slower. Nil where it is known.
        var openBecause: String?
        let whole: Int
        /// Uncertain answers, which may have to be added to both.
        let uncertain: Int
        /// Without the generator's possible lag; nil: that is less than a hundredth of the value.
        private(set) var punctual: Double?

        init(value: Double, whole: Int = 1, uncertain: Int = 0, punctual: Double? = nil) {
            (self.value, self.whole, self.uncertain) = (value, whole, uncertain)
            self.punctual = punctual.flatMap { abs(value - $0) * 100 > value ? $0 : nil }
        }

        /// The whole is never 0.
        var share: Double { value / Double(whole) }

        var withUncertain: Measured { Measured(value: value + Double(uncertain), whole: whole + uncertain) }
    }

    /// Why a run has no such figure.
    struct Absence: Error {
        let reason: String
    }

    static let names =
        "p50, p90, p99, p99.9, p99.99, p99.999 (or any other percentile), max and mean, each also of uncorrected and lag "
        + "(uncorrected.p99, lag.max), hit, diff, errors, resets, rate, and statuses such as 5xx or 404"

    init?(_ name: Substring) {
        switch name.lowercased() {
        case "hit": self = .hitRatio
        case "diff": self = .differences
        case "errors": self = .errors
        case "resets": self = .resets
        case "rate": self = .rate
        case let name:
            guard let other = Self.statuses(name) ?? Self.latency(name) else { return nil }
            self = other
        }
    }

    /// `5xx`, `404`, `status5xx`.
    private static func statuses(_ name: String) -> Metric? {
        let code = name.hasPrefix("status") ? name.dropFirst(6) : name[...]
        guard code.utf8.count == 3, let first = code.first?.wholeNumberValue, (1...5).contains(first) else {
            return nil
        }
        if code.hasSuffix("xx") { return .statuses(first * 100...first * 100 + 99) }
        return Int(code).map { .statuses($0...$0) }
    }

    /// `p99`, `uncorrected.p99.9`, `lag.max`.
    private static func latency(_ name: String) -> Metric? {
        let series = Series.allCases.first { name.hasPrefix($0.rawValue + ".") }
        switch series.map({ name.dropFirst($0.rawValue.utf8.count + 1) }) ?? name[...] {
        case "max": return .latency(series ?? .corrected, .maximum)
        case "mean": return .latency(series ?? .corrected, .mean)
        case let figure where figure.hasPrefix("p"):
            return Percentile(figure.dropFirst()).map { .latency(series ?? .corrected, .percentile($0)) }
        default: return nil
        }
    }

    /// With its verb, for a sentence that ends with the value.
    var subject: String {
        switch self {
        case .latency(let series, let statistic):
            (series == .corrected ? "" : series.rawValue + ".") + statistic.name + " was"
        case .hitRatio: "the hit ratio was"
        case .differences: "differences were"
        case .errors: "errors were"
        case .resets: "resets were"
        case .rate: "the rate was"
        case .statuses(let codes):
            "answers with \(codes.count == 1 ? "\(codes.lowerBound)" : "\(codes.lowerBound / 100)xx") were"
        }
    }

    // MARK: - Bounds

    /// Syntax of a bound, for a user who wrote something else.
    var expectation: String {
        switch self {
        case .latency: "a latency is compared with a number and its unit, ns, us, ms or s, such as 50ms"
        case .hitRatio: "a hit ratio is compared with a share from 0 to 1, or from 0% to 100%"
        case .rate: "a rate is compared with answers a second, such as 500"
        case .differences, .errors, .resets, .statuses:
            "a count is compared with a whole number, such as 5, or with a share, such as 1% or 0.01"
        }
    }

    /// The number in this metric's unit, and whether it is a share of the whole.
    func bound(_ text: Substring) -> (Double, isShare: Bool)? {
        switch self {
        case .latency:
            return [("ns", 1), ("us", 1e3), ("µs", 1e3), ("ms", 1e6), ("s", 1e9)].lazy.compactMap { unit, factor in
                text.hasSuffix(unit) ? Self.number(text.dropLast(unit.count)).map { ($0 * factor, false) } : nil
            }.first
        case .hitRatio:
            let number = text.hasSuffix("%") ? Self.number(text.dropLast()).map { $0 / 100 } : Self.number(text)
            return number.flatMap { $0 <= 1 ? ($0, false) : nil }
        case .rate:
            return Self.number(text.hasSuffix("/s") ? text.dropLast(2) : text).map { ($0, false) }
        case .differences, .errors, .resets, .statuses:
            guard text.hasSuffix("%") else { return Self.countOrShare(text) }
            return Self.number(text.dropLast()).flatMap { $0 <= 100 ? ($0 / 100, true) : nil }
        }
    }

    /// A number with a point is a share, as in `hit<0.9`: there are no parts of a request.
    private static func countOrShare(_ text: Substring) -> (Double, isShare: Bool)? {
        let isShare = text.contains(".")
        return number(text).flatMap { isShare && $0 >= 1 ? nil : ($0, isShare) }
    }

    /// Digits and a point; no sign, exponent or word.
    private static func number(_ text: Substring) -> Double? {
        text.utf8.allSatisfy { (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") } ? Double(text) : nil
    }

    // MARK: - Values

    func value(of result: ReplayResult) -> Result<Measured, Absence> {
        switch self {
        case .latency(let series, let statistic):
            Self.measured(
                result.latency(statistic, of: series).map { value in
                    var measured = Measured(
                        value: value, punctual: series == .corrected ? result.latencyWithoutLag(statistic) : nil)
                    if series != .lag { measured.openBecause = result.openness(of: statistic) }
                    return measured
                },
                series == .lag && result.isClosedLoop ? "a closed loop has no schedule" : "nothing was answered")
        case .hitRatio:
            Self.measured(
                result.hitRatio.map { Measured(value: $0) },
                "no answer of the target has a Cache-Status with a hit or a miss")
        case .differences:
            Self.counted(
                result.verification.different, of: result.verification.compared,
                orMore: result.verification.uncertain, "no answer was compared")
        // Counted among requests that ended: one that found no connection was never sent.
        case .errors: Self.counted(result.failed, of: result.answered + result.failed, "nothing was sent")
        case .resets: Self.counted(result.resets, of: result.answered + result.failed, "nothing was sent")
        case .rate:
            Self.measured(
                result.rate.map { Measured(value: $0, punctual: result.punctualRate) }, "no time passed")
        case .statuses(let codes):
            Self.counted(
                result.statuses.reduce(0) { $0 + (codes.contains($1.key) ? $1.value : 0) }, of: result.answered,
                "nothing was answered")
        }
    }

    private static func measured(_ value: Measured?, _ reason: String) -> Result<Measured, Absence> {
        value.map { .success($0) } ?? .failure(Absence(reason: reason))
    }

    private static func counted(
        _ count: Int, of whole: Int, orMore uncertain: Int = 0, _ reason: String
    ) -> Result<Measured, Absence> {
        measured(whole > 0 ? Measured(value: Double(count), whole: whole, uncertain: uncertain) : nil, reason)
    }

    func text(_ value: Double) -> String {
        switch self {
        case .latency: Figure.time(nanoseconds: value)
        case .hitRatio: Figure.percent(value)
        case .rate: Figure.rate(value)
        case .differences, .errors, .resets, .statuses: Figure.count(Int(clamping: value))
        }
    }
}

extension Metric.Statistic {
    /// Quantiles that reports show of each kind of latency.
    static let reported = Percentile.reported.map { Self.percentile($0) } + [.maximum, .mean]

    /// The statistic's title in tables: `99.9 %`, `max`.
    var title: String {
        if case .percentile(let percentile) = self { percentile.name + " %" } else { name }
    }

    var name: String {
        switch self {
        case .percentile(let percentile): "p" + percentile.name
        case .maximum: "max"
        case .mean: "mean"
        }
    }

    /// - Parameter total: as of `Histogram.quantile`.
    fileprivate func nanoseconds(of histogram: Histogram, among total: Int) -> Double? {
        switch self {
        case .percentile(let percentile): histogram.quantile(percentile.share, of: total).map(Double.init)
        case .maximum: histogram.maximum.map(Double.init)
        case .mean: histogram.mean
        }
    }
}

extension ReplayResult {
    /// Requests with an answer or a failure. A percentile is of all of them: those that failed
    /// without a latency count as slower than all others.
    var completed: Int { answered + failed }

    /// A statistic of latencies in nanoseconds; nil without any. Requests of an open loop have a
    /// lag whether they fail or not.
    func latency(_ statistic: Metric.Statistic, of series: Metric.Series) -> Double? {
        statistic.nanoseconds(of: self[series], among: series == .lag ? 0 : completed)
    }

    /// The corrected latency of a punctual generator.
    func latencyWithoutLag(_ statistic: Metric.Statistic) -> Double? {
        statistic.nanoseconds(of: withoutLag, among: completed)
    }

    /// Why a latency is not known: more requests failed than lie above it. Nil where it is known.
    fileprivate func openness(of statistic: Metric.Statistic) -> String? {
        let above =
            if case .percentile(let percentile) = statistic {
                completed - Int.rank(ofShare: percentile.share, of: completed)
            } else {
                0
            }
        guard failed > above else { return nil }
        let said = "\(Figure.count(failed)) of \(Figure.count(completed)) requests failed"
        guard statistic != .mean else { return said }
        return said + ", and \(Figure.count(above)) \(above == 1 ? "lies" : "lie") above \(statistic.name)"
    }

    subscript(series: Metric.Series) -> Histogram {
        switch series {
        case .corrected: corrected
        case .uncorrected: uncorrected
        case .lag: lag
        }
    }
}
