import TestSupport
import Testing

@testable import Traffic

@Suite struct PlotAxisTests {
    @Test func latenciesAreLabelledInTheirUnits() {
        #expect(
            PlotAxis.latencies([120_000, 1_900_000]).ticks.map(\.label) == [
                "100 µs", "200 µs", "500 µs", "1 ms", "2 ms",
            ])
        #expect(
            PlotAxis.latencies([90_000, 2_000_000_000]).ticks.map(\.label) == [
                "100 µs", "1 ms", "10 ms", "100 ms", "1 s",
            ])
        #expect(PlotAxis.latencies([1_000_000]).ticks.map(\.label) == ["1 ms", "2 ms"])
        #expect(PlotAxis.latencies([0, 0]).ticks.count > 1 && PlotAxis.latencies([]).ticks.count > 1)
    }

    @Test func amountsEndAtARoundNumber() {
        #expect(PlotAxis.amounts(upTo: 512).ticks.map(\.label) == ["0", "200", "400", "600"])
        #expect(PlotAxis.amounts(upTo: 51_200).ticks.map(\.label) == ["0", "20k", "40k", "60k"])
        #expect(PlotAxis.amounts(upTo: 0).ticks.map(\.label) == ["0", "0.2", "0.4", "0.6", "0.8", "1"])
        #expect(PlotAxis.amounts(upTo: 4).highest == 4)
        // Steps of less than a thousandth were all written as 0.
        #expect(
            PlotAxis.amounts(upTo: 0.001).ticks.map(\.label)
                == ["0", "0.0002", "0.0004", "0.0006", "0.0008", "0.001"])
        #expect(PlotAxis.amounts(upTo: 0.00125).ticks.map(\.label).last == "0.00125")
    }

    @Test func coordinatesEndWithoutZeros() {
        let steps: [PlotSeries.Step] = [.init(from: 1, to: 1, value: 2), .init(from: 3, to: 4, value: 0.15)]
        let plot = Plot(
            description: "", x: .amounts(upTo: 4), y: .amounts(upTo: 4), xTitle: "", yTitle: "",
            series: [PlotSeries(name: "a", style: "s-a", steps: steps)])
        #expect(plot.html.contains("d=\"M250 150L750 288.75H1000\""))
    }

    @Test func percentilesGoAsFarAsThereAreValues() {
        #expect(PlotAxis.percentiles(ofCount: 1).ticks.map(\.label) == ["0 %", "90 %"])
        #expect(
            PlotAxis.percentiles(ofCount: 100_000).ticks.map(\.label)
                == ["0 %", "90 %", "99 %", "99.9 %", "99.99 %", "99.999 %"])
        #expect(PlotAxis.percentiles(ofCount: 100_000).place(1000) == 0.6)
    }

    static let times: [(Double, [String])] = [
        (0.012, ["0 ms", "10 ms"]), (2, ["0 s", "0.5 s", "1 s", "1.5 s", "2 s"]), (60, ["0:00", "0:10"]),
        (120, ["0:00", "0:30"]), (3600, ["0:00", "10:00"]), (7200, ["0:00", "30:00", "1:00:00"]),
        (86_400, ["0:00", "6:00:00"]), (30 * 86_400, ["0:00", "120:00:00"]), (0, ["0 ms"]),
    ]

    @Test(arguments: times)
    func timeIsDividedAsClocksAre(_ seconds: Double, _ first: [String]) {
        let ticks = PlotAxis.time(seconds: seconds).ticks
        #expect(Array(ticks.map(\.label).prefix(first.count)) == first)
        #expect(ticks.count <= 7)
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func ticksAndValuesLieWithinTheAxis(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let values = (0..<5).map { _ in Double(1 << Int.random(in: 0...41, using: &generator)) }
        let axes = [
            PlotAxis.latencies(values), .amounts(upTo: values[0]), .time(seconds: values[1] / 1e6),
            .percentiles(ofCount: Int(values[2])),
        ]
        for axis in axes {
            #expect(axis.highest > axis.lowest && !axis.ticks.isEmpty && axis.ticks.count <= 15, "seed \(seed)")
            let places = axis.ticks.map { axis.place($0.value) }
            #expect(places == places.sorted() && places.allSatisfy { (0...1).contains($0) }, "seed \(seed)")
            #expect(Set(axis.ticks.map(\.label)).count == axis.ticks.count, "seed \(seed)")
        }
        #expect(values.allSatisfy { axes[0].lowest <= $0 && $0 <= axes[0].highest }, "seed \(seed)")
        #expect(axes[1].highest >= values[0], "seed \(seed)")
    }

    @Test func slotsAreSummedIntoColumns() {
        var result = SyntheticResult.make(seed: 1, seconds: 10, rate: 20)
        result.slots[3].maximum = nil
        let columns = TimelineColumn.columns(of: result, atMost: 3)
        #expect(columns.map(\.from) == [0, 4, 8] && columns.map(\.to) == [4, 8, 10])
        #expect(columns.reduce(0) { $0 + $1.slot.sent } == result.sent)
        #expect(columns[0].slot.maximum == result.slots[..<3].compactMap(\.maximum).max())
        #expect(columns[2].rate(columns[2].slot.answered) == Double(columns[2].slot.answered) / 2)
        result = SyntheticResult.make(seed: 1, seconds: 61, rate: 1)
        #expect(TimelineColumn.columns(of: result, atMost: 60).count == 31)
        #expect(TimelineColumn.columns(of: result, atMost: 61).count == 61)
    }

    /// Ten milliseconds with three answers are no 300 a second.
    @Test func aShortRestGivesNoRateUnlessItIsAlone() {
        var result = SyntheticResult.make(seed: 1, seconds: 3, rate: 20)
        result.elapsed = .milliseconds(2010)
        let columns = TimelineColumn.columns(of: result, atMost: 60)
        #expect(columns.map(\.isRest) == [false, false, true])
        #expect(ResultPlots.throughput(columns).series[0].steps.map { $0 == nil } == [false, false, true])
        result.elapsed = .milliseconds(2600)
        #expect(TimelineColumn.columns(of: result, atMost: 60).map(\.isRest) == [false, false, false])
        result = SyntheticResult.make(seed: 1, seconds: 1, rate: 20)
        result.elapsed = .milliseconds(12)
        let alone = TimelineColumn.columns(of: result, atMost: 60)
        #expect(alone.map(\.isRest) == [false] && alone[0].to == 0.012)
    }
}
