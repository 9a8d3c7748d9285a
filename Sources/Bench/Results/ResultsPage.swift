/// All of a run as Markdown: where and how it was measured, the table, and the notes of its rows.
enum ResultsPage {
    static func text(_ rows: [ResultRow], machine: Machine, plan: RoundPlan, failures: [String]) -> String {
        let parts = [
            list(machine.lines + [plan.line, ResultsTable.summary(rows)] + failures.map { "failed: \($0)" }),
            ResultsTable.text(rows),
            list(ResultsTable.notes(rows)),
        ]
        return parts.filter { !$0.isEmpty }.joined(separator: "\n")
    }

    private static func list(_ lines: [String]) -> String { lines.map { "- \($0)\n" }.joined() }
}
