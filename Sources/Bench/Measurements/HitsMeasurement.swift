import Foundation

/// Hits from memory: one song, as fast as it is answered. Beside nginx and Varnish with the same
/// answer.
enum HitsMeasurement {
    private static let songs = NumberedSongs(bytes: 4096)

    static func run(_ lab: Lab, connections: Int, varnish: Double) throws -> [ResultRow] {
        let rounds = try rounds(lab, Contender.all, Setting(), songs.target(1), connections)
        let name = "hits-\(connections)"
        let at = "\(connections) connections"
        return [
            rounds.row(
                name, "hits from memory, 4 KiB, \(at)", unit: "requests/s",
                beside: [("nginx", .atLeast(1.30)), ("varnish", .atLeast(varnish))], \.requestsPerSecond),
            rounds.row(
                name, "p99 of these, \(at)", unit: "ms", beside: [("nginx", .atMost(1)), ("varnish", nil)], \.p99),
            rounds.row(
                name, "processor time a hit, \(at)", unit: "us", beside: [("nginx", .atMost(0.85)), ("varnish", nil)],
                \.cpuPerRequest),
        ]
    }

    private static func rounds(
        _ lab: Lab, _ contenders: [Contender], _ setting: Setting, _ target: String, _ connections: Int = 64
    ) throws -> Rounds {
        try lab.running(contenders, setting) { servers in
            try lab.warm(servers, target)
            return try lab.rounds(servers) { server, _ in try lab.sample(server, target, connections: connections) }
        }
    }

    /// The same over TLS, after the handshakes.
    static func tls(_ lab: Lab) throws -> [ResultRow] {
        let rounds = try rounds(lab, [.refrain, .nginx], Setting(usesTLS: true), songs.target(1))
        return [
            rounds.row(
                "tls", "hits over TLS, 4 KiB, 64 connections", unit: "requests/s", beside: [("nginx", .atLeast(1))],
                \.requestsPerSecond),
            rounds.row(
                "tls", "processor time a hit over TLS", unit: "us", beside: [("nginx", nil)], \.cpuPerRequest),
        ]
    }

    /// Large answers, in bytes a second.
    static func bodies(_ lab: Lab, _ name: String, bytes: Int, _ title: String) throws -> [ResultRow] {
        let target = NumberedSongs(bytes: bytes).target(1)
        let rounds = try rounds(lab, Contender.all, Setting(bytes: bytes), target)
        return [
            rounds.row(
                name, "answers of \(title), 64 connections", unit: "MiB/s",
                beside: [("nginx", .atLeast(1)), ("varnish", nil)]
            ) { $0.requestsPerSecond * Double(bytes) / Double(1 << 20) }
        ]
    }

    /// Hits that memory does not hold: ten times as much is stored as fits in the memory tier, and
    /// all of it is asked for alike.
    static func file(_ lab: Lab) throws -> [ResultRow] {
        let entries = 20_000
        // The memory tier gets seven eighths of it, a tenth of the stored answers. Most of the
        // descriptors are nginx's to keep its files open.
        let rounds = try lab.running([.refrain, .nginx], Setting(memoryMiB: 9, clients: 500)) { servers in
            for server in servers { try lab.fill(server, (0..<entries).map(songs.target)) }
            let inMemory = try lab.statistic("memory_bytes", of: servers[0])
            let stored = try lab.statistic("cache_bytes", of: servers[0])
            guard inMemory * 10 <= stored else { throw BenchError("memory holds \(inMemory) of \(stored) bytes") }
            return try lab.rounds(servers) { server, round in
                let script = try songs.script(lab.workspace, known: entries, first: round + 1)
                return try lab.sample(server, songs.target(0), connections: 64, script: script)
            }
        }
        return [
            rounds.row(
                "file", "hits from SQLite, 4 KiB, 64 connections", unit: "requests/s", beside: [("nginx", nil)],
                \.requestsPerSecond)
        ]
    }
}
