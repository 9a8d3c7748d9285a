import Testing

@testable import Traffic

@Suite struct TimelineColumnTests {
    @Test func slotsAreSummedAndOfLatenciesTheHighestCounts() {
        var result = SyntheticResult.make(seed: 1, seconds: 10, rate: 20)
        result.slots[3].maximum = nil
        let columns = TimelineColumn.columns(of: result, atMost: 3)
        #expect(columns.map(\.from) == [0, 4, 8] && columns.map(\.to) == [4, 8, 10])
        #expect(columns.reduce(0) { $0 + $1.slot.sent } == result.sent)
        #expect(columns[0].slot.maximum == result.slots[..<3].compactMap(\.maximum).max())
        #expect(columns[2].rate(columns[2].slot.answered) == Double(columns[2].slot.answered) / 2)
    }

    @Test func noMoreColumnsThanAskedFor() {
        let result = SyntheticResult.make(seed: 1, seconds: 61, rate: 1)
        #expect(TimelineColumn.columns(of: result, atMost: 60).count == 31)
        #expect(TimelineColumn.columns(of: result, atMost: 61).count == 61)
    }

    /// Ten milliseconds with three answers are no 300 a second.
    @Test func aShortRestOfASlotGivesNoRate() {
        var result = SyntheticResult.make(seed: 1, seconds: 3, rate: 20)
        result.elapsed = .milliseconds(2010)
        let columns = TimelineColumn.columns(of: result, atMost: 60)
        #expect(columns.map(\.isRest) == [false, false, true])
        #expect(ResultPlots.throughput(columns).series[0].steps.map { $0 == nil } == [false, false, true])
        result.elapsed = .milliseconds(2600)
        #expect(TimelineColumn.columns(of: result, atMost: 60).map(\.isRest) == [false, false, false])
    }

    @Test func theOnlySlotIsDrawnHoweverShort() {
        var result = SyntheticResult.make(seed: 1, seconds: 1, rate: 20)
        result.elapsed = .milliseconds(12)
        let columns = TimelineColumn.columns(of: result, atMost: 60)
        #expect(columns.map(\.isRest) == [false] && columns[0].to == 0.012)
    }
}
