/// Large answers that no cache keeps, fetched for each client anew: how fast they are passed on.
enum PassedBodiesMeasurement {
    private static let connections = 8

    static func run(_ lab: Lab, _ name: String, mebibytes: Int) throws -> [ResultRow] {
        let bytes = mebibytes << 20
        let target = PassedBody.target(bytes: bytes)
        let rounds = try lab.running(Contender.all, Setting(bytes: bytes)) { servers in
            try lab.rounds(servers) { server, _ in
                try lab.sample(server, target, connections: connections, origin: .all)
            }
        }
        return [
            rounds.row(
                name, "answers of \(mebibytes) MiB passed through, \(connections) connections", unit: "MiB/s",
                beside: [("nginx", .atLeast(1)), ("varnish", nil)]
            ) { $0.requestsPerSecond * Double(mebibytes) },
            rounds.row(
                name, "processor time a MiB of these", unit: "us", beside: [("nginx", nil), ("varnish", nil)]
            ) { $0.cpuPerRequest / Double(mebibytes) },
        ]
    }
}
