/// Values that are found by tags: an index and a generation.
///
/// A slot moves on by a generation when its value is removed. So the tag of a removed value finds
/// nothing, also once the slot has another. The table keeps its values alive.
struct SlotTable<Value> {
    private struct Slot {
        var generation: UInt32
        var value: Value?
    }

    private var slots: [Slot] = []
    private var freeSlots: [UInt32] = []
    /// Values in the table.
    var count: Int { slots.count - freeSlots.count }

    mutating func insert(_ value: Value) -> UInt64 {
        let index: UInt32
        if let free = freeSlots.popLast() {
            index = free
        } else {
            index = UInt32(slots.count)
            slots.append(Slot(generation: 0, value: nil))
        }
        slots[Int(index)].value = value
        return UInt64(slots[Int(index)].generation) << 32 | UInt64(index)
    }

    /// Removes a value and returns it; nil where the tag finds nothing.
    @discardableResult mutating func remove(_ tag: UInt64) -> Value? {
        guard contains(tag) else { return nil }
        let index = UInt32(truncatingIfNeeded: tag)
        slots[Int(index)].generation &+= 1
        freeSlots.append(index)
        return slots[Int(index)].value.take()
    }

    func contains(_ tag: UInt64) -> Bool {
        let index = Int(UInt32(truncatingIfNeeded: tag))
        return index < slots.count && slots[index].generation == UInt32(tag >> 32) && slots[index].value != nil
    }

    subscript(tag: UInt64) -> Value? {
        let index = Int(UInt32(truncatingIfNeeded: tag))
        guard index < slots.count, slots[index].generation == UInt32(tag >> 32) else { return nil }
        return slots[index].value
    }

    /// All of them, in no order.
    var values: [Value] { slots.compactMap(\.value) }
}
