import Traffic

/// Every target as a bar: how far the figure is from what is wanted. The line at 1 is the target;
/// bars that reach it meet it.
enum TargetsPlot {
    private static let labelWidth = 430.0
    private static let barWidth = 380.0
    private static let lineHeight = 22.0
    private static let top = 64.0
    /// The longest bar: twice as good as wanted, or better.
    private static let most = 2.0

    static func svg(_ rows: [ResultRow], title: String) -> String {
        let goals = rows.flatMap(\.goals).filter { $0.target != nil }
        var drawing = Drawing(width: labelWidth + barWidth + 180, height: top + Double(goals.count) * lineHeight + 24)
        drawing.text(12, 24, title, size: 15)
        drawing.text(12, 44, "how far each figure is from its target; longer is better", size: 11, colour: "#666666")
        for (index, goal) in goals.enumerated() {
            draw(goal, at: top + Double(index) * lineHeight, in: &drawing)
        }
        let x = labelWidth + barWidth / most
        drawing.line((x, top - 6), (x, top + Double(goals.count) * lineHeight), colour: "#222222", isDashed: true)
        drawing.text(x, top - 10, "target", anchor: .middle, size: 11)
        return drawing.document
    }

    private static func draw(_ goal: Goal, at y: Double, in drawing: inout Drawing) {
        let label = goal.row.name + (goal.other.map { " / \($0.name)" } ?? "")
        drawing.text(labelWidth - 8, y + 14, label, anchor: .end, size: 11)
        guard let target = goal.target, let measured = goal.measured else {
            drawing.text(labelWidth + 4, y + 14, "not measured", size: 11, colour: "#888888")
            return
        }
        let score = min(target.score(of: measured), most)
        let colour = target.isMet(by: measured) ? "#3a8f4d" : "#c0492f"
        drawing.rectangle(labelWidth, y + 3, score / most * barWidth, lineHeight - 6, fill: colour)
        let unit = goal.other == nil ? " " + goal.row.unit : ""
        drawing.text(
            labelWidth + barWidth + 8, y + 14,
            "\(number(measured, goal)) \(target.comparison.rawValue) \(number(target.bound, goal))\(unit)", size: 11)
    }

    private static func number(_ value: Double, _ goal: Goal) -> String {
        goal.other == nil ? ResultsTable.number(value) : ResultsTable.fixed(value, 2)
    }
}
