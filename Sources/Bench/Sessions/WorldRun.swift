import Foundation
import Simulator

/// The figures of one world with one seed.
struct WorldFigures {
    let requests: Int
    let nginx: Int?
    let refrain: Int
    let judgement: Judgement
    /// Compositions that a newer answer forbids.
    let refused: Int
    let statistics: String

    var share: Double? { nginx.map { Double(refrain) / Double(max($0, 1)) } }

    var cells: [String] {
        [
            String(requests), nginx.map(String.init) ?? "-", String(refrain),
            share.map { String(format: "%.3f", $0) } ?? "-", String(judgement.compared),
            String(judgement.different.count), String(judgement.objects), String(judgement.mixed.count),
            String(refused),
        ]
    }
}

/// One world with one seed, through all that are compared.
struct WorldRun {
    private static let requests = 4_000
    private static let clients = 4
    /// So that misses are under way together, as they are before a real origin.
    private static let latency = Duration.milliseconds(20)
    /// The reasons for which a newer answer keeps older ones from being composed.
    private static let refusals: Set<String> = ["contradicted", "withdrawn"]

    private let world: World
    private let origin: SimulatorConfiguration
    private let trace: SessionTrace

    init(_ world: World, seed: UInt64) {
        self.world = world
        origin = world.configuration(seed: seed)
        let api = ObservedAPI(origin)
        let pool = MusicPool(api, artistLimit: 220, exponent: 1.1)
        var generator = TraceGenerator(api: api, pool: pool, seed: seed)
        generator.habits = world.habits
        trace = generator.trace("\(world.name), seed \(seed)", world.shares, requests: Self.requests)
    }

    func perform() throws -> WorldFigures {
        let workspace = try Workspace()
        defer { workspace.remove() }
        let nginx = try throughNginx(workspace)
        let server = try SessionServers.refrain(workspace)
        defer { server.stop() }
        let (refrain, judgement) = try throughRefrain()
        let statistics = try ProxyStatistics.current()
        return WorldFigures(
            requests: trace.requests.count, nginx: nginx,
            refrain: refrain, judgement: judgement,
            refused: statistics.notComposed(Self.refusals), statistics: statistics.text)
    }

    /// Nil when nginx is not installed. A latency would not change its number.
    private func throughNginx(_ workspace: Workspace) throws -> Int? {
        guard let server = try SessionServers.nginx(workspace) else { return nil }
        defer { server.stop() }
        let counted = try CountedOrigin(origin)
        defer { counted.stop() }
        return try counted.requests(
            while: TracePlayer(port: SessionServers.nginxPort, trace: trace, connections: Self.clients))
    }

    private func throughRefrain() throws -> (requests: Int, judgement: Judgement) {
        var origin = origin
        origin.latency = Self.latency
        let counted = try CountedOrigin(origin)
        defer { counted.stop() }
        let judge = AnswerJudge(counted.api)
        var player = TracePlayer(port: SessionServers.refrainPort, trace: trace, connections: Self.clients)
        player.check = { request, status, body in
            judge.judge(request.target, status, body)
            return nil
        }
        if world.revisions > 0 {
            let period = max(1, trace.requests.count / (world.revisions + 1))
            player.willSend = { if $0 > 0, $0 % period == 0 { counted.api.revise() } }
        }
        return try (counted.requests(while: player), judge.result)
    }
}
