// One shard of the index: numbers, and where each stands. Buckets of eight slots, chosen by the
// number; the latest slot of a bucket comes first.
// Must hold: a number and an answer stand in one slot at most, and a number in `maxSources` at
// most; a bucket has no gaps, and what is at its end has gone longest without being added; nothing
// is looked at but one bucket, of two cache lines.

struct NumberTable {
    /// 16 bytes.
    struct Slot {
        let number: UInt64
        /// As `AnswerTable` numbers it.
        let answer: UInt32
        let place: UInt32

        var isEmpty: Bool { answer == AnswerTable.none }
        static let empty = Slot(number: 0, answer: AnswerTable.none, place: 0)
    }

    /// The slots of one number, the latest first.
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

    var byteCount: Int { slots.count * MemoryLayout<Slot>.stride }

    /// Notes that `number` stands at `place` of `answer`, in place of where it stood there. The
    /// oldest of four slots of a number gives way, and so does the oldest of a bucket that is full
    /// where the table cannot grow.
    mutating func add(_ number: UInt64, _ answer: UInt32, _ place: UInt32) {
        guard maxBuckets > 0 else { return }
        if slots.isEmpty { slots = Array(repeating: .empty, count: Self.bucketSlots) }
        var end = vacancy(number, answer)
        while end == nil, slots.count < maxBuckets * Self.bucketSlots {
            grow()
            end = vacancy(number, answer)
        }
        let start = bucket(number)
        let last = end ?? start + Self.bucketSlots - 1
        if slots[last].isEmpty { count += 1 }
        var index = last
        while index > start {
            slots[index] = slots[index - 1]
            index -= 1
        }
        slots[start] = Slot(number: number, answer: answer, place: place)
    }

    /// Where `number` stands.
    func find(_ number: UInt64) -> Found {
        var found = Found()
        guard !slots.isEmpty else { return found }
        let start = bucket(number)
        for index in start..<start + Self.bucketSlots {
            if slots[index].isEmpty { break }
            if slots[index].number == number { found.append(slots[index]) }
        }
        return found
    }

    /// The slot of its bucket that may be lost for the number: that of the same answer, the fourth
    /// of the number, or an empty one; nil where the bucket is full of others.
    private func vacancy(_ number: UInt64, _ answer: UInt32) -> Int? {
        let start = bucket(number)
        var seen = 0
        for index in start..<start + Self.bucketSlots {
            if slots[index].isEmpty { return index }
            guard slots[index].number == number else { continue }
            seen += 1
            if slots[index].answer == answer || seen == Self.maxSources { return index }
        }
        return nil
    }

    /// The first slot of the bucket of `number`.
    private func bucket(_ number: UInt64) -> Int {
        let buckets = slots.count / Self.bucketSlots
        return Int(truncatingIfNeeded: number.mixed(seed)) & (buckets - 1) * Self.bucketSlots
    }

    /// Doubles the buckets. What is in each goes to one of two, in the same order.
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
    /// from what the origin says, and it must not be possible to choose them so that they meet in
    /// one bucket. (The finaliser of MurmurHash3.)
    func mixed(_ seed: UInt64) -> UInt64 {
        var bits = self ^ seed
        bits = (bits ^ bits >> 33) &* 0xFF51_AFD7_ED55_8CCD
        bits = (bits ^ bits >> 33) &* 0xC4CE_B9FE_1A85_EC53 &+ seed
        return bits ^ bits >> 33
    }
}

extension Int {
    /// The greatest power of two that is not above it; 0 for what is below 1.
    var roundedDownToPowerOfTwo: Int {
        self < 1 ? 0 : 1 << (Int.bitWidth - 1 - leadingZeroBitCount)
    }
}
