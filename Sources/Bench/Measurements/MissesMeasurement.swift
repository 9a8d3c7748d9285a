import Glibc

/// Misses: a new song each time, fetched over connections that stay open, and stored on the same
/// disk.
enum MissesMeasurement {
    private static let songs = NumberedSongs(bytes: 4096)
    private static let connections = 64
    private static let name = "misses"
    /// Numbers for one round; more than any server gets through.
    private static let numbersPerRound = 1_000_000

    static func run(_ lab: Lab) throws -> [ResultRow] {
        let (rounds, note) = try lab.running([.refrain, .nginx]) { servers in
            try (lab.rounds(servers) { try round(lab, $0, $1) }, stored(lab, servers[0]))
        }
        return [
            rounds.row(
                name, "misses, 4 KiB, each stored", unit: "requests/s", beside: [("nginx", .atLeast(1.30))],
                notes: [note], \.requestsPerSecond),
            rounds.row(name, "processor time a miss", unit: "us", beside: [("nginx", .atMost(0.80))], \.cpuPerRequest),
            rounds.row(name, "p99 of these misses", unit: "ms", beside: [("nginx", .atMost(1))], \.p99),
        ]
    }

    private static func round(_ lab: Lab, _ server: RunningServer, _ round: Int) throws -> Sample {
        let first = round * numbersPerRound
        let sample = try measure(lab, server, first)
        // The script is tried once before the run, so that the first number is never sent; and the
        // first half of the requests has long been answered at the end.
        let count = Int(sample.requestsPerSecond) * lab.plan.seconds / 2
        for number in stride(from: first + 1, to: first + count, by: max(count / 8, 1)) {
            guard try server.saysHit(songs.target(number)) else {
                throw BenchError("\(server.name) has not stored song \(number)")
            }
        }
        return sample
    }

    /// One turn, up to the end of the server's writes: they must not fall into another's turn.
    private static func measure(_ lab: Lab, _ server: RunningServer, _ first: Int) throws -> Sample {
        let script = try songs.script(lab.workspace, first: first)
        return try lab.sample(
            server, songs.target(0), connections: connections, script: script, origin: .all
        ) {
            if server.name == Contender.refrain.name { try lab.settle(server) }
            // The disk's work for one server must not fall into another's turn.
            sync()
        }
    }

    /// The share of stored answers that reached the file.
    private static func stored(_ lab: Lab, _ server: RunningServer) throws -> String {
        let stored = try lab.statistic("stored", of: server)
        let dropped = try lab.statistic("store_dropped", of: server)
        let misses = try lab.statistic("misses", of: server)
        guard stored >= misses - connections * lab.plan.rounds else {
            throw BenchError("refrain stored \(stored) of \(misses) misses")
        }
        let share = Double(stored - dropped) / Double(max(stored, 1)) * 100
        return "refrain: \(misses) misses, \(stored) stored, \(ResultsTable.fixed(share, 1)) % of them in the file"
    }
}
