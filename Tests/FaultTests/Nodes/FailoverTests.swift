import Foundation
import TestSupport
import Testing

/// F22: the engine dies, and its replica takes over, which lacks the latest purges. Passes where
/// each request is answered, purges reach all nodes again, and a node that had not heard of the
/// lost purges serves no answer that they chose as fresh.
@Suite(.serialized, .timeLimit(.minutes(300)), .requires(.binary), .requires(.redis))
struct FailoverTests {
    private static let rounds = TestSize.of(1, release: 200)
    private static let purges = TestSize.of(3, release: 10)
    private static let nodes = NodeHouse.names.count

    @Test func afterALostLogAnswersAreStaleAndPurgesSpread() async throws {
        try await onThread {
            for _ in 0..<Self.rounds {
                let seed = UInt64.random(in: 0...UInt64.max)
                let engine = try RedisServer()
                let replica = try RedisServer(["--replicaof", "127.0.0.1", "\(engine.port)"])
                let house = try NodeHouse(engine: engine.port, others: [replica.port], seed: seed)
                let clients = NodeClients(house.promises, nodes: Self.nodes, threads: 4, seed: seed)
                defer { _ = clients.stop() }
                try Self.run(house, engine, replica, seed)
                waitUntil(within: 60) { clients.answerCount >= 600 }
                let figures = clients.stop()
                FigureTable.note("F22 a failover", "\(figures); seed \(seed)")
                figures.judge("seed \(seed)")
                #expect(figures.checks > 0)
                #expect(house.areRunning, "\(house.log)")
            }
        }
    }

    private static func run(_ house: NodeHouse, _ engine: RedisServer, _ replica: RedisServer, _ seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        func purge(at node: Int) -> NodeHouse.Report? {
            house.purge(
                .random(in: 0..<VersionedOrigin.albums, using: &generator), isHard: Bool.random(using: &generator),
                at: node)
        }
        waitUntil(within: 60) { purge(at: 0)?.isReplicated == true }
        for _ in 0..<purges { _ = purge(at: .random(in: 0..<nodes, using: &generator)) }
        // From here on the replica hears of nothing, and one node neither.
        try replica.ask("REPLICAOF 127.0.0.1 1")
        let deaf = Int.random(in: 0..<nodes, using: &generator)
        house.relays[deaf].become(.cut)
        var lost = 0
        for _ in 0..<purges where purge(at: (deaf + 1) % nodes)?.isLogged == true { lost += 1 }
        engine.kill()
        house.promises.logWasLost()
        for _ in 0..<purges { _ = purge(at: .random(in: 0..<nodes, using: &generator)) }
        try replica.ask("REPLICAOF NO ONE")
        try house.settle()
        #expect(lost > 0, "seed \(seed)")
        for node in 0..<nodes {
            var last: NodeHouse.Report?
            waitUntil(within: 60) {
                last = purge(at: node)
                return last?.isComplete == true
            }
            #expect(last?.isComplete == true, "seed \(seed): \(last as Any), \(house.log)")
        }
    }
}
