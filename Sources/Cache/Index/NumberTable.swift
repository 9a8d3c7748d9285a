// One shard of the index: numbers, and the places of each. Buckets of eight slots, chosen by the
// number; the slot added last comes first in its bucket.
// Must hold: a number and an answer share one slot at most, and a number has `maxSources` at most,
// the newest first; a bucket has no gaps, and the slot at its end has gone longest without being
// added; a look touches one bucket, of three cache lines.

struct NumberTable {
    /// 20 bytes.
    struct Slot {
        /// The low half of the mixed number: it chooses the bucket, and tells apart the numbers in
        /// it. Two numbers that share it are told apart by the code that verifies a source.
        fileprivate(set) var number: UInt32 = 0
        /// Number in `AnswerTable`.
        let answer: UInt32
        let place: UInt32
        /// The low half of a checksum of the answer's content there.
        let content: UInt32
        /// Unix seconds at which the answer was received.
        let receivedAt: UInt32

        var isEmpty: Bool { answer == AnswerTable.none }
        static let empty = Slot(answer: AnswerTable.none, place: 0, content: 0, receivedAt: 0)
    }

    /// The slots of one number, the newest first.
    struct Found {
        private(set) var slots = InlineArray<4, Slot>(repeating: .empty)
        private(set) var count = 0

        fileprivate mutating func append(_ slot: Slot) {
            slots[count] = slot
            count += 1
        }
    }

    static let bucketSlots = 8
    static let bucketBytes = bucketSlots * MemoryLayout<Slot>.stride
    /// The most slots of one number.
    static let maxSources = 4

    private var slots: [Slot] = []
    private let seed: UInt64
    /// A power of two, or 0.
    private let maxBuckets: Int
    /// Slots in use.
    private(set) var count = 0

    /// A table of at most `maxBytes`. It begins with nothing and doubles; `seed` chooses the
    /// buckets.
    init(maxBytes: Int, seed: UInt64) {
        maxBuckets = (maxBytes / Self.bucketBytes).roundedDownToPowerOfTwo
        self.seed = seed
    }

    /// The bytes of as many buckets as fit into `maxBytes` and can all be used.
    static func usableBytes(of maxBytes: Int) -> Int {
        (maxBytes / bucketBytes).roundedDownToPowerOfTwo * bucketBytes
    }

    var byteCount: Int { slots.count * MemoryLayout<Slot>.stride }

    /// Adds or replaces a place of `number`; returns its slots before.
    ///
    /// The oldest of four slots of a number is replaced. In a full bucket the last slot is, if the
    /// table cannot grow.
    /// - Parameters:
    ///   - former: the number of the answer until now, if it is another one.
    ///   - isOldestOfSecond: whether slots of the same second count as newer.
    @discardableResult
    mutating func add(
        _ number: UInt64, _ slot: Slot, insteadOf former: UInt32, isOldestOfSecond: Bool = false
    ) -> Found {
        guard maxBuckets > 0 else { return Found() }
        if slots.isEmpty { slots = Array(repeating: .empty, count: Self.bucketSlots) }
        var new = slot
        new.number = UInt32(truncatingIfNeeded: number.mixed(seed))
        let before = find(new.number)
        var lost = vacancy(new, former)
        while lost == nil, slots.count < maxBuckets * Self.bucketSlots {
            grow()
            lost = vacancy(new, former)
        }
        insert(new, instead: lost ?? bucket(new.number) + Self.bucketSlots - 1, former, isOldestOfSecond)
        return before
    }

    /// The slots of `number`.
    func find(_ number: UInt64) -> Found { find(UInt32(truncatingIfNeeded: number.mixed(seed))) }

    private func find(_ mixed: UInt32) -> Found {
        var found = Found()
        guard !slots.isEmpty else { return found }
        let start = bucket(mixed)
        for index in start..<start + Self.bucketSlots {
            if slots[index].isEmpty { break }
            if slots[index].number == mixed { found.append(slots[index]) }
        }
        return found
    }

    /// The slot to overwrite; nil if the bucket is full of others.
    ///
    /// It is the slot of the same answer, the fourth one of the number, or an empty one.
    private func vacancy(_ new: Slot, _ former: UInt32) -> Int? {
        let start = bucket(new.number)
        var (seen, vacant): (Int, Int?) = (0, nil)
        for index in start..<start + Self.bucketSlots {
            if slots[index].isEmpty { return vacant ?? index }
            guard slots[index].number == new.number else { continue }
            if slots[index].answer == new.answer || slots[index].answer == former { return index }
            seen += 1
            if seen == Self.maxSources { vacant = index }
        }
        return vacant
    }

    /// Inserts the slot, newest first within its number.
    ///
    /// Slots of other numbers follow it; `lost` goes, unless it is a newer one of another answer.
    private mutating func insert(_ new: Slot, instead lost: Int, _ former: UInt32, _ isOldestOfSecond: Bool) {
        func isNewer(_ slot: Slot) -> Bool {
            slot.receivedAt > new.receivedAt || isOldestOfSecond && slot.receivedAt == new.receivedAt
        }
        let old = slots[lost]
        if old.isEmpty {
            count += 1
        } else if old.number == new.number, isNewer(old), old.answer != new.answer, old.answer != former {
            return
        }
        let start = bucket(new.number)
        var end = lost
        while end + 1 < start + Self.bucketSlots, !slots[end + 1].isEmpty {
            slots[end] = slots[end + 1]
            end += 1
        }
        var place = start
        for index in start..<end where slots[index].number == new.number && isNewer(slots[index]) {
            place = index + 1
        }
        while end > place {
            slots[end] = slots[end - 1]
            end -= 1
        }
        slots[place] = new
    }

    /// The first slot of the bucket of a mixed number.
    private func bucket(_ mixed: UInt32) -> Int {
        let buckets = slots.count / Self.bucketSlots
        return Int(mixed) & (buckets - 1) * Self.bucketSlots
    }

    /// Doubles the buckets. Each bucket's slots go to one of two, in the same order.
    private mutating func grow() {
        let old = slots
        slots = Array(repeating: .empty, count: old.count * 2)
        for slot in old where !slot.isEmpty {
            var index = bucket(slot.number)
            while !slots[index].isEmpty { index += 1 }
            slots[index] = slot
        }
    }
}

extension UInt64 {
    /// Spreads the number over all bits in a way that can be told only with the seed. Numbers come
    /// from the origin's content, and must not be choosable so that they meet in one bucket. (The
    /// finaliser of MurmurHash3.)
    func mixed(_ seed: UInt64) -> UInt64 {
        var bits = self ^ seed
        bits = (bits ^ bits >> 33) &* 0xFF51_AFD7_ED55_8CCD
        bits = (bits ^ bits >> 33) &* 0xC4CE_B9FE_1A85_EC53 &+ seed
        return bits ^ bits >> 33
    }
}

extension Int {
    /// The greatest power of two that is not above it; 0 below 1.
    var roundedDownToPowerOfTwo: Int {
        self < 1 ? 0 : 1 << (Int.bitWidth - 1 - leadingZeroBitCount)
    }
}
