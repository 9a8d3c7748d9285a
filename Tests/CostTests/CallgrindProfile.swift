import Foundation

/// The totals of a callgrind profile: instructions, and the number of allocations.
struct CallgrindProfile {
    let instructions: Int
    /// Calls of the C library's functions that allocate; those of Swift and OpenSSL end there.
    let allocations: Int
    /// Instructions within each function and its callees, by its mangled name.
    let inclusive: [String: Int]

    private static let allocators: Set = [
        "malloc", "calloc", "realloc", "aligned_alloc", "posix_memalign", "memalign", "strdup",
    ]

    /// Nil where the text has no totals. The format:
    /// <https://valgrind.org/docs/manual/cl-format.html>.
    init?(_ text: String) {
        var (total, calls, callee): (Int?, Int, Substring) = (nil, 0, "")
        var (names, inclusive): ([Substring: Substring], [Substring: Int]) = ([:], [:])
        var isCall = false
        for line in text.split(separator: "\n") {
            // The line after `calls=` gives the cost of the calls.
            if isCall { inclusive[callee, default: 0] += line.split(separator: " ").last.flatMap { Int($0) } ?? 0 }
            isCall = line.hasPrefix("calls=")
            if line.hasPrefix("fn=") || line.hasPrefix("cfn=") {
                // `cfn=(12) malloc` where the name comes first, `cfn=(12)` from then on.
                let parts = line[line.index(after: line.firstIndex(of: "=")!)...].split(separator: " ", maxSplits: 1)
                if parts.count == 2 { names[parts[0]] = parts[1] }
                if line.hasPrefix("c") { callee = parts[0] }
            } else if line.hasPrefix("calls="), Self.allocators.contains(String(names[callee] ?? "")) {
                calls += line.dropFirst(6).split(separator: " ").first.flatMap { Int($0) } ?? 0
            } else if line.hasPrefix("totals:") {
                total = line.split(separator: " ").dropFirst().first.flatMap { Int($0) }
            }
        }
        guard let total else { return nil }
        (instructions, allocations) = (total, calls)
        self.inclusive = inclusive.reduce(into: [:]) { $0[String(names[$1.key] ?? ""), default: 0] += $1.value }
    }
}
