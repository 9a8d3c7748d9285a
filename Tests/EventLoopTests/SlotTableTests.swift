import Testing

@testable import EventLoop

@Suite struct SlotTableTests {
    @Test func aStaleTagFindsNothing() {
        var table = SlotTable<String>()
        let old = table.insert("first")
        #expect(table[old] == "first" && table.contains(old))
        #expect(table.remove(old) == "first")
        #expect(table.remove(old) == nil && !table.contains(old))
        let new = table.insert("second")
        // The slot is used again, the generation is not.
        #expect(UInt32(truncatingIfNeeded: old) == UInt32(truncatingIfNeeded: new))
        #expect(table[old] == nil && table[new] == "second")
        #expect(table.remove(old) == nil)
        #expect(table[new] == "second" && table.count == 1)
    }
}
