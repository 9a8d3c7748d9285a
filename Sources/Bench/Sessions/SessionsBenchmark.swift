import Foundation
import Simulator

/// How many requests reach the origin for a thousand of mixed app sessions: through Refrain
/// and through a tuned nginx.
enum SessionsBenchmark {
    private static let seed: UInt64 = 20
    /// For the runs in which answers expire: seconds until they do, and seconds that the trace
    /// takes.
    private static let shortLifetime = 4
    private static let secondsTogether = 20.0
    /// How long the origin takes where all clients play at once, so that misses are under way
    /// together.
    private static let latency = Duration.milliseconds(40)
    /// What Refrain's requests for the mixed trace are to be of nginx's, at most, where nothing
    /// expires.
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
            try TraceComparison(trace: trace, origin: configuration).run(.oneByOne, lifetime: nil)
        }
        configuration.latency = latency
        let together = TracePlayer.Pace.together(mixed, seconds: secondsTogether)
        try TraceComparison(trace: mixed, origin: configuration).run(
            together, lifetime: nil, ["batch off", "batch on"])
        try TraceComparison(trace: mixed, origin: configuration).run(
            together, lifetime: shortLifetime, ["batch off", "batch on"])
    }
}

/// One trace through all that are compared.
struct TraceComparison {
    let trace: SessionTrace
    let origin: SimulatorConfiguration

    /// - Parameters:
    ///   - lifetime: in seconds; nil for one that never ends.
    ///   - variants: of Refrain, each a line of its configuration.
    func run(_ pace: TracePlayer.Pace, lifetime: Int?, _ variants: [String] = [""]) throws {
        let how = pace.speed == nil ? "one by one" : "\(pace.connections) connections"
        let fresh = lifetime.map { ", fresh for \($0) s" } ?? ""
        report("  \(trace.name): \(trace.requests.count) requests, \(how)\(fresh)")
        let seconds = lifetime ?? SessionServers.unlimited
        let workspace = try Workspace()
        defer { workspace.remove() }
        let counted = try CountedOrigin(origin)
        defer { counted.stop() }
        func column(_ title: String, _ port: Int) throws -> Column {
            Column(
                title: title, counts: try counted.requests(while: TracePlayer(port: port, trace: trace, pace: pace)))
        }
        var columns: [Column] = []
        if let nginx = try SessionServers.nginx(workspace, "nginx", lifetime: seconds) {
            defer { nginx.stop() }
            columns.append(try column("nginx", SessionServers.nginxPort))
        } else {
            report("    nginx is not installed: no comparison (apt-get install nginx)")
        }
        let base = columns.first
        var explanations: [String] = []
        for (index, variant) in variants.enumerated() {
            let refrain = try SessionServers.refrain(workspace, "refrain\(index)", lifetime: seconds, variant)
            defer { refrain.stop() }
            columns.append(try column(variant.isEmpty ? "refrain" : variant, SessionServers.refrainPort))
            explanations.append("    refrain \(variant): " + (try ProxyStatistics.current().text))
        }
        let hasTarget = trace.name == "mixed" && lifetime == nil
        report(table(columns, base: base, target: hasTarget ? SessionsBenchmark.target : nil))
        explanations.forEach(report)
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
