import Foundation
import Simulator

/// How many requests reach the origin for a thousand of mixed app sessions: through Refrain
/// and through a tuned nginx.
enum SessionsBenchmark {
    private static let seed: UInt64 = 20
    /// What Refrain's requests for the mixed trace are to be of nginx's, at most.
    static let target = 0.62

    static func run() throws {
        var configuration = SimulatorConfiguration()
        configuration.requiresAuthorization = false
        let api = ObservedAPI(configuration)
        let generator = TraceGenerator(api: api, pool: MusicPool(api, artistLimit: 220, exponent: 1.1), seed: seed)
        let mixed = generator.trace("mixed", TraceGenerator.mixed, requests: 6_000)
        let paging = generator.trace("paging", TraceGenerator.paging, requests: 1_500)
        let including = generator.trace("include", TraceGenerator.including, requests: 1_500)
        report("sessions: requests that reach the origin")
        for trace in [mixed, paging, including] {
            try TraceComparison(trace: trace, origin: configuration).run()
        }
    }
}

/// One trace through all that are compared.
struct TraceComparison {
    let trace: SessionTrace
    let origin: SimulatorConfiguration

    func run() throws {
        report("  \(trace.name): \(trace.requests.count) requests, one by one")
        let workspace = try Workspace()
        defer { workspace.remove() }
        let counted = try CountedOrigin(origin)
        defer { counted.stop() }
        func column(_ title: String, _ port: Int) throws -> Column {
            Column(
                title: title,
                counts: try counted.requests(while: TracePlayer(port: port, trace: trace, connections: 1)))
        }
        var columns: [Column] = []
        if let nginx = try SessionServers.nginx(workspace) {
            defer { nginx.stop() }
            columns.append(try column("nginx", SessionServers.nginxPort))
        } else {
            report("    nginx is not installed: no comparison (apt-get install nginx)")
        }
        let base = columns.first
        let refrain = try SessionServers.refrain(workspace)
        defer { refrain.stop() }
        columns.append(try column("refrain", SessionServers.refrainPort))
        report(table(columns, base: base, target: trace.name == "mixed" ? SessionsBenchmark.target : nil))
        report("    refrain: " + (try ProxyStatistics.current().text))
    }
}

// What a comparison reckons without a server, and what it prints.

extension TraceComparison {
    /// Requests to the origin by kind. Those of Refrain are counted by what it asks for, not by
    /// what it was asked.
    struct Column {
        let title: String
        let counts: [RequestKind: Int]

        var total: Int { counts.values.reduce(0, +) }
    }

    /// What was asked for.
    func asked() -> [RequestKind: Int] {
        trace.requests.reduce(into: [:]) { $0[$1.kind, default: 0] += 1 }
    }

    /// One line for each kind, then the sums, what they are for a thousand requests, and as shares
    /// of `base`.
    func table(_ columns: [Column], base: Column?, target: Double?) -> String {
        func line(_ name: String, _ cells: [String]) -> String {
            ResultsTable.line("    " + name, width: 22, cells)
        }
        let all = [Column(title: "requests", counts: asked())] + columns
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
}
