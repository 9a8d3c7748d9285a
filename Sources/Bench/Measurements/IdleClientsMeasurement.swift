/// Load beside many idle clients, which must not slow it down.
///
/// It is compared with a second Refrain without them, and with nginx with as many.
enum IdleClientsMeasurement {
    private static let count = 10_000
    private static let connections = 64
    private static let target = NumberedSongs(bytes: 4096).target(1)
    private static let name = "idle-clients"
    private static let alone = "alone"

    static func run(_ lab: Lab) throws -> [ResultRow] {
        guard FileDescriptors.limit > count + 500 else {
            throw BenchError("\(count) clients need more than \(FileDescriptors.limit) descriptors (ulimit -Hn)")
        }
        let rounds = try lab.running([.refrain, .nginx]) { servers in
            let quiet = try lab.refrain(as: alone)
            defer { quiet.stop() }
            try lab.warm(servers + [quiet], target)
            return try lab.rounds([servers[0], quiet] + servers.dropFirst()) { server, _ in
                server.name == alone ? try hits(lab, server) : try hitsBesideOthers(lab, server)
            }
        }
        return [
            rounds.row(
                name, "hits, 64 connections, beside 10,000 idle clients", unit: "requests/s",
                beside: [(alone, .atLeast(0.9)), ("nginx", .atLeast(1))], \.requestsPerSecond)
        ]
    }

    private static func hits(_ lab: Lab, _ server: RunningServer) throws -> Sample {
        try lab.sample(server, target, connections: connections)
    }

    /// The others are a process of their own, and new in each round: a server closes those that
    /// have been idle for a minute.
    private static func hitsBesideOthers(_ lab: Lab, _ server: RunningServer) throws -> Sample {
        let crowd = try lab.startOwn(ServerRole.idle, ["\(server.ports.clients)", "\(count)", target])
        defer { crowd.stop() }
        let sample = try hits(lab, server)
        guard crowd.child.isRunning else { throw BenchError("\(server.name) has closed idle clients meanwhile") }
        return sample
    }
}
