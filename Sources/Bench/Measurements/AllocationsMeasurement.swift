import Foundation

/// Allocations on a plain hit. `make test-long` counts them, and leaves the number in `allocations`
/// beside the results; here it becomes a row.
enum AllocationsMeasurement {
    static let fileName = "allocations"

    static func run(_ folder: String) -> [ResultRow] {
        row(try? String(contentsOfFile: folder + "/" + fileName, encoding: .utf8))
    }

    static func row(_ text: String?) -> [ResultRow] {
        var row = ResultRow(
            measurement: "allocations", name: "allocations on a plain hit", unit: "calls", target: .atMost(0))
        row.ours = text.flatMap { Double($0.trimmingCharacters(in: .whitespacesAndNewlines)) }
        if row.ours == nil { row.notes = ["not counted: there is no number in .build/bench/\(fileName)"] }
        return [row]
    }
}
