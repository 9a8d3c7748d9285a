import Glibc
import Traffic

// Latency where servers have time: first the rate that each sustains in a short closed loop, then
// an open load at parts of the slower one's rate.
//
// Must hold: both servers get the same requests at the same rate, in turns; every request is
// answered in the way that is measured, or the measurement fails; and where the generator itself
// was late the row says so.

/// The fixed-rate rows of one kind of answers.
struct LatencyMeasurement {
    let lab: Lab
    let workload: LatencyWorkload

    static let connections = 64

    static func run(_ lab: Lab, _ workload: LatencyWorkload) throws -> [ResultRow] {
        try LatencyMeasurement(lab: lab, workload: workload).run()
    }

    private func run() throws -> [ResultRow] {
        try lab.running([.refrain, .nginx], workload.setting) { servers in
            let sustained = try sustained(servers)
            return try sustained.fixedRates.enumerated().flatMap { index, rate in
                let rounds = try lab.rounds(servers) { server, round in
                    try measure(server, rate, run: 1 + index * lab.plan.rounds + round)
                }
                return LatencyRows.rows(workload, rate, rounds, [sustained.note(rate)])
            }
        }
    }

    /// Prepares all servers and measures their rates in a closed loop.
    private func sustained(_ servers: [RunningServer]) throws -> Sustained {
        for server in servers { try workload.prepare(server, lab) }
        return Sustained(
            rates: try servers.map { server in
                Sustained.Rate(name: server.name, perSecond: try measure(server, nil, run: 0).requestsPerSecond)
            })
    }

    /// - Parameters:
    ///   - rate: nil for a closed loop.
    ///   - run: its number, by which its targets are chosen.
    private func measure(_ server: RunningServer, _ rate: FixedRate?, run: Int) throws -> Sample {
        let most = workload.mostRequests
        let count = rate?.requests(seconds: lab.plan.seconds, most: most) ?? min(most, 20_000)
        let targets = workload.targets(count, run)
        try workload.store(targets, server, lab)
        let (asked, before) = (try lab.originRequests(), try counted(server))
        let result = try load(targets, on: server, rate)
        try settle(server)
        try check(
            server, result.answered, asked: try lab.originRequests() - asked,
            counted: try counted(server) - before)
        return Sample(
            requestsPerSecond: result.rate ?? 0, p50: result.milliseconds(atShare: 0.5),
            p99: result.milliseconds(atShare: 0.99), p999: result.milliseconds(atShare: 0.999),
            lag99: Double(result.lag.quantile(0.99) ?? 0) / 1e6,
            invalidBecause: result.latenessAtP99.map { "\(rate?.percent ?? "closed loop"): \($0)" })
    }

    private func load(_ targets: [String], on server: RunningServer, _ rate: FixedRate?) throws -> ReplayResult {
        let port = server.ports.clients
        guard let rate else {
            return try Load.closed(
                targets, port: port, connections: Self.connections, seconds: 1, repeats: workload.repeats)
        }
        return try Load.run(targets, port: port, connections: Self.connections, perSecond: rate.perSecond)
    }

    /// Waits for a server's writes, so that they fall into its turn.
    private func settle(_ server: RunningServer) throws {
        guard workload.origin != OriginShare.none else { return }
        if server.name == Contender.refrain.name { try lab.settle(server) }
        sync()
    }

    private func counted(_ server: RunningServer) throws -> Int {
        guard let counter = workload.counter, server.name == Contender.refrain.name else { return 0 }
        return try lab.statistic(counter, of: server)
    }

    private func check(_ server: RunningServer, _ answered: Int, asked: Int, counted: Int) throws {
        if let objection = workload.origin.objection(
            asked: asked, requests: answered, connections: Self.connections)
        {
            throw BenchError("\(server.name): \(objection)")
        }
        guard let counter = workload.counter, server.name == Contender.refrain.name else { return }
        guard counted * 100 >= answered * 99 else {
            throw BenchError("refrain: \(counted) of \(answered) answers were \(counter)")
        }
    }
}
