import Foundation
import TestSupport
import Testing

extension Requirement {
    fileprivate static let hours = Requirement("no hours (make faults-long has them): no clock of a node was set") {
        ProcessInfo.processInfo.environment["REFRAIN_FAULTS"] == "release"
    }
}

/// F20: purges while nodes are killed and stopped, their links cut, and the engine is frozen,
/// killed and emptied. Passes where no node that has a purge, or has caught up with it, serves an
/// older answer: after a hard one not at all, after a soft one not as fresh.
@Suite(.serialized, .timeLimit(.minutes(300)), .requires(.binary), .requires(.redis))
struct PurgeChaosTests {
    private static let purges = TestSize.of(30, full: 60, release: 1_000)
    private static let clockedPurges = 300

    @Test func noNodeServesAnswersOlderThanItsPurges() async throws {
        try await onThread { try Self.run("F20 purges amid faults", Self.purges, hasClocks: false) }
    }

    /// F10c: the same without kills, while the clocks of the nodes are set ahead and back by a day
    /// and by ten years.
    @Test(.requires(.hours), .requires(FaultyCalls.requirement))
    func noClockOfANodeBringsBackWhatWasPurged() async throws {
        try await onThread {
            try Self.run("F10c purges amid faults and wrong clocks", Self.clockedPurges, hasClocks: true)
        }
    }

    private static func run(_ row: String, _ purges: Int, hasClocks: Bool) throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        let engine = try RedisServer(["--appendonly", "yes"])
        let house = try NodeHouse(engine: engine.port, composes: true, hasClocks: hasClocks, seed: seed)
        let clients = NodeClients(house.promises, nodes: NodeHouse.names.count, threads: 4, asksLists: true, seed: seed)
        var chaos = PurgeChaos(house, engine, seed: seed)
        let failure: (any Error)?
        do {
            try chaos.run(purges: purges)
            failure = nil
        } catch {
            failure = error
        }
        let figures = clients.stop()
        FigureTable.note(row, "\(chaos.figures); \(figures); seed \(seed)")
        if let failure { Issue.record("seed \(seed): \(failure)") }
        let story = figures.outdated.isEmpty ? "" : chaos.story.suffix(400).joined(separator: "\n")
        figures.judge("seed \(seed)\n\(story)")
        #expect(figures.checks > 0 && figures.hits > 0 && figures.composed > 0)
        #expect(house.areRunning, "\(house.log)")
    }
}
