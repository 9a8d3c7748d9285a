import Foundation
import Synchronization

/// Figures that tests measure, in one table at the end of the run. They fail nothing: tests expect
/// the conditions that must hold.
public enum FigureTable {
    private static let lines = Mutex<[String]>([])

    /// - Parameter wanted: the aim of the project, where a test allows more.
    public static func note(_ name: String, _ value: String, wanted: String? = nil) {
        note(line: "\(name): \(value)" + (wanted.map { " (wanted: \($0))" } ?? ""))
    }

    /// A line of the table of another run.
    public static func note(line: String) { lines.withLock { $0.append(line) } }

    /// In the order of their names; nil without any.
    static var text: String? {
        let all = lines.withLock { $0.sorted { $0.compare($1, options: .numeric) == .orderedAscending } }
        return all.isEmpty ? nil : "Figures:\n" + all.map { "  \($0)\n" }.joined()
    }
}
