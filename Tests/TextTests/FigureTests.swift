import Testing
import Text

@Suite struct FigureTests {
    @Test(arguments: [
        (0.0, "0 ns"), (999, "999 ns"), (1000, "1.00 µs"), (9994, "9.99 µs"), (9996, "10.0 µs"), (45_600, "45.6 µs"),
        (99_960, "100 µs"), (999_499, "999 µs"), (999_500, "1.00 ms"), (1_234_567, "1.23 ms"), (999_600_000, "1.00 s"),
        (12_345_000_000, "12.3 s"), (1_234_000_000_000, "1,234 s"),
    ])
    func timesHaveThreeDigits(nanoseconds: Double, text: String) {
        #expect(Figure.time(nanoseconds: nanoseconds) == text)
    }

    @Test(arguments: [
        (0.0, "0 %"), (1, "100 %"), (0.5, "50.0 %"), (0.999_99, "99.99 %"), (0.000_001, "0.01 %"), (0.9951, "99.51 %"),
        (1.5, "100 %"),
    ])
    func onlyAllIsAHundredPercentAndOnlyNoneIsZero(share: Double, text: String) {
        #expect(Figure.percent(share) == text)
    }

    @Test func otherFigures() {
        #expect([0, 999, 1000, 1_234_567, -1000].map(Figure.count) == ["0", "999", "1,000", "1,234,567", "-1,000"])
        #expect([0, 0.421, 29.64, 1204.4].map(Figure.rate) == ["0/s", "0.42/s", "29.6/s", "1,204/s"])
        #expect([512, 1023, 1024, 1280].map(Figure.bytes) == ["512 B", "1023 B", "1.0 KiB", "1.3 KiB"])
        #expect([1 << 20, 3 << 30, 3 << 40].map(Figure.bytes) == ["1.0 MiB", "3.0 GiB", "3,072.0 GiB"])
        #expect([6, 0.25, 1.5, 0].map { Figure.shortest($0) } == ["6", "0.25", "1.5", "0"])
        #expect(Figure.shortest(0.00025, decimals: 5) == "0.00025" && Figure.shortest(0.3, decimals: 5) == "0.3")
        #expect(Figure.shortest(100, decimals: 0) == "100" && Figure.shortest(1200, decimals: 0) == "1,200")
        #expect(Figure.shortest(1200.5, decimals: 2, isGrouped: false) == "1200.5")
        #expect(Figure.fixed(-0.0001, 2) == "0.00" && Figure.fixed(-1.005, 1) == "-1.0")
        #expect([Duration.zero, .milliseconds(12), .seconds(120)].map(Figure.span) == ["0 s", "12.0 ms", "120 s"])
        #expect(Figure.moment(.init(microseconds: 1_790_000_000_123_456)) == "2026-09-21 14:13:20.123 UTC")
        #expect(Figure.timeOfDay(86_400 + 3 * 3600 + 4 * 60 + 5) == "03:04:05")
        #expect(Figure.steadyRate(99.9) == "99.9/s" && Figure.steadyRate(99.96) == "100/s")
        #expect(Figure.percent(9999, of: 10_000) == "99.9 %" && Figure.percent(10_000, of: 10_000) == "100 %")
        #expect(Figure.percent(6406, of: 10_000) == "64.1 %" && Figure.percent(1, of: 1001) == "0.1 %")
        #expect(Figure.percent(0, of: 0) == "–" && Figure.percent(-3, of: 10) == "0.0 %")
    }

    @Test(arguments: [
        (900, "1 µs"), (999_400, "999 µs"), (999_600, "1.0 ms"), (999_940_000, "999.9 ms"), (999_960_000, "1.0 s"),
        (61_000_000_000, "61.0 s"),
    ])
    func timesChangeTheirUnitWhereTheyWouldRoundToTheNext(nanoseconds: Int, text: String) {
        #expect(Figure.steadyTime(nanoseconds: nanoseconds) == text)
    }
}
