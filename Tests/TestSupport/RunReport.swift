/// The last lines of a run.
struct RunReport {
    /// Nil where no events were written.
    let tally: RunTally?
    let figures: String?
    /// What the tests have not cleared away.
    let left: [String]
    let leftOut: [String]

    /// In the order of importance, the most important last.
    var text: String {
        (figures ?? "")
            + section("Left out, because this machine or this run lacks it:", leftOut)
            + section("Failed:", tally?.issues ?? [])
            + section("Left by tests, which have to end and remove what they start and write:", left)
            + (tally.map { $0.counts + "\n" } ?? "")
    }

    private func section(_ title: String, _ lines: [String]) -> String {
        lines.isEmpty ? "" : title + "\n" + lines.map { "  \($0)\n" }.joined()
    }
}
