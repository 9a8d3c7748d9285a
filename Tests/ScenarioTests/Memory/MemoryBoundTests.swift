import Foundation
import TestSupport
import Testing

/// Clients that keep to the protocol do not get the process above the sum that `refrain check`
/// prints (TRUST 1), whatever they choose to do, and in whatever order.
@Suite(.serialized, .timeLimit(.minutes(60)), .requires(.binary), .requires(.nghttp2)) struct MemoryBoundTests {
    /// A request composed of 80 answers took 572 MiB where 367 were promised.
    @Test(arguments: 0..<TestSize.of(1, full: 6) as Range<UInt64>)
    func noChoiceOfAttacksExceedsTheSum(seed: UInt64) throws {
        let house = try BoundedHouse(records: seed % 2 == 1)
        defer { house.stop() }
        let promised = try house.promisedBytes()
        var adversary = try Adversary(house, seed: seed)
        var story: [String] = []
        for number in 0..<TestSize.of(8, full: 60) {
            let attack = number == 0 ? .composing : adversary.next()
            story.append("\(attack)")
            try adversary.perform(attack)
            guard house.program.isRunning else { break }
            let peak = try house.peakBytes()
            let words = "seed \(seed): \(peak >> 20) MiB of \(promised >> 20) after \(story.joined(separator: ", "))"
            guard peak <= promised else {
                Issue.record("\(words)")
                break
            }
        }
        #expect(house.program.isRunning, "seed \(seed): \(house.program.text.suffix(2_000))")
        FigureTable.note(
            "memory beside attacks",
            "seed \(seed): \(try house.peakBytes() >> 20) MiB at most, \(promised >> 20) promised")
    }
}
