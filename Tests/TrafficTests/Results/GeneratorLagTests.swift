import Testing

@testable import Traffic

@Suite struct GeneratorLagTests {
    private static func histogram(_ nanoseconds: Int64) -> Histogram {
        var histogram = Histogram()
        histogram.record(nanoseconds: nanoseconds)
        return histogram
    }

    @Test(
        arguments: [
            // A millisecond is tolerated, and a tenth of what was measured.
            (1_000_000, 500_000, true), (1_010_000, 500_000, false), (4_900_000, 50_000_000, true),
            (5_100_000, 50_000_000, false),
        ] as [(Int64, Int64, Bool)])
    func aRunIsInvalidWhenItsLagCouldBeWhatItMeasured(_ lag: Int64, _ corrected: Int64, _ isValid: Bool) {
        let objection = GeneratorLag.objection(lag: Self.histogram(lag), corrected: Self.histogram(corrected))
        #expect((objection == nil) == isValid)
    }

    @Test func aClosedLoopIsNeverLate() {
        #expect(GeneratorLag.objection(lag: Histogram(), corrected: Self.histogram(1)) == nil)
    }

    @Test func theObjectionSaysHowLate() {
        let text = GeneratorLag.objection(lag: Self.histogram(12_340_000), corrected: Self.histogram(1_000_000))
        #expect(
            text == "the generator was late: 1 % of the requests lagged by 12.3 ms or more, and 1.00 ms are allowed")
    }

    /// A generator that stood still for a second in 200 had a valid run whose p99.9 was its own
    /// lateness, and nothing said so.
    @Test func aStandstillOfTheGeneratorIsMarkedAtThePercentilesThatItMade() throws {
        var result = ReplayResult.empty(pace: "100/s", connections: 4)
        for index in 0..<20_000 as Range<Int64> {
            let late = index < 100 ? (100 - index) * 10_000_000 : 20_000
            result.lag.record(nanoseconds: late)
            result.corrected.record(nanoseconds: late + 500_000)
            result.uncorrected.record(nanoseconds: 500_000)
        }
        #expect(GeneratorLag.objection(lag: result.lag, corrected: result.corrected) == nil)
        let marked = result.latencyTable.rows.filter { $0.last == ReportNotes.generatorsMark }.map { $0[0] }
        #expect(marked == ["99.9 %", "99.99 %", "99.999 %", "max"])
        let text = TerminalSummary.text(of: result)
        let page = HTMLReport.page(of: result)
        #expect(text.split(separator: "\n").filter { $0.hasSuffix("  " + ReportNotes.generatorsMark) }.count == 4)
        #expect(text.contains(ReportNotes.generators) && text.split(separator: "\n").allSatisfy { $0.count <= 100 })
        #expect(page.contains("<td>\(HTML.escaped(ReportNotes.generatorsMark))</td>"))
        #expect(ReplayComparison(("a", result), ("b", result)).text.contains(", " + ReportNotes.generatorsMark))

        func sentence(_ text: String) throws -> String { try Threshold(text).verdict(on: result).sentence }
        #expect(try sentence("p99.9>50ms").hasSuffix("there, so this may be its fault and not the target's"))
        #expect(try sentence("max>10s").hasSuffix("; the generator's own lag was 1.00 s there"))
        #expect(try sentence("p99>50ms").hasSuffix(": p99 was 520 µs"))
        #expect(try sentence("uncorrected.p99.9>50ms").hasSuffix(": uncorrected.p99.9 was 500 µs"))
    }

    @Test func whatThePunctualGeneratorMeasuredIsNotMarked() {
        let result = SyntheticResult.make(seed: 4, seconds: 20)
        #expect(!result.hasLatenessOfItsOwn && result.latencyTable.head.count == 4)
    }
}
