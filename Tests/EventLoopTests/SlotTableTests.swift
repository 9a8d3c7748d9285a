import Testing

@testable import EventLoop

@Suite struct SlotTableTests {
    private final class Target: PollTarget {
        func descriptorIsReady(_ readiness: Readiness) {}
        func loopStops() {}
    }

    @Test func aStaleTagFindsNothing() {
        var table = SlotTable()
        let first = Target()
        let second = Target()
        let old = table.insert(first)
        #expect(table[old] === first)
        table.remove(old)
        let new = table.insert(second)
        // The slot is used again, the generation is not.
        #expect(UInt32(truncatingIfNeeded: old) == UInt32(truncatingIfNeeded: new))
        #expect(table[old] == nil && table[new] === second)
        table.remove(old)
        #expect(table[new] === second && table.count == 1)
    }
}
