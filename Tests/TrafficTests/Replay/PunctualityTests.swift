import Testing

@testable import Traffic

@Suite struct PunctualityTests {
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
        let objection = Punctuality.objection(lag: Self.histogram(lag), corrected: Self.histogram(corrected))
        #expect((objection == nil) == isValid)
    }

    @Test func aClosedLoopIsNeverLate() {
        #expect(Punctuality.objection(lag: Histogram(), corrected: Self.histogram(1)) == nil)
    }

    @Test func theObjectionSaysHowLate() {
        let text = Punctuality.objection(lag: Self.histogram(12_340_000), corrected: Self.histogram(1_000_000))
        #expect(text == "the generator was late: 1 % of the requests lagged by 12.3 ms or more, and 1.0 ms are allowed")
    }
}
