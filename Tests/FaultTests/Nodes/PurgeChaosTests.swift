import Foundation
import TestSupport
import Testing

/// F20: purges while nodes are killed and stopped, their links cut, and the engine is frozen,
/// killed and emptied. Passes where no node that has a purge, or has caught up with it, serves what
/// is older: after a hard one not at all, after a soft one not as fresh.
@Suite(.serialized, .timeLimit(.minutes(300)), .requires(.binary), .requires(.redis))
struct PurgeChaosTests {
    private static let purges = TestSize.of(30, full: 150, release: 1_000)

    @Test func noNodeServesWhatIsOlderThanAPurgeThatItHas() async throws {
        try await onThread {
            let seed = UInt64.random(in: 0...UInt64.max)
            let engine = try RedisServer(["--appendonly", "yes"])
            let house = try NodeHouse(engine: engine.port, composes: true, seed: seed)
            let clients = NodeClients(
                house.promises, nodes: NodeHouse.names.count, threads: 4, asksLists: true, seed: seed)
            var chaos = PurgeChaos(house, engine, seed: seed)
            let failure: (any Error)?
            do {
                try chaos.run(purges: Self.purges)
                failure = nil
            } catch {
                failure = error
            }
            let figures = clients.stop()
            FigureTable.note("F20 purges amid faults", "\(chaos.figures); \(figures); seed \(seed)")
            if let failure { Issue.record("seed \(seed): \(failure)") }
            let story = figures.outdated.isEmpty ? "" : chaos.story.suffix(400).joined(separator: "\n")
            #expect(figures.outdated.isEmpty, "seed \(seed): \(figures.outdated.prefix(5))\n\(story)")
            #expect(
                figures.wrong.isEmpty && figures.failed.isEmpty,
                "seed \(seed): \(figures.wrong.prefix(5)) \(figures.failed.prefix(5))")
            #expect(figures.checks > 0 && figures.hits > 0 && figures.composed > 0)
            #expect(house.areRunning, "\(house.log)")
        }
    }
}
