import Synchronization

// Where the record of each key lies, in memory: a hit reads one record and no page of the database,
// and what the file surely lacks costs nothing. The database is the truth; this is a copy of its
// index of keys, which the writer keeps equal to it and builds anew when the file is opened.
// Must hold: for keys up to `known` it says exactly what was committed last; of the others nothing
// is said, and the database is asked.

final class KeyDirectory: Sendable {
    enum Finding: Equatable {
        case place(Place)
        /// The file has no answer of the key.
        case absent
        /// The database is to be asked.
        case unknown
    }

    private final class Shard: Sendable {
        let table = Mutex(PlaceTable())
    }

    private let shards = (0..<KeyDirectory.shardCount).map { _ in Shard() }
    /// Keys beyond it are not known. They are read in their order when a file is opened.
    private let knownThrough = Atomic<Int64>(.min)
    private let count = Atomic<Int>(0)
    /// Of more keys a part is known.
    private let mostKeys: Int

    /// Each has a lock of its own, and grows by itself: moving a table of a million takes 20 ms.
    private static let shardCount = 256
    /// The most that a key takes, in bytes: a table that has just grown is not half full.
    static let bytesPerKey = 37

    init(mostKeys: Int) {
        self.mostKeys = mostKeys
    }

    private func shard(_ key: Int64) -> Shard { shards[Int(truncatingIfNeeded: key & 0xFF)] }

    func find(_ key: Int64) -> Finding {
        guard key <= known else { return .unknown }
        let found = shard(key).table.withLock { $0[key] }
        guard let found else { return .absent }
        return Place(found).map { .place($0) } ?? .unknown
    }

    /// Keys up to this are known; `Int64.max` when all are.
    var known: Int64 { knownThrough.load(ordering: .acquiring) }
    var isComplete: Bool { known == .max }

    // For the writer, under its lock.

    /// What the row of `key` says from now on: a place, or one below zero where the row has to be
    /// asked; nil where there is none.
    func set(_ key: Int64, _ place: Int64?) {
        guard key <= known else { return }
        let added = shard(key).table.withLock { table in
            let before = table.count
            table[key] = place
            return table.count - before
        }
        let (_, count) = count.wrappingAdd(added, ordering: .relaxed)
        if count > mostKeys { forgetHalf() }
    }

    /// Takes rows in the order of their keys, after which keys up to `last` are known.
    func learn(_ rows: [(key: Int64, place: Int64)], through last: Int64) {
        for row in rows { shard(row.key).table.withLock { $0[row.key] = row.place } }
        count.wrappingAdd(rows.count, ordering: .relaxed)
        knownThrough.store(last, ordering: .releasing)
    }

    /// Whether so many keys more may be learnt.
    func hasRoom(for rows: Int) -> Bool { count.load(ordering: .relaxed) + rows <= mostKeys }

    /// Lets go of the upper half of the keys that are known.
    private func forgetHalf() {
        let half = UInt64(bitPattern: known &- Int64.min) / 2
        let last = Int64.min &+ Int64(bitPattern: half)
        knownThrough.store(last, ordering: .sequentiallyConsistent)
        let kept = shards.reduce(0) { kept, shard in
            kept
                + shard.table.withLock { table in
                    table.keep(through: last)
                    return table.count
                }
        }
        count.store(kept, ordering: .relaxed)
    }

    /// Nothing is known any more.
    func forget() {
        knownThrough.store(.min, ordering: .sequentiallyConsistent)
        count.store(0, ordering: .relaxed)
        for shard in shards { shard.table.withLock { $0 = PlaceTable() } }
    }
}

/// Keys and places by linear probing. Zero is no place, and so marks what is free.
struct PlaceTable: ~Copyable {
    private typealias Slot = (key: Int64, place: Int64)

    private var slots: UnsafeMutableBufferPointer<Slot>
    private(set) var count = 0

    init() {
        slots = UnsafeMutableBufferPointer(start: nil, count: 0)
    }

    deinit {
        slots.deallocate()
    }

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
        if (count + 1) * 8 > slots.count * 7 { grow() }
        var slot = home(key)
        while slots[slot].place != 0, slots[slot].key != key { slot = next(slot) }
        if slots[slot].place == 0 { count += 1 }
        slots[slot] = (key, place)
    }

    /// What follows moves up, so that no probe ends too early.
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
    mutating func keep(through last: Int64) {
        rebuild(capacity: 16, through: last)
    }

    private mutating func grow() {
        rebuild(capacity: max(slots.count * 2, 16), through: .max)
    }

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
