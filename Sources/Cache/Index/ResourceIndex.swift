import Synchronization

// The places of resources in stored answers: which answers an object could be taken from, which of
// them is the newest, and which have the same content, without a look at any of them. Must hold: a
// source was true when it was added, but the answer may be gone since, or be another one. Code that
// uses a source looks the answer up and verifies the place. The whole index takes `maxBytes` at
// most, and no lock is held for longer than a few memory accesses, or the doubling of one small
// table.
//
// Numbers are spread over `NumberTable`s, keys over `AnswerTable`s; a number's slots hold the
// answers' numbers. Both begin small.

/// An index from opaque numbers to places in stored answers. Used from any thread.
public final class ResourceIndex: Sendable {
    /// A place of a number in an answer.
    public struct Entry {
        public let number: UInt64
        /// Which part of the answer: the caller's own numbering, which it verifies. Its lowest
        /// `detailBits` are a checksum of further content; 0 for none.
        public let place: UInt32
        /// A checksum of the answer's content there.
        let content: UInt32

        /// The low bits of a place that are no part of its numbering.
        public static let detailBits: UInt32 = 14

        public init(_ number: UInt64, place: UInt32, content: UInt32) {
            (self.number, self.place, self.content) = (number, place, content)
        }
    }

    /// A place as the index has it.
    public struct Source: Sendable {
        /// The answer that held it; nil where its key is not known any more.
        public let key: CacheKey?
        public let place: UInt32
        public let content: UInt32
        /// Unix seconds at which the answer was received.
        public let receivedAt: Int64
        /// Whether it is below its number's floor: nothing is made of it.
        public fileprivate(set) var isOutdated = false
    }

    private final class NumberShard: Sendable {
        let table: Mutex<NumberTable>
        let floors: Mutex<FloorTable>
        init(maxBytes: Int, floorBytes: Int, seed: UInt64) {
            table = Mutex(NumberTable(maxBytes: maxBytes, seed: seed))
            floors = Mutex(FloorTable(maxBytes: floorBytes))
        }
    }

    private final class AnswerShard: Sendable {
        let table: Mutex<AnswerTable>
        init(maxBytes: Int) { table = Mutex(AnswerTable(maxBytes: maxBytes)) }
    }

    /// A source that shows another content of an entry's number.
    public struct Difference: Sendable {
        /// The index of the entry.
        public let entry: Int
        public let source: Source
        /// Whether the source came after the answer that was added.
        public let isNewer: Bool
    }

    private let numbers: [NumberShard]
    private let answers: [AnswerShard]
    private let seed: UInt64
    /// Whether any floor was ever raised: before the first one none is looked for.
    private let hasRaised = Atomic<Bool>(false)

    /// An index that takes at most `maxBytes` of memory; 0 keeps nothing. A third to two thirds of
    /// it are for keys.
    public convenience init(maxBytes: Int) {
        self.init(maxBytes: maxBytes, seed: .random(in: .min ... .max))
    }

    init(maxBytes: Int, seed: UInt64) {
        self.seed = seed
        let floorBytes = max(maxBytes, 0) / Self.partOfFloors
        var shardCount = 1
        while shardCount < 64, maxBytes / (shardCount * 2) >= 1 << 16 { shardCount *= 2 }
        let tableBytes = NumberTable.usableBytes(of: maxBytes * 2 / 3 / shardCount)
        numbers = (0..<shardCount).map { _ in
            NumberShard(maxBytes: tableBytes, floorBytes: floorBytes / shardCount, seed: seed)
        }
        let answerShardCount = min(shardCount, 1 << (32 - 1 - AnswerTable.numberBits))
        let answerBytes = max(maxBytes - tableBytes * shardCount - floorBytes, 0) / answerShardCount
        answers = (0..<answerShardCount).map { _ in AnswerShard(maxBytes: answerBytes) }
    }

    /// Adds the places of an answer, replacing its earlier ones.
    /// - Parameters:
    ///   - receivedAt: unix seconds.
    ///   - isFound: whether it was found in the file, which is read the newest first: those of the
    ///     same second that are here are newer then.
    /// - Returns: the sources that have another content for an entry's number, or another detail
    ///   where both have one.
    @discardableResult
    public func add(
        _ key: CacheKey, at receivedAt: Int64, _ entries: [Entry], isFound: Bool = false
    ) -> [Difference] {
        guard !entries.isEmpty, let (answer, former) = number(for: key) else { return [] }
        var differing: [Difference] = []
        for (index, entry) in entries.enumerated() {
            let new = NumberTable.Slot(
                answer: answer, place: entry.place, content: entry.content, receivedAt: UInt32(clamping: receivedAt))
            let before = shard(entry.number).table.withLock {
                $0.add(entry.number, new, insteadOf: former, isOldestOfSecond: isFound)
            }
            for number in 0..<before.count where before.slots[number].differs(from: new) {
                let source = source(before.slots[number])
                let isNewer = isFound ? source.receivedAt >= receivedAt : source.receivedAt > receivedAt
                differing.append(Difference(entry: index, source: source, isNewer: isNewer))
            }
        }
        return differing
    }

