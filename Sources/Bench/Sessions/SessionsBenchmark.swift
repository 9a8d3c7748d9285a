import Foundation
import Simulator

/// How many requests reach the origin for a thousand of mixed app sessions: through Refrain
/// and through a tuned nginx.
enum SessionsBenchmark {
    private static let seed: UInt64 = 20
    /// What Refrain's requests for the mixed trace are to be of nginx's, at most.
    private static let target = 0.62

    static func run() throws {
        var configuration = SimulatorConfiguration()
        configuration.requiresAuthorization = false
        let api = ObservedAPI(configuration)
        let generator = TraceGenerator(api: api, pool: MusicPool(api, artistLimit: 220, exponent: 1.1), seed: seed)
        let traces = [
            generator.trace("mixed", TraceGenerator.mixed, requests: 6_000),
            generator.trace("paging", TraceGenerator.paging, requests: 1_500),
            generator.trace("include", TraceGenerator.including, requests: 1_500),
        ]
        report("sessions, played one by one: requests that reach the origin (target for mixed: \(target) of nginx's)")
        report(ResultsTable.line("", width: 12, ["requests", "nginx", "refrain", "of nginx's"]))
        for trace in traces { try play(trace, configuration) }
    }

    private static func play(_ trace: SessionTrace, _ configuration: SimulatorConfiguration) throws {
        let workspace = try Workspace()
        defer { workspace.remove() }
        let origin = try CountedOrigin(configuration)
        defer { origin.stop() }
        func asked(_ port: Int) throws -> Int {
            try origin.requests(while: TracePlayer(port: port, trace: trace, connections: 1))
        }
        let nginx = try SessionServers.nginx(workspace).map { server in
            defer { server.stop() }
            return try asked(SessionServers.nginxPort)
        }
        let server = try SessionServers.refrain(workspace)
        defer { server.stop() }
        let refrain = try asked(SessionServers.refrainPort)
        let share = nginx.map { String(format: "%.3f", Double(refrain) / Double(max($0, 1))) }
        let cells = [String(trace.requests.count), nginx.map(String.init) ?? "-", String(refrain), share ?? "-"]
        report(ResultsTable.line("  \(trace.name)", width: 12, cells))
        report("    refrain: " + (try ProxyStatistics.current().text))
    }
}
