import Glibc
import Text
import Traffic

// Latency where servers have time: first the rate that each sustains in a short closed loop, then
// an open load at half of the slower one's rate. At saturation a latency is the length of a queue,
// and says no more than the number of requests a second.
//
// Must hold: both servers get the same requests at the same rate, in turns; every request is
// answered in the way that is measured, or the measurement fails; and where the generator itself
// was late the row says so.

/// The rows of one kind of answers.
struct LatencyMeasurement {
    let lab: Lab
    let workload: LatencyWorkload

    static let connections = 64
    private static let figures: [(name: String, figure: @Sendable (Sample) -> Double)] = [
        ("p50", { $0.p50 * 1000 }), ("p99", { $0.p99 * 1000 }), ("p99.9", { $0.p999 * 1000 }),
    ]

    static func run(_ lab: Lab, _ workload: LatencyWorkload) throws -> [ResultRow] {
        try LatencyMeasurement(lab: lab, workload: workload).run()
    }

    private func run() throws -> [ResultRow] {
        try lab.running([.refrain, .nginx], workload.setting) { servers in
            for server in servers { try lab.fill(server, workload.stored) }
            let sustained = try servers.map { try measure($0, nil, run: 0).requestsPerSecond }
            let rate = max(Int(sustained.min() ?? 0) / 2, 1)
            let rounds = try lab.rounds(servers) { try measure($0, rate, run: 1 + $1) }
            return Self.rows(workload, rate, rounds)
        }
    }

    /// The middle, and two tails, in microseconds.
    static func rows(_ workload: LatencyWorkload, _ rate: Int, _ rounds: Rounds) -> [ResultRow] {
        let lags = rounds.names.compactMap { name in
            rounds.median(name, \.lag99).map { "\(name) \(ResultsTable.number($0 * 1000)) us" }
        }
        return figures.map { name, figure in
            rounds.row(
                workload.name, "\(workload.title), at \(Figure.count(rate))/s (50 %): \(name)", unit: "us",
                beside: [(Contender.nginx.name, .atMost(1))],
                notes: ["the generator's own lag at p99: " + lags.joined(separator: ", ")], figure)
        }
    }

    /// Requests of a run: at least a thousand, for p99.9.
    static func requests(_ workload: LatencyWorkload, at rate: Int, seconds: Int) -> Int {
        min(max(rate * seconds, 1000), workload.mostRequests)
    }

    /// - Parameters:
    ///   - rate: requests a second; nil for a closed loop.
    ///   - run: its number, by which its targets are chosen.
    private func measure(_ server: RunningServer, _ rate: Int?, run: Int) throws -> Sample {
        let count = Self.requests(workload, at: rate ?? 20_000, seconds: rate == nil ? 1 : lab.plan.seconds)
        let targets = workload.targets(count, run)
        let asked = try lab.originRequests()
        let result = try load(targets, on: server, rate)
        try settle(server)
        if let objection = workload.origin.objection(
            asked: try lab.originRequests() - asked, requests: result.answered, connections: Self.connections)
        {
            throw BenchError("\(server.name): \(objection)")
        }
        return Sample(
            requestsPerSecond: result.rate ?? 0, p50: result.milliseconds(atShare: 0.5),
            p99: result.milliseconds(atShare: 0.99), p999: result.milliseconds(atShare: 0.999),
            lag99: Double(result.lag.quantile(0.99) ?? 0) / 1e6, invalidBecause: result.latenessAtP99)
    }

    private func load(_ targets: [String], on server: RunningServer, _ rate: Int?) throws -> ReplayResult {
        let port = server.ports.clients
        guard let rate else {
            return try Load.closed(
                targets, port: port, connections: Self.connections, seconds: 1, repeats: workload.repeats)
        }
        return try Load.run(targets, port: port, connections: Self.connections, perSecond: rate)
    }

    /// Waits for a server's writes, so that they fall into its turn.
    private func settle(_ server: RunningServer) throws {
        guard workload.origin != OriginShare.none else { return }
        if server.name == Contender.refrain.name { try lab.settle(server) }
        sync()
    }
}
