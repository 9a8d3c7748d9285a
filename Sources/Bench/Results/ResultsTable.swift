import Text

/// Rows as a Markdown table with aligned columns, to be read in a terminal and pasted as it is.
enum ResultsTable {
    private static let titles = ["measured", "Refrain", "beside", "theirs", "ratio", "target", "met"]
    private static let rightAligned: Set = [1, 3, 4]

    static func text(_ rows: [ResultRow]) -> String {
        let cells = rows.flatMap { row in row.goals.enumerated().map { line($1, isFirst: $0 == 0) } }
        let widths = titles.indices.map { column in ([titles] + cells).map { $0[column].count }.max() ?? 0 }
        let rule = widths.indices.map { column in
            rightAligned.contains(column)
                ? String(repeating: "-", count: widths[column] - 1) + ":"
                : String(repeating: "-", count: widths[column])
        }
        return ([titles, rule] + cells).map { joined($0, widths) }.joined(separator: "\n") + "\n"
    }

    /// All of a run as Markdown: where and how it was measured, the table, and notes.
    static func page(_ rows: [ResultRow], machine: Machine, plan: RoundPlan, failures: [String]) -> String {
        func list(_ lines: [String]) -> String { lines.map { "- \($0)\n" }.joined() }
        return [
            list(machine.lines + [plan.line, summary(rows)] + failures.map { "failed: \($0)" }), text(rows),
            list(notes(rows)),
        ].filter { !$0.isEmpty }.joined(separator: "\n")
    }

    /// Notes of the rows, once each, in their order.
    static func notes(_ rows: [ResultRow]) -> [String] {
        var seen: Set<String> = []
        return rows.flatMap { row in row.notes.map { "\(row.measurement): \($0)" } }.filter { seen.insert($0).inserted }
    }

    /// How many targets are met, and how many could not be looked at.
    static func summary(_ rows: [ResultRow]) -> String {
        let goals = rows.flatMap(\.goals).filter { $0.target != nil }
        let (met, open) = (goals.count { $0.isMet == true }, goals.count { $0.isMet == nil })
        return "\(met) of \(goals.count) targets met" + (open > 0 ? ", \(open) not measured" : "")
    }

    /// Three significant digits, or whole numbers with their thousands apart.
    static func number(_ value: Double) -> String {
        guard value.isFinite else { return "-" }
        if abs(value) >= 1000 { return Figure.count(Int(value.rounded())) }
        let decimals = abs(value) >= 100 ? 0 : abs(value) >= 10 ? 1 : 2
        return fixed(value, decimals)
    }

    /// With this number of decimals.
    static func fixed(_ value: Double, _ decimals: Int) -> String {
        guard value.isFinite else { return "-" }
        return Figure.fixed(value, decimals, isGrouped: false)
    }

    private static func line(_ goal: Goal, isFirst: Bool) -> [String] {
        let (row, other) = (goal.row, goal.other)
        return [
            isFirst ? row.name + " (\(row.unit))" : "",
            isFirst ? row.ours.map(number) ?? "-" : "",
            other?.name ?? "",
            other.map { $0.figure.map(number) ?? "-" } ?? "",
            other?.ratio.map { fixed($0, 2) } ?? "",
            goal.target.map { "\($0.isAtLeast ? ">=" : "<=") \(bound($0, of: goal))" } ?? "",
            goal.target == nil ? "" : goal.isMet.map { $0 ? "yes" : "**no**" } ?? "-",
        ]
    }

    private static func bound(_ target: Target, of goal: Goal) -> String {
        goal.other == nil ? number(target.bound) : fixed(target.bound, 2)
    }

    private static func joined(_ cells: [String], _ widths: [Int]) -> String {
        let padded = cells.indices.map { column in
            let space = String(repeating: " ", count: widths[column] - cells[column].count)
            return rightAligned.contains(column) ? space + cells[column] : cells[column] + space
        }
        return "| " + padded.joined(separator: " | ") + " |"
    }
}
