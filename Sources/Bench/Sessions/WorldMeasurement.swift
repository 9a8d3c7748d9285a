import EventLoop
import Server
import Simulator

/// Requests of a world that reach the origin through Refrain and nginx.
enum WorldMeasurement {
    static func run(_ lab: Lab, _ world: World) throws -> [ResultRow] {
        var rounds = Rounds()
        for seed in world.seeds {
            let trace = world.trace(seed: seed)
            for contender in [Contender.refrain, .nginx] {
                guard let count = try originRequests(lab, world, seed, trace, through: contender) else { continue }
                rounds.append(Sample(originRequests: Double(count)), of: contender.name)
            }
        }
        let title = "requests to the origin of \(ResultsTable.number(Double(world.requests))), \(world.title)"
        return [
            rounds.row(
                world.name, title, unit: "requests", beside: [(Contender.nginx.name, world.target)], \.originRequests)
        ]
    }

    /// nil where the server is not installed.
    private static func originRequests(
        _ lab: Lab, _ world: World, _ seed: UInt64, _ trace: [TraceRequest], through contender: Contender
    ) throws -> Int? {
        var configuration = world.configuration(seed: seed)
        // Clients that overlap have misses under way together, as they do before a real origin.
        if world.clients > 1 { configuration.latency = .milliseconds(20) }
        let (origin, port) = (SimulatedAPI(configuration: configuration), try Ports.free())
        guard let address = SocketAddress(host: "127.0.0.1", port: UInt16(port)) else { throw BenchError("no address") }
        let host = try ServiceHost(label: "origin", listener: ListenerSettings(address: address, tls: nil)) {
            SimulatorService(origin, context: $0)
        }
        defer { host.stop() }
        guard let server = try lab.start(contender, Setting(memoryMiB: 512, otherOrigin: port)) else { return nil }
        defer { server.stop() }
        var player = TracePlayer(port: server.ports.clients, trace: trace, connections: world.clients)
        if world.revisions > 0 {
            let period = max(1, trace.count / (world.revisions + 1))
            player.checksStatus = false
            player.willSend = { if $0 > 0, $0 % period == 0 { origin.revise() } }
        }
        try player.play()
        return origin.requests
    }
}