    /// The sources of `number`, the newest first: four at most.
    public func sources(of number: UInt64) -> [Source] {
        let found = shard(number).table.withLock { $0.find(number) }
        let floor = floor(of: number)
        return (0..<found.count).map { place in
            var source = source(found.slots[place])
            if let floor { source.isOutdated = floor.outdates(source.receivedAt, source.key?.hash) }
            return source
        }
    }

    // MARK: Floors

    /// Floors take this part of the index.
    private static let partOfFloors = 32

    /// Outdates for a number what was received before a time, unix seconds, or in that very second
    /// by another answer than that of `newest`: an answer of that time showed something else.
    /// Returns whether the floor was lower.
    /// - Parameters:
    ///   - newest: nil where nothing of that second counts.
    ///   - isLatest: whether that answer came after all others of its second.
    @discardableResult
    public func raiseFloor(
        of number: UInt64, to receivedAt: Int64, by newest: CacheKey?, isLatest: Bool = true
    ) -> Bool {
        let floor = FloorTable.Floor(time: receivedAt, newest: newest?.hash)
        let isRaised = shard(number).floors.withLock { $0.raise(number, to: floor, isLatest: isLatest) }
        if isRaised { hasRaised.store(true, ordering: .releasing) }
        return isRaised
    }

    /// Raises the floors to those of another index of the same origin.
    public func raiseFloors(toThoseOf other: ResourceIndex) {
        for other in other.numbers {
            for (number, floor) in other.floors.withLock({ $0.floors }) {
                shard(number).floors.withLock { _ = $0.raise(number, to: floor) }
            }
        }
        if other.hasFloors { hasRaised.store(true, ordering: .releasing) }
    }

    /// Lowers floors that are beyond `now`, unix seconds: the clock was ahead.
    public func capFloors(at now: Int64) {
        for shard in numbers { shard.floors.withLock { $0.cap(at: now) } }
    }

    /// Whether any number has a floor.
    public var hasFloors: Bool { hasRaised.load(ordering: .acquiring) }

    /// Whether an answer that was received then, unix seconds, shows an outdated state of `number`.
    /// - Parameter key: nil where it is not known any more.
    public func isOutdated(_ number: UInt64, at receivedAt: Int64, in key: CacheKey?) -> Bool {
        floor(of: number)?.outdates(receivedAt, key?.hash) ?? false
    }

    private func floor(of number: UInt64) -> FloorTable.Floor? {
        hasFloors ? shard(number).floors.withLock { $0[number] } : nil
    }

    /// The newest source of `number`, if any of its places is known, without the key of its answer.
    public func newest(of number: UInt64) -> (place: UInt32, content: UInt32, receivedAt: Int64)? {
        let found = shard(number).table.withLock { $0.find(number) }
        guard found.count > 0 else { return nil }
        return (found.slots[0].place, found.slots[0].content, Int64(found.slots[0].receivedAt))
    }

    private func source(_ slot: NumberTable.Slot) -> Source {
        Source(
            key: key(of: slot.answer), place: slot.place, content: slot.content, receivedAt: Int64(slot.receivedAt))
    }

    /// Whether `number` was added and not overwritten since; its answers may be gone.
    public func holds(_ number: UInt64) -> Bool {
        shard(number).table.withLock { $0.find(number).count > 0 }
    }

    /// Numbers and places, those of answers whose keys were overwritten included until others take
    /// their room.
    var count: Int { numbers.reduce(0) { $0 + $1.table.withLock { $0.count } } }

    /// Bytes held, overhead included.
    var byteCount: Int {
        numbers.reduce(0) {
            $0 + $1.table.withLock { $0.byteCount } + $1.floors.withLock { $0.count * FloorTable.bytesPerFloor }
        }
            + answers.reduce(0) { $0 + $1.table.withLock { $0.byteCount } }
    }

    /// The high bits choose the shard, the low ones the bucket in it.
    private func shard(_ number: UInt64) -> NumberShard {
        numbers[Int(truncatingIfNeeded: number.mixed(seed) >> 48) & (numbers.count - 1)]
    }

    /// The number of an answer is that within its shard, below the shard's; with the one that it
    /// had before.
    private func number(for key: CacheKey) -> (answer: UInt32, former: UInt32)? {
        let shard = Int(truncatingIfNeeded: key.hash) & (answers.count - 1)
        guard let (number, former) = answers[shard].table.withLock({ $0.number(for: key) }) else { return nil }
        let high = UInt32(shard) << AnswerTable.numberBits
        return (high | number, high | former)
    }

    private func key(of answer: UInt32) -> CacheKey? {
        let number = answer & (1 << AnswerTable.numberBits - 1)
        return answers[Int(answer >> AnswerTable.numberBits)].table.withLock { $0.key(of: number) }
    }
}

extension NumberTable.Slot {
    /// Whether it is of another answer and has another content.
    fileprivate func differs(from new: NumberTable.Slot) -> Bool {
        guard answer != new.answer else { return false }
        let mask: UInt32 = 1 << ResourceIndex.Entry.detailBits - 1
        let (own, other) = (place & mask, new.place & mask)
        return content != new.content || own != other && own != 0 && other != 0
    }
}
