// Keys and places by linear probing: sixteen bytes a slot, and a look-up meets one line of memory.
// Must hold: zero is no place, and so marks a free slot; one slot at least is free.

struct PlaceTable: ~Copyable {
    private typealias Slot = (key: Int64, place: Int64)

    private var slots: UnsafeMutableBufferPointer<Slot>
    private(set) var count = 0

    init() { slots = UnsafeMutableBufferPointer(start: nil, count: 0) }

    deinit { slots.deallocate() }

    /// The place of a key; nil where there is none.
    subscript(_ key: Int64) -> Int64? {
        get {
            guard count > 0 else { return nil }
            var slot = home(key)
            while slots[slot].place != 0 {
                if slots[slot].key == key { return slots[slot].place }
                slot = next(slot)
            }
            return nil
        }
        set {
            if let newValue, newValue != 0 { insert(key, newValue) } else { remove(key) }
        }
    }

    private mutating func insert(_ key: Int64, _ place: Int64) {
        if (count + 1) * 8 > slots.count * 7 { rebuild(capacity: max(slots.count * 2, 16), through: .max) }
        var slot = home(key)
        while slots[slot].place != 0, slots[slot].key != key { slot = next(slot) }
        if slots[slot].place == 0 { count += 1 }
        slots[slot] = (key, place)
    }

    /// Later keys move up, so that no probe ends too early.
    private mutating func remove(_ key: Int64) {
        guard count > 0 else { return }
        var hole = home(key)
        while slots[hole].key != key || slots[hole].place == 0 {
            guard slots[hole].place != 0 else { return }
            hole = next(hole)
        }
        count -= 1
        var slot = next(hole)
        while slots[slot].place != 0 {
            let wanted = home(slots[slot].key)
            if distance(from: wanted, to: slot) >= distance(from: hole, to: slot) {
                slots[hole] = slots[slot]
                hole = slot
            }
            slot = next(slot)
        }
        slots[hole] = (0, 0)
    }

    /// Lets go of all greater keys.
    mutating func keep(through last: Int64) { rebuild(capacity: 16, through: last) }

    private mutating func rebuild(capacity: Int, through last: Int64) {
        let old = slots
        slots = .allocate(capacity: capacity)
        slots.initialize(repeating: (0, 0))
        count = 0
        for slot in old where slot.place != 0 && slot.key <= last { insert(slot.key, slot.place) }
        old.deallocate()
    }

    // The low eight bits chose the shard.
    private func home(_ key: Int64) -> Int { Int(truncatingIfNeeded: key >> 8) & (slots.count - 1) }
    private func next(_ slot: Int) -> Int { (slot + 1) & (slots.count - 1) }
    private func distance(from start: Int, to slot: Int) -> Int { (slot - start) & (slots.count - 1) }
}
