import Testing

@testable import Traffic

@Suite struct HGRMTests {
    private func text(_ histogram: Histogram) -> String {
        HGRM.text(of: histogram, in: SyntheticResult.make(seed: 1, seconds: 1))
    }

    /// The rows as HdrHistogram's plotter reads them: four columns, and no `#` before them.
    private func plotted(_ text: String) -> [[Double]] {
        text.split(separator: "\n").filter { !$0.hasPrefix("#") }.compactMap { line in
            let numbers = line.split(separator: " ").compactMap { Double($0) }
            return numbers.count == 4 ? numbers : nil
        }
    }

    @Test func rowsAreWhatHdrHistogramWrites() {
        var histogram = Histogram()
        for value: Int64 in [1_000_000, 2_000_000, 3_000_000, 4_000_000] { histogram.record(nanoseconds: value) }
        let lines = text(histogram).split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines[0] == "       Value     Percentile TotalCount 1/(1-Percentile)")
        #expect(lines[1] == "")
        #expect(lines[2] == "    1.000447 0.000000000000          1           1.00")
        #expect(lines[3] == "    1.000447 0.100000000000          1           1.11")
        #expect(lines[7] == "    2.000895 0.500000000000          2           2.00" || lines[7].hasPrefix("    2.0"))
        #expect(lines.contains("    4.000000 1.000000000000          4"))
        #expect(lines.contains { $0.hasPrefix("#[Mean    =     2.50") && $0.hasSuffix("]") })
        #expect(lines.contains("#[Max     =     4.000000, Total count    =            4]"))
        #expect(lines.contains { $0.contains("Start = 2026-11-22T04:00:00.250000Z, End = ") })
    }

    @Test func thePlotterReadsACurveThatRises() {
        let result = SyntheticResult.make(seed: 4, seconds: 20)
        let rows = plotted(text(result.corrected))
        #expect(rows.count > 50)
        for (row, next) in zip(rows, rows.dropFirst()) {
            #expect(row[0] <= next[0] && row[1] < next[1] && row[2] <= next[2] && row[3] <= next[3])
        }
        for row in rows { #expect(abs(1 / (1 - row[1]) - row[3]) <= 0.006 + row[3] * 1e-6) }
    }

    @Test func anEmptyHistogramHasNoRows() {
        #expect(plotted(text(Histogram())).isEmpty)
        #expect(text(Histogram()).contains("Total count    =            0]"))
    }

    @Test func anInvalidRunIsSaidHereToo() {
        var result = SyntheticResult.make(seed: 1, seconds: 1)
        result.invalidBecause = "late\nby 40 ms"
        #expect(HGRM.text(of: result.lag, in: result).contains("\n#[INVALID RUN: late\\u{a}by 40 ms]\n"))
    }
}
