// One shard of the index: the keys of answers, each held once under a number that is small enough
// for a slot. A ring in the order in which they came, and a hash table with chaining over it.
// Must hold: a number means one key, and nothing once that has been overwritten: it is not given
// out again before 2^27 others were; the keys and the tables take `maxBytes` at most.

struct AnswerTable {
    private struct Record {
        /// Nil once it is overwritten, or has another number.
        var key: CacheKey?
        var number: UInt32
        /// The next record whose hash has the same low bits.
        var next: UInt32
    }

    /// No answer, and no record.
    static let none = UInt32.max
    /// The low bits that tell the answers of one shard apart; the others are the caller's.
    static let numberBits = 27
    private static let numberMask: UInt32 = 1 << numberBits - 1
    /// The header of a key's bytes, and the allocator's rounding, in bytes.
    private static let keyOverhead = 48
    private static let recordBytes = MemoryLayout<Record>.stride + MemoryLayout<UInt32>.stride

    private var records: [Record] = []
    /// The first record for each value of the low bits of a hash.
    private var heads: [UInt32] = []
    /// A power of two, or 0.
    private let capacity: Int
    private let maxKeyBytes: Int
    private var keyBytes = 0
    /// The number that is given out next.
    private var next: UInt32 = 0
    /// Number of the oldest answer that may be there; all before it are gone.
    private var oldest: UInt32 = 0

    init(maxBytes: Int) {
        capacity = min((maxBytes / 2 / Self.recordBytes).roundedDownToPowerOfTwo, 1 << 24)
        maxKeyBytes = maxBytes - capacity * Self.recordBytes
    }

    var byteCount: Int {
        records.capacity * MemoryLayout<Record>.stride + heads.count * MemoryLayout<UInt32>.stride + keyBytes
    }

    /// The number of `key`, a new one where it has none, or is about to be overwritten; with the
    /// number that it had before. Nil where there is no room for it.
    mutating func number(for key: CacheKey) -> (number: UInt32, former: UInt32)? {
        let bytes = Self.bytes(of: key)
        guard capacity > 0, bytes <= maxKeyBytes else { return nil }
        if heads.isEmpty { heads = Array(repeating: Self.none, count: capacity) }
        let number = next
        var former = number
        if let slot = find(key) {
            former = records[slot].number
            if Int((next &- former) & Self.numberMask) <= capacity / 2 { return (former, former) }
            vacate(slot)
        }
        next = (next + 1) & Self.numberMask
        put(key.compacted(), number)
        while keyBytes > maxKeyBytes {
            vacate(slot(of: oldest))
            oldest = (oldest + 1) & Self.numberMask
        }
        return (number, former)
    }

    /// The key that has this number; nil where it has gone.
    func key(of number: UInt32) -> CacheKey? {
        let slot = slot(of: number)
        guard slot < records.count, records[slot].number == number else { return nil }
        return records[slot].key
    }

    private static func bytes(of key: borrowing CacheKey) -> Int { key.bytes.count + keyOverhead }

    private func slot(of number: UInt32) -> Int { Int(number) & (capacity - 1) }

    private func head(_ hash: UInt64) -> Int { Int(truncatingIfNeeded: hash >> 8) & (capacity - 1) }

    private func find(_ key: borrowing CacheKey) -> Int? {
        guard !heads.isEmpty else { return nil }
        var slot = heads[head(key.hash)]
        while slot != Self.none {
            if let found = records[Int(slot)].key, found.hash == key.hash, found.hasBytes(of: key) { return Int(slot) }
            slot = records[Int(slot)].next
        }
        return nil
    }

    /// Puts `key` at the slot of `number`, in place of the ring's oldest key.
    private mutating func put(_ key: CacheKey, _ number: UInt32) {
        let (slot, head) = (slot(of: number), head(key.hash))
        if slot < records.count { vacate(slot) }
        let record = Record(key: key, number: number, next: heads[head])
        if slot < records.count {
            records[slot] = record
        } else {
            // Doubled by hand, so that there is never room for more than the bound allows.
            if records.count == records.capacity { records.reserveCapacity(min(max(records.count * 2, 16), capacity)) }
            records.append(record)
        }
        heads[head] = UInt32(slot)
        keyBytes += Self.bytes(of: key)
        if Int((next &- oldest) & Self.numberMask) > capacity { oldest = (oldest + 1) & Self.numberMask }
    }

    /// Takes the key of a record out, if there is one, and the record out of its chain.
    private mutating func vacate(_ slot: Int) {
        guard let key = records[slot].key else { return }
        let head = head(key.hash)
        if heads[head] == UInt32(slot) {
            heads[head] = records[slot].next
        } else {
            var previous = Int(heads[head])
            while records[previous].next != UInt32(slot) { previous = Int(records[previous].next) }
            records[previous].next = records[slot].next
        }
        records[slot].key = nil
        keyBytes -= Self.bytes(of: key)
    }
}
