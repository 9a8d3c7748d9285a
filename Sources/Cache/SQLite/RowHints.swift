import Glibc

// In which row of the file a key was found last: eight bytes a key, so that the index of keys, a
// tree that is larger than a reader's page cache, is not walked again.
// Must hold: a hint is never believed. The row that it names is read and compared, and the index is
// asked where the row is another key's or gone. A new hint replaces the one that has its slot, so
// nothing is moved and nothing has to be taken out.

final class RowHints {
    /// The upper half is a part of the key's hash, the lower the row; 0 for none.
    private let slots: UnsafeMutableBufferPointer<UInt64>
    var capacity: Int { slots.count }

    /// 16 MiB, of which only what is used is memory.
    private static let largest = 1 << 21

    /// For about so many rows.
    init(rows: Int) {
        var capacity = 1 << 12
        while capacity < Self.largest, capacity < rows * 2 { capacity *= 2 }
        // Zeroed memory costs nothing until it is touched; without memory there are no hints.
        let zeroed = calloc(capacity, MemoryLayout<UInt64>.stride)
        slots = UnsafeMutableBufferPointer(
            start: zeroed?.bindMemory(to: UInt64.self, capacity: capacity), count: zeroed == nil ? 0 : capacity)
    }

    deinit {
        free(slots.baseAddress)
    }

    /// Whether the file has come to hold so many rows that a larger table is worth learning anew.
    func isTooSmall(for rows: Int) -> Bool {
        capacity < Self.largest && rows > capacity
    }

    /// The row where the key of this hash may be.
    subscript(_ hash: UInt64) -> Int64? {
        get {
            guard !slots.isEmpty else { return nil }
            let slot = slots[home(hash)]
            return slot != 0 && slot >> 32 == hash >> 32 ? Int64(slot & 0xFFFF_FFFF) : nil
        }
        set {
            // Rows are numbered upwards: one beyond is found through the index.
            guard !slots.isEmpty, let row = newValue.flatMap({ UInt32(exactly: $0) }) else { return }
            slots[home(hash)] = (hash & ~0xFFFF_FFFF) | UInt64(row)
        }
    }

    private func home(_ hash: UInt64) -> Int { Int(truncatingIfNeeded: hash) & (capacity - 1) }
}
