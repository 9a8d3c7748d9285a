/// Hits that memory does not hold: ten times as much is stored as fits in the memory tier, and all
/// of it is asked for alike.
enum FileHitsMeasurement {
    static let songs = NumberedSongs(bytes: 4096)
    static let entries = 20_000
    private static let connections = 64
    private static let name = "file-hits"
    /// In MiB; the tier gets seven eighths of it, which is a tenth of the stored answers.
    private static let memory = 9
    private static let mostInMemory = 0.10

    /// Most of the descriptors are nginx's to keep its files open.
    static let setting = Setting(memoryMiB: memory, clients: 500)

    static func run(_ lab: Lab) throws -> [ResultRow] {
        try lab.running([.refrain, .nginx], setting) { servers in
            let inMemory = try lab.refrain(as: "memory")
            defer { inMemory.stop() }
            for server in servers + [inMemory] { try lab.fill(server, (0..<entries).lazy.map(songs.target)) }
            try checkMemory(lab, servers[0])
            let rounds = try lab.rounds([servers[0], inMemory] + servers.dropFirst()) {
                try uniform(lab, $0, seed: $1 + 1)
            }
            return [
                rounds.row(
                    name, "hits from SQLite, 4 KiB, 64 connections", unit: "requests/s",
                    beside: [("memory", .atLeast(0.6)), ("nginx", nil)], \.requestsPerSecond)
            ]
        }
    }

    /// - Throws: `BenchError` where memory holds so large a share of the answers that hits would
    ///   not come from the file.
    static func checkMemory(_ lab: Lab, _ server: RunningServer) throws {
        let share =
            try Double(lab.statistic("memory_bytes", of: server)) / Double(lab.statistic("cache_bytes", of: server))
        guard share <= mostInMemory else { throw BenchError("memory holds \(share) of what is stored") }
    }

    /// All of it is asked for alike.
    private static func uniform(_ lab: Lab, _ server: RunningServer, seed: Int) throws -> Sample {
        let script = try songs.script(lab.workspace, known: entries, first: seed)
        return try lab.sample(server, songs.target(0), connections: connections, script: script)
    }
}
