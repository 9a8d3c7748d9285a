import Testing

@testable import Bench

@Suite struct ResultsTableTests {
    private var rows: [ResultRow] {
        [
            ResultRow(
                measurement: "hits", name: "hits", unit: "requests/s", ours: 123_456,
                others: [
                    Other(name: "nginx", figure: 98_765.4, ratio: 1.254, target: .atLeast(1.3)),
                    Other(name: "varnish", target: .atLeast(1.4)),
                ], notes: ["varnish is not installed"]),
            ResultRow(measurement: "memory", name: "idle", unit: "MiB", ours: 12.34, target: .atMost(15)),
        ]
    }

    @Test func aLineForEachComparison() {
        #expect(
            ResultsTable.text(rows) == """
                | measured          | Refrain | beside  | theirs | ratio | target  | met    |
                | ----------------- | ------: | ------- | -----: | ----: | ------- | ------ |
                | hits (requests/s) | 123,456 | nginx   | 98,765 |  1.25 | >= 1.30 | **no** |
                |                   |         | varnish |      - |       | >= 1.40 | -      |
                | idle (MiB)        |    12.3 |         |        |       | <= 15.0 | yes    |

                """)
    }

    @Test func theSummaryCountsTargetsAndWhatCouldNotBeMeasured() {
        #expect(ResultsTable.summary(rows) == "1 of 3 targets met, 1 not measured")
        #expect(ResultsTable.summary([rows[1]]) == "1 of 1 targets met")
    }

    @Test func aNoteIsGivenOnce() {
        #expect(ResultsTable.notes(rows + rows) == ["hits: varnish is not installed"])
    }

    @Test(arguments: [
        (0, "0.00"), (0.004, "0.00"), (-0.001, "0.00"), (1.005, "1.00"), (9.999, "10.00"), (12.34, "12.3"),
        (123.4, "123"), (999.6, "1000"), (1234.5, "1,235"), (1_234_567, "1,234,567"), (-4321, "-4,321"),
        (-1.5, "-1.50"), (Double.infinity, "-"), (Double.nan, "-"),
    ])
    func numbersHaveAboutThreeDigits(value: Double, text: String) {
        #expect(ResultsTable.number(value) == text)
    }
}
