import Foundation
import TestSupport
import Testing

/// F23: three nodes share a cluster of three shards with a replica each. The owner of their slot is
/// killed, or the slot moves, while clients ask. Passes where each request is answered rightly,
/// purges reach all nodes again, and the log has every purge that a replica had acknowledged.
@Suite(.serialized, .timeLimit(.minutes(300)), .requires(.binary), .requires(.redis))
struct ClusterTests {
    private static let rounds = TestSize.of(1, release: 20)
    private static let purges = TestSize.of(3, release: 10)
    private static let answers = TestSize.of(400, release: 1_000)
    private static let log = "refrain:{refrain}:purges"

    /// A house on a cluster, with clients.
    private final class Scene {
        let cluster: RedisCluster
        let house: NodeHouse
        let clients: NodeClients
        let seed = UInt64.random(in: 0...UInt64.max)
        private var generator: SeededGenerator

        init() throws {
            cluster = try RedisCluster()
            generator = SeededGenerator(seed: seed)
            let ports = cluster.servers.map(\.port)
            house = try NodeHouse(engine: ports[0], others: Array(ports[1...2]), seed: seed)
            clients = NodeClients(house.promises, nodes: NodeHouse.names.count, threads: 4, seed: seed)
        }

        deinit { _ = clients.stop() }

        func purge() -> NodeHouse.Report? {
            house.purge(
                .random(in: 0..<VersionedOrigin.albums, using: &generator), isHard: Bool.random(using: &generator),
                at: .random(in: 0..<NodeHouse.names.count, using: &generator))
        }

        /// Purges until a replica has acknowledged as many.
        func purgeSafely(_ count: Int) {
            for _ in 0..<count { waitUntil(within: 60) { purge()?.isReplicated == true } }
        }

        func owner(but former: Int? = nil) throws -> Int {
            var owner: Int?
            waitUntil(within: 60) {
                owner = cluster.owner(of: ClusterTests.log)
                return owner != nil && owner != former
            }
            return try #require(owner)
        }

        /// The places of all purges in the log, as its owner has it.
        func places(at owner: Int) throws -> Set<String> {
            Set(try cluster.servers[owner].words("XRANGE \(ClusterTests.log) - +").filter(Self.isPlace))
        }

        private static func isPlace(_ word: String) -> Bool {
            let parts = word.split(separator: "-")
            return parts.count == 2 && parts.allSatisfy { UInt64($0) != nil }
        }

        func judge(_ what: String) {
            waitUntil(within: 120) { clients.answerCount >= ClusterTests.answers }
            let figures = clients.take()
            FigureTable.note("F23 a cluster", "\(what): \(figures); seed \(seed)")
            figures.judge("\(what), seed \(seed)")
            #expect(house.areRunning, "\(house.log)")
        }
    }

    @Test func theOwnerOfTheSlotDies() async throws {
        try await onThread {
            let scene = try Scene()
            for round in 0..<Self.rounds {
                scene.purgeSafely(Self.purges)
                let former = try scene.owner()
                let kept = try scene.places(at: former)
                #expect(kept.count >= Self.purges)
                scene.cluster.servers[former].kill()
                for _ in 0..<Self.purges { _ = scene.purge() }
                let owner = try scene.owner(but: former)
                try scene.house.settle()
                #expect(try kept.subtracting(scene.places(at: owner)) == [], "lost; seed \(scene.seed)")
                // It becomes the replica of the one that took its place.
                try scene.cluster.servers[former].start()
                scene.purgeSafely(1)
                scene.judge("round \(round), \(former) killed")
            }
        }
    }

    @Test func theSlotMovesToAnotherShard() async throws {
        try await onThread {
            let scene = try Scene()
            scene.purgeSafely(Self.purges)
            let former = try scene.owner()
            let kept = try scene.places(at: former)
            let target = (former + 1) % 3
            try scene.cluster.move(Self.log, from: former, to: target)
            #expect(try scene.owner() == target)
            try scene.house.settle()
            scene.purgeSafely(1)
            #expect(try kept.subtracting(scene.places(at: target)) == [], "lost; seed \(scene.seed)")
            scene.judge("slot moved from \(former) to \(target)")
        }
    }
}
