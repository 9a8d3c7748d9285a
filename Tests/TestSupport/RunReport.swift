/// The last lines of a run.
struct RunReport {
    /// Nil where the events of the run cannot be read.
    let tally: RunTally?
    let figures: String?
    /// Processes and files that tests did not clear away.
    let left: [String]
    let leftOut: [String]

    /// In the order of importance, the most important last.
    var text: String {
        (figures ?? "")
            + Self.section("Left out, because this machine or this run lacks it:", leftOut)
            + Self.section("Failed:", tally?.issues ?? [])
            + Self.section("Left by tests, which have to end and remove what they start and write:", left)
            + (tally.map { $0.counts(leftBehind: left.count) } ?? "The tests of this run could not be counted.") + "\n"
    }

    /// The last lines of a run that has crashed, as far as its events tell.
    static func ofCrash(_ tally: RunTally) -> String {
        section("Failed before the crash:", tally.issues) + section("Running at the crash:", tally.running)
            + "\(tally.counts(leftBehind: 0)), \(tally.running.count) crashed or cut off, "
            + "\(tally.unstartedCount) not run\n"
    }

    private static func section(_ title: String, _ lines: [String]) -> String {
        lines.isEmpty ? "" : title + "\n" + lines.map { "  \($0)\n" }.joined()
    }
}
