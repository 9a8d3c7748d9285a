import Testing

@testable import Traffic

@Suite struct ReplayComparisonTests {
    private func row(_ name: String, _ comparison: ReplayComparison) -> [String]? {
        comparison.rows.first { $0.name == name }.map { [$0.a, $0.b, $0.ratio] }
    }

    @Test func figuresStandSideBySideWithTheirRatio() {
        let a = SyntheticResult.make(seed: 1, seconds: 4, rate: 50)
        var b = a
        b.answered = a.answered * 2
        b.corrected = Histogram()
        b.corrected.record(nanoseconds: (a.corrected.maximum.map(Int64.init) ?? 0) * 3)
        let comparison = ReplayComparison(("a.json", a), ("b.json", b))
        #expect(row("answered", comparison)?[2] == "2.00")
        #expect(row("latency max", comparison)?[2] == "3.00")
        #expect(row("hit ratio", comparison)?[2] == "1.00")
        #expect(comparison.unlikeness == nil)
    }

    @Test func whereThereIsNothingToDivideByADashStands() {
        let full = SyntheticResult.make(seed: 1, seconds: 2, rate: 50)
        let comparison = ReplayComparison(("a", .empty()), ("b", full))
        #expect(row("sent", comparison).map { [$0[0], $0[2]] } == ["0", "–"])
        #expect(row("latency 99 %", comparison).map { [$0[0], $0[2]] } == ["–", "–"])
        #expect(comparison.page.contains("<svg"))
        #expect(!comparison.text.contains("nan") && !comparison.text.contains("inf"))
    }

    @Test func whatIsHardToCompareIsSaid() {
        let a = SyntheticResult.make(seed: 1, seconds: 2, rate: 50)
        var b = a
        (b.file, b.pace, b.invalidBecause) = ("other.jsonl", "10x", "late")
        let lines = ReplayComparison(("a", a), ("b", b)).text.split(separator: "\n")
        #expect(lines[0] == "INVALID RUN B: late")
        #expect(lines[1] == "The runs differ in recording and pace, not only in what they measured.")
        #expect(ReplayComparison(("a", a), ("b", b)).page.contains("INVALID RUN B:"))
    }
}
