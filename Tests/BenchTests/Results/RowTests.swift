import Testing

@testable import Bench

@Suite struct RowTests {
    @Test func aTargetIsMetAtItsBound() {
        #expect(Target.atLeast(1.3).isMet(by: 1.3))
        #expect(!Target.atLeast(1.3).isMet(by: 1.29))
        #expect(Target.atMost(2).isMet(by: 2))
        #expect(!Target.atMost(2).isMet(by: 2.01))
        #expect(Target.atMost(0).isMet(by: 0))
    }

    @Test func aRowWithoutComparisonIsShownAlone() {
        let row = ResultRow(measurement: "m", name: "n", unit: "u", ours: 3, target: .atMost(4))
        #expect(row.goals.map(\.isMet) == [true])
    }

    @Test func aRowShowsItsOwnTargetAndEachComparison() {
        var row = ResultRow(measurement: "m", name: "n", unit: "u", ours: 3)
        row.others = [Other(name: "a", figure: 2, ratio: 1.5, target: .atLeast(2)), Other(name: "b")]
        #expect(row.goals.map { $0.other?.name } == ["a", "b"])
        #expect(row.goals.map(\.isMet) == [false, nil])
        row.target = .atLeast(1)
        #expect(row.goals.map { $0.other?.name } == [nil, "a", "b"])
    }

    @Test func whatWasNotMeasuredIsNeitherMetNorMissed() {
        let other = Other(name: "nginx", target: .atLeast(1.3))
        let row = ResultRow(measurement: "m", name: "n", unit: "u", ours: 3, others: [other])
        #expect(row.goals.map(\.isMet) == [nil])
    }
}
