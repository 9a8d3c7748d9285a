import Text

/// Hits that memory does not hold: ten times as much is stored as fits in the memory tier, and all
/// of it is asked for alike.
enum FileHitsMeasurement {
    private static let songs = NumberedSongs(bytes: 4096)
    private static let entries = 20_000
    private static let connections = 64
    private static let name = "file-hits"
    /// In MiB; the tier gets seven eighths of it, which is a tenth of what is stored.
    private static let memory = 9
    private static let mostInMemory = 0.10

    static func run(_ lab: Lab) throws -> [ResultRow] {
        let workers = try lab.bestWorkers { try tuning(lab, small.with(workers: $0)) }
        let inFile = try lab.refrain(small.with(workers: workers))
        defer { inFile.stop() }
        let inMemory = try lab.refrain(Setting(workers: workers), as: "memory")
        defer { inMemory.stop() }
        let nginx = try lab.start(.nginx, Setting())
        defer { nginx?.stop() }
        let servers = [inFile, inMemory] + (nginx.map { [$0] } ?? [])
        for server in servers { try lab.fill(server, songs, entries) }
        let share =
            try Double(lab.statistic("memory_bytes", of: inFile)) / Double(lab.statistic("cache_bytes", of: inFile))
        guard share <= mostInMemory else { throw BenchError("memory holds \(share) of what is stored") }
        let rounds = try lab.rounds(servers) { try uniform(lab, $0, seed: $1 + 1) }
        let note =
            "\(entries) answers, uniform access; memory holds \(ResultsTable.fixed(share * 100, 1)) % of them; workers: \(workers)"
        let hits = rounds.row(
            name, "hits from SQLite, 4 KiB, 64 connections", unit: "requests/s",
            beside: [("memory", .atLeast(0.6)), ("nginx", nil)], notes: [note], \.requestsPerSecond)
        return [hits, try paced(lab, inFile, nginx, rate: (hits.ours ?? 0) / 2)]
    }

    private static let small = Setting(memoryMiB: memory)

    private static func tuning(_ lab: Lab, _ setting: Setting) throws -> Double {
        let server = try lab.refrain(setting)
        defer { server.stop() }
        try lab.fill(server, songs, entries)
        return try uniform(lab, server, seed: 0, seconds: 1).requestsPerSecond
    }

    /// All of it is asked for alike.
    private static func uniform(_ lab: Lab, _ server: RunningServer, seed: Int, seconds: Int? = nil) throws -> Sample {
        let script = try songs.script(lab.workspace, known: entries, share: 1, firstNew: 0, seed: seed)
        return try lab.sample(
            server, songs.target(0), connections: connections, seconds: seconds, script: script)
    }

    /// Half of what it can do, evenly spaced.
    private static func paced(
        _ lab: Lab, _ inFile: RunningServer, _ nginx: RunningServer?, rate: Double
    ) throws -> ResultRow {
        let rounds = try lab.rounds([inFile] + (nginx.map { [$0] } ?? [])) { server, round in
            let asked = try lab.originRequests()
            var numbers = SplitMix64(seed: UInt64(round))
            let targets = (0..<Int(rate) * lab.plan.seconds).map { _ in
                songs.target(Int.random(in: 0..<entries, using: &numbers))
            }
            let result = try Load.run(
                targets, port: server.ports.clients, connections: connections, perSecond: Int(rate))
            guard try lab.originRequests() == asked else { throw BenchError("\(server.name): not all were hits") }
            return Sample(
                requestsPerSecond: result.rate ?? 0, p50: result.milliseconds(atShare: 0.5),
                p99: result.milliseconds(atShare: 0.99), invalidBecause: result.invalidBecause)
        }
        var row = rounds.row(
            name, "p99 of these at half load", unit: "ms", beside: [("nginx", nil)],
            notes: ["open loop, \(Int(rate)) requests/s for both; latency counts from when a request was due"], \.p99)
        row.target = .atMost(2)
        return row
    }
}
