import Purging
import Store
import TestSupport
import Testing

@testable import Tier

/// However random the order, a node that has caught up shows nothing purged as fresh.
@Suite struct PurgeLogPropertyTests {
    @Test(arguments: Array(1...TestSize.of(15, full: 40, release: 400)) as [UInt64])
    func nothingThatWasPurgedComesBack(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var log = SimulatedLog()
        var nodes = [SimulatedNode](repeating: SimulatedNode(), count: 3)
        var looked = 0
        for step in 0..<1_500 {
            happen(&log, &generator)
            for index in nodes.indices { happen(&nodes[index], &log, &generator) }
            for node in nodes where node.isCaughtUp(log) { looked += outdated(node, log, "seed \(seed), step \(step)") }
        }
        for index in nodes.indices {
            settle(&nodes[index], log)
            #expect(nodes[index].isCaughtUp(log), "seed \(seed)")
            looked += outdated(nodes[index], log, "seed \(seed), at the end")
        }
        #expect(looked > 100, "seed \(seed): only \(looked) answers were looked at")
    }

    private func happen(_ log: inout SimulatedLog, _ generator: inout SeededGenerator) {
        log.pass(.random(in: 0...3, using: &generator))
        switch Int.random(in: 0..<200, using: &generator) {
        case 0..<10: log.change(SimulatedLog.targets.randomElement(using: &generator)!)
        case 10..<30: log.purge(drawnPurge(&generator), isReplicated: Int.random(in: 0..<4, using: &generator) > 0)
        case 30..<34: log.trim(.random(in: 1...6, using: &generator))
        case 34: log.flush(.random(in: .min ... .max, using: &generator))
        case 35: log.loseUnreplicated()
        case 36:
            log.loseUnreplicated(
                inEpoch: .random(in: .min ... .max, using: &generator),
                clockLag: .random(in: 0...50, using: &generator))
        default: break
        }
    }

    private func drawnPurge(_ generator: inout SeededGenerator) -> PurgeRecord {
        let target = Array(SimulatedLog.targets.randomElement(using: &generator)!.utf8)
        let mode = Bool.random(using: &generator) ? PurgeMode.hard : .soft
        switch Int.random(in: 0..<8, using: &generator) {
        case 0: return purge(.prefix(Array(target.prefix(2))), mode: mode)
        case 1: return purge(mode: mode)
        case 2: return PurgeRecord(reading: [Array("v".utf8), Array("2".utf8)], at: LogPosition(1, 0))
        default: return purge(.target(target), mode: mode)
        }
    }

    private func happen(_ node: inout SimulatedNode, _ log: inout SimulatedLog, _ generator: inout SeededGenerator) {
        let target = SimulatedLog.targets.randomElement(using: &generator)!
        switch Int.random(in: 0..<100, using: &generator) {
        case 0: node.restart(isEmpty: Bool.random(using: &generator))
        case 1..<3: node.disconnect()
        case 3..<15: node.connect()
        case 15..<25: node.beginFetch(target, log)
        case 25..<40: node.beginTaking(target, log)
        case 40..<60: node.land(&log)
        default: node.step(log, refuses: Int.random(in: 0..<20, using: &generator) == 0)
        }
    }

    private func settle(_ node: inout SimulatedNode, _ log: SimulatedLog) {
        node.connect()
        for _ in 0..<10_000 where !node.isCaughtUp(log) { node.step(log, refuses: false) }
    }

    /// Expects none, and returns how many answers were looked at.
    private func outdated(_ node: SimulatedNode, _ log: SimulatedLog, _ place: String) -> Int {
        for (target, copy) in node.copies where node.isFresh(copy, of: target) {
            let least = log.promised[target] ?? 0
            if copy.version < least { Issue.record("\(place): \(target) is fresh as \(copy.version), not \(least)") }
        }
        return node.copies.count
    }
}
