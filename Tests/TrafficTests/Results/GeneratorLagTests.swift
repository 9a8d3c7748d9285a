import Testing

@testable import Traffic

@Suite struct GeneratorLagTests {
    /// A run whose requests were late by `lag`, and took `own` from then on.
    private static func result(lag: Int64, own: Int64) -> ReplayResult {
        var result = ReplayResult.empty(pace: "100/s", connections: 4)
        result.answered = 1
        result.lag.record(nanoseconds: lag)
        result.corrected.record(nanoseconds: lag + own)
        result.withoutLag.record(nanoseconds: own)
        result.uncorrected.record(nanoseconds: own)
        return result
    }

    private static func verdicts(_ texts: [String], _ result: ReplayResult) throws -> [Threshold.Verdict] {
        try texts.map { try Threshold($0).verdict(on: result) }
    }

    @Test(
        arguments: [
            // A millisecond is tolerated, and a tenth of the whole.
            (1_000_000, 500_000, true), (1_100_000, 500_000, false), (4_900_000, 50_000_000, true),
            (6_100_000, 50_000_000, false),
        ] as [(Int64, Int64, Bool)])
    func aLatencyIsMarkedWhenLagIsTooMuchOfIt(_ lag: Int64, _ own: Int64, _ isUnmarked: Bool) {
        #expect((Self.result(lag: lag, own: own).latenessAtP99 == nil) == isUnmarked)
    }

    /// On an idle machine with two cores the example of the README ended so: 1 % of its requests
    /// lagged by two milliseconds, and nothing was asserted of latencies.
    @Test func aRunWithALagOfMillisecondsWasInvalidThoughNothingDependedOnIt() throws {
        var result = Self.result(lag: 3_000_000, own: 500_000)
        result.verification.compared = 1
        result.judge([])
        #expect(result.invalidBecause == nil)
        result.judge(try Self.verdicts(["p99>10ms", "diff>0", "errors>0"], result))
        #expect(result.invalidBecause == nil)
    }

    @Test func aRunWhoseAssertedFigureIsDecidedByLagIsInvalid() throws {
        var result = Self.result(lag: 3_000_000, own: 500_000)
        result.judge(try Self.verdicts(["errors>0", "p99>2ms"], result))
        let reason = try #require(result.invalidBecause)
        #expect(reason.hasPrefix("the generator was too late to decide p99>2ms: p99 was 3.5"))
        // Missed with or without it.
        result.judge(try Self.verdicts(["p99>400us"], result))
        #expect(result.invalidBecause == nil)
    }

    @Test func aRunWithoutAssertionsIsInvalidOnceItShowsMostlyTheGenerator() {
        var result = Self.result(lag: 300_000_000, own: 500_000)
        result.judge([])
        #expect(result.invalidBecause?.hasPrefix("the generator was late: 30") == true)
        result = Self.result(lag: 9_000_000, own: 500_000)
        result.judge([])
        #expect(result.invalidBecause == nil)
    }

    @Test func aClosedLoopIsNeverLate() {
        var result = Self.result(lag: 0, own: 1)
        result.lag = Histogram()
        result.judge([])
        #expect(result.invalidBecause == nil && result.latenessAtP99 == nil)
    }

    /// A generator that stopped for a second in 200 had a valid run whose p99.9 was its own
    /// lateness, and nothing said so.
    @Test func aStandstillOfTheGeneratorIsMarkedAtThePercentilesThatItMade() throws {
        var result = ReplayResult.empty(pace: "100/s", connections: 4)
        for index in 0..<20_000 as Range<Int64> {
            let late = index < 100 ? (100 - index) * 10_000_000 : 20_000
            result.lag.record(nanoseconds: late)
            result.corrected.record(nanoseconds: late + 500_000)
            result.withoutLag.record(nanoseconds: 500_000)
            result.uncorrected.record(nanoseconds: 500_000)
        }
        result.judge([])
        #expect(result.invalidBecause == nil)
        let marked = result.latencyTable.rows.filter { $0.last == ReportNotes.generatorsMark }.map { $0[0] }
        #expect(marked == ["99.9 %", "99.99 %", "99.999 %", "max", "mean"])
        let text = TerminalSummary.text(of: result)
        let page = HTMLReport.page(of: result)
        #expect(text.split(separator: "\n").filter { $0.hasSuffix("  " + ReportNotes.generatorsMark) }.count == 5)
        #expect(text.contains(ReportNotes.generators) && text.split(separator: "\n").allSatisfy { $0.count <= 100 })
        #expect(page.contains("<td>\(HTML.escaped(ReportNotes.generatorsMark))</td>"))
        #expect(ReplayComparison(("a", result), ("b", result)).text.contains(", " + ReportNotes.generatorsMark))

        func sentence(_ text: String) throws -> String { try Threshold(text).verdict(on: result).sentence }
        #expect(try sentence("p99.9>50ms").hasSuffix(", and 500 µs without the generator's own lag"))
        #expect(try sentence("max>10s").hasSuffix("; the generator's own lag is 1.00 s of that"))
        #expect(try sentence("p99>50ms").hasSuffix(": p99 was 520 µs"))
        #expect(try sentence("uncorrected.p99.9>50ms").hasSuffix(": uncorrected.p99.9 was 500 µs"))
    }

    @Test func whatThePunctualGeneratorMeasuredIsNotMarked() {
        let result = SyntheticResult.make(seed: 4, seconds: 20)
        #expect(!result.hasLatenessOfItsOwn && result.latencyTable.head.count == 4)
    }
}
