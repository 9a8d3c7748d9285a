import Testing
import Text

@Suite struct SteadyFigureTests {
    @Test(arguments: [(0, "0"), (999, "999"), (1000, "1,000"), (1_234_567, "1,234,567"), (-1000, "-1,000")])
    func countsHaveGroups(number: Int, text: String) {
        #expect(Figure.count(number) == text)
    }

    @Test func allIsAHundredPercentAndNearlyAllIsNot() {
        #expect(Figure.percent(0, of: 0) == "–")
        #expect(Figure.percent(9999, of: 10_000) == "99.9 %")
        #expect(Figure.percent(10_000, of: 10_000) == "100 %")
        #expect(Figure.percent(-3, of: 10) == "0.0 %")
    }

    @Test(arguments: [
        (900, "1 µs"), (999_400, "999 µs"), (999_600, "1.0 ms"), (999_940_000, "999.9 ms"), (999_960_000, "1.0 s"),
        (61_000_000_000, "61.0 s"),
    ])
    func timesChangeTheirUnitWhereTheyWouldRoundToTheNext(nanoseconds: Int, text: String) {
        #expect(Figure.steadyTime(nanoseconds: nanoseconds) == text)
    }

    @Test(arguments: [(1023, "1023 B"), (1024, "1.0 KiB"), (1 << 20, "1.0 MiB"), (3 << 40, "3,072.0 GiB")])
    func bytesHaveBinaryUnits(number: Int, text: String) {
        #expect(Figure.bytes(number) == text)
    }

    @Test func timesOfDayAndRates() {
        #expect(Figure.timeOfDay(86_400 + 3 * 3600 + 4 * 60 + 5) == "03:04:05")
        #expect(Figure.steadyRate(99.9) == "99.9/s" && Figure.steadyRate(99.96) == "100/s")
    }
}
