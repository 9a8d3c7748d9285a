/// Called by a loop when a descriptor is ready.
protocol PollTarget: AnyObject {
    /// Called on the loop, inside a turn.
    func descriptorIsReady(_ readiness: Readiness)
    /// The loop stops: close the descriptor.
    func loopStops()
}

/// The descriptors' owners, found by the tag that came with an event: an index and a generation.
///
/// A closed owner's slot has moved on by a generation, so an event that was already taken from the
/// kernel, or that belongs to an earlier descriptor of the same number, finds no owner. The table
/// keeps its owners alive.
struct SlotTable {
    private struct Slot {
        var generation: UInt32
        var target: (any PollTarget)?
    }

    private var slots: [Slot] = []
    private var freeSlots: [UInt32] = []
    /// Descriptors in the table.
    var count: Int { slots.count - freeSlots.count }

    mutating func insert(_ target: any PollTarget) -> UInt64 {
        let index: UInt32
        if let free = freeSlots.popLast() {
            index = free
        } else {
            index = UInt32(slots.count)
            slots.append(Slot(generation: 0, target: nil))
        }
        slots[Int(index)].target = target
        return UInt64(slots[Int(index)].generation) << 32 | UInt64(index)
    }

    mutating func remove(_ tag: UInt64) {
        guard self[tag] != nil else { return }
        let index = UInt32(truncatingIfNeeded: tag)
        slots[Int(index)].generation &+= 1
        slots[Int(index)].target = nil
        freeSlots.append(index)
    }

    subscript(tag: UInt64) -> (any PollTarget)? {
        let index = Int(UInt32(truncatingIfNeeded: tag))
        guard index < slots.count, slots[index].generation == UInt32(tag >> 32) else { return nil }
        return slots[index].target
    }

    /// The owners of all slots, for stopping.
    var targets: [any PollTarget] { slots.compactMap(\.target) }
}
