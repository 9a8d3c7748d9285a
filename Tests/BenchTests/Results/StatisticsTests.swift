import Testing

@testable import Bench

@Suite struct StatisticsTests {
    @Test(arguments: [([3.0], 3.0), ([5, 1, 3], 3), ([4, 1, 3, 2], 2.5), ([1, 1, 100], 1)] as [([Double], Double)])
    func theMedianIsTheMiddle(values: [Double], median: Double) {
        #expect(values.median == median)
    }

    private func rounds(_ figures: [(String, [Double])]) -> Rounds {
        var rounds = Rounds()
        for round in 0..<(figures.first?.1.count ?? 0) {
            for (name, rates) in figures { rounds.append(Sample(requestsPerSecond: rates[round]), of: name) }
        }
        return rounds
    }

    /// A machine that is slow in one round is slow for both in that round.
    @Test func ratiosAreThoseOfEachRound() {
        let measured = rounds([("refrain", [100, 20, 60]), ("nginx", [50, 10, 20])])
        #expect(measured.ratio("refrain", to: "nginx", \.requestsPerSecond) == 2)
        #expect(measured.median("refrain", \.requestsPerSecond) == 60 && measured.names == ["refrain", "nginx"])
        let row = rounds([("refrain", [2, 2, 2])]).row(
            "m", "n", unit: "u", beside: [("nginx", .atLeast(1))], \.requestsPerSecond)
        #expect(row.ours == 2 && row.others == [Other(name: "nginx", target: .atLeast(1))])
        #expect(row.notes == ["nginx is not installed"])
    }

    /// The generator's own lateness was charged to the server.
    @Test func aLateGeneratorIsSaidBesideTheFiguresOfItsRounds() {
        var rounds = Rounds()
        for round in 0..<2 {
            for name in ["refrain", "nginx", "varnish"] {
                let isLate = name != "refrain" && round == 1
                rounds.append(Sample(p99: 2, invalidBecause: isLate ? "the generator was late" : nil), of: name)
            }
        }
        let row = rounds.row("m", "n", unit: "ms", beside: [("nginx", nil)], notes: ["open loop"], \.p99)
        #expect(row.notes == ["open loop", "nginx, round 2: invalid run: the generator was late"])
    }

    @Test(
        arguments: [
            ("nginx version: nginx/1.22.1\n", "1.22.1"), ("varnishd (varnish-7.1.1 revision 7cee1c5)", "7.1.1"),
            ("OpenSSL 3.0.19 27 Jan 2026 (Library: OpenSSL 3.0.19)", "3.0.19"),
            ("wrk debian/4.1.0-3+b2 [epoll] Copyright (C) 2012", "4.1.0"),
            ("Swift version 6.3.1 (swift-6.3.1-RELEASE)", "6.3.1"), ("no number. here", nil),
        ] as [(String, String?)])
    func versionsAreFound(text: String, version: String?) { #expect(Machine.version(in: text) == version) }

    @Test func aValueOfProcIsFound() {
        #expect(Machine.value(of: "model name", in: "flags\t: x\nmodel name\t: A CPU: fast\n") == "A CPU: fast")
        #expect(Machine.value(of: "absent", in: "model name : x") == nil)
    }
}

@Suite struct ResultsTests {
    private let rows = [
        ResultRow(
            measurement: "hits", name: "hits", unit: "requests/s", ours: 123_456,
            others: [
                Other(name: "nginx", figure: 98_765.4, ratio: 1.254, target: .atLeast(1.3)),
                Other(name: "varnish", target: .atLeast(1.4)),
            ], notes: ["varnish is not installed"]),
        ResultRow(measurement: "memory", name: "idle", unit: "MiB", ours: 12.34, target: .atMost(15)),
    ]

    @Test func aTargetIsMetAtItsBound() {
        for (target, within, beyond) in [(Target.atLeast(1.3), 1.3, 1.29), (.atMost(2), 2, 2.01)] {
            #expect(target.isMet(by: within) && !target.isMet(by: beyond))
        }
        #expect(Target.atMost(0).isMet(by: 0))
    }

    /// Comparisons that were not measured are neither met nor missed.
    @Test func aRowShowsItsOwnTargetAndEachComparison() {
        var row = ResultRow(measurement: "m", name: "n", unit: "u", ours: 3)
        row.others = [Other(name: "a", figure: 2, ratio: 1.5, target: .atLeast(2)), Other(name: "b")]
        #expect(row.goals.map { $0.other?.name } == ["a", "b"])
        #expect(row.goals.map(\.isMet) == [false, nil])
        row.target = .atLeast(1)
        #expect(row.goals.map { $0.other?.name } == [nil, "a", "b"])
        #expect(rows[0].goals.map(\.isMet) == [false, nil] && rows[1].goals.map(\.isMet) == [true])
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
        #expect(ResultsTable.summary(rows) == "1 of 3 targets met, 1 not measured")
        #expect(ResultsTable.summary([rows[1]]) == "1 of 1 targets met")
        #expect(ResultsTable.notes(rows + rows) == ["hits: varnish is not installed"], "each is given once")
    }

    @Test(arguments: [
        (0, "0.00"), (0.004, "0.00"), (-0.001, "0.00"), (1.005, "1.00"), (9.999, "10.00"), (12.34, "12.3"),
        (123.4, "123"), (999.6, "1000"), (1234.5, "1,235"), (1_234_567, "1,234,567"), (-4321, "-4,321"),
        (-1.5, "-1.50"), (Double.infinity, "-"), (Double.nan, "-"),
    ])
    func numbersHaveAboutThreeDigits(value: Double, text: String) { #expect(ResultsTable.number(value) == text) }

    private func page(load: Double, failures: [String] = []) -> (text: String, row: ResultRow) {
        let row = ResultRow(
            measurement: "m", name: "n", unit: "us", ours: 2,
            notes: ["25 %: 2,613 requests/s for both, of what nginx sustains"])
        let machine = Machine(
            processor: "P", cores: 2, memoryMiB: 1024, kernel: "6.1", programs: [("nginx", "1.2.3")], loadAverage: load)
        return (ResultsTable.page([row], machine: machine, plan: RoundPlan(), failures: failures), row)
    }

    @Test func theTableStandsBetweenHowItWasMeasuredAndItsNotes() {
        let page = page(load: 0.2, failures: ["hits: none"])
        #expect(
            page.text == """
                - P, 2 cores, 1024 MiB, Linux 6.1
                - nginx: 1.2.3
                - medians of 5 rounds in turns, 2 s each, on 127.0.0.1
                - 0 of 0 targets met
                - failed: hits: none

                \(ResultsTable.text([page.row]))
                - m: 25 %: 2,613 requests/s for both, of what nginx sustains

                """)
    }

    /// A run at a load of 7 said nothing of it.
    @Test(arguments: [(0.0, false), (1.0, false), (1.1, true), (7.0, true)])
    func figuresOfABusyMachineWereShownWithoutAWarning(load: Double, isWarned: Bool) {
        #expect(page(load: load).text.contains("\n- WARNING: the load average was \(load) on 2 cores") == isWarned)
    }
}
