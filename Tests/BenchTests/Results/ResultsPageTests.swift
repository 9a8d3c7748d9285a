import Testing

@testable import Bench

@Suite struct ResultsPageTests {
    private func machine(load: Double) -> Machine {
        Machine(
            processor: "P", cores: 2, memoryMiB: 1024, kernel: "6.1", programs: [("nginx", "1.2.3")], loadAverage: load)
    }

    private let row = ResultRow(
        measurement: "m", name: "n", unit: "us", ours: 2,
        notes: ["25 %: 2,613 requests/s for both, of what nginx sustains"])

    @Test func theTableStandsBetweenHowItWasMeasuredAndItsNotes() {
        let page = ResultsPage.text([row], machine: machine(load: 0.2), plan: RoundPlan(), failures: ["hits: none"])
        #expect(
            page == """
                - P, 2 cores, 1024 MiB, Linux 6.1
                - nginx: 1.2.3
                - medians of 5 rounds in turns, 2 s each, on 127.0.0.1
                - 0 of 0 targets met
                - failed: hits: none

                \(ResultsTable.text([row]))
                - m: 25 %: 2,613 requests/s for both, of what nginx sustains

                """)
    }

    /// A run at a load of 7 said nothing of it.
    @Test(arguments: [(0.0, false), (1.0, false), (1.1, true), (7.0, true)])
    func figuresOfABusyMachineWereShownWithoutAWarning(load: Double, isWarned: Bool) {
        let page = ResultsPage.text([row], machine: machine(load: load), plan: RoundPlan(), failures: [])
        #expect(page.contains("\n- WARNING: the load average was \(load) on 2 cores") == isWarned)
    }
}
