import Foundation
import Text

// What a comparison reckons without a server, and what it prints.

extension Comparison {
    /// Requests to the origin by kind. Those of Refrain are counted by what it asks for, not by
    /// what it was asked.
    struct Column {
        let title: String
        let counts: [RequestKind: Int]

        init(_ title: String, _ counts: [RequestKind: Int]) {
            self.title = title
            self.counts = counts
        }

        var total: Int { counts.values.reduce(0, +) }
    }

    /// What was asked for.
    func asked() -> [RequestKind: Int] {
        trace.requests.reduce(into: [:]) { $0[$1.kind, default: 0] += 1 }
    }

    /// What the perfect planner sends.
    func planned(_ pages: PerfectPlanner.Pages, _ lifetimeMilliseconds: Int?) -> [RequestKind: Int] {
        var planner = PerfectPlanner(pages, lifetime: lifetimeMilliseconds)
        return trace.requests.reduce(into: [:]) { counts, request in
            if planner.sends(api[request.target].facts, at: request.due) { counts[request.kind, default: 0] += 1 }
        }
    }

    /// One line for each kind, then the sums, what they are for a thousand requests, and as shares
    /// of `base`.
    func table(_ columns: [Column], base: Column?, target: Double?) -> String {
        let all = [Column("requests", asked())] + columns
        var lines = [line("", all.map(\.title))]
        for kind in RequestKind.allCases where all.contains(where: { $0.counts[kind] != nil }) {
            lines.append(line(kind.rawValue, all.map { String($0.counts[kind] ?? 0) }))
        }
        lines.append(line("all", all.map { String($0.total) }))
        lines.append(line("for 1000", all.map { String($0.total * 1000 / max(trace.requests.count, 1)) }))
        if let base {
            let shares = columns.map { String(format: "%.3f", Double($0.total) / Double(max(base.total, 1))) }
            lines.append(line("of nginx's", [""] + shares))
            if let target { lines.append(String(format: "    target for Refrain: %.3f of nginx's", target)) }
        }
        return lines.joined(separator: "\n")
    }

    private func line(_ name: String, _ cells: [String]) -> String {
        "    " + name.padding(toLength: 18, withPad: " ", startingAt: 0)
            + cells.map { String(repeating: " ", count: max(11 - $0.count, 1)) + $0 }.joined()
    }

    /// Refrain's own counters and reasons that are not 0.
    func statistics() throws -> String {
        let body = try TraceClient(port: Servers.adminPort).get("/stats").body
        guard case .object(let members) = try JSON.parse(body) else { throw BenchError("no statistics") }
        let reasons = members["reasons"]?.objectValue?.members ?? []
        return (members.members + reasons).compactMap { member in
            guard let count = member.value.intValue, count != 0 else { return nil }
            return "\(member.key) \(count)"
        }.joined(separator: ", ")
    }
}
