import Synchronization

// Where resources stand in stored answers: which answers an object could be taken from, without a
// look at any of them. Must hold: it is a hint and no more. What it says has been added once, but
// the answer may have gone since, or be another one. Code that uses a source looks the answer up
// and verifies what stands there. All of it together takes `maxBytes` at most, and no lock is held
// for longer than a few memory accesses, or the doubling of one small table.
//
// Numbers are spread over `NumberTable`s, keys over `AnswerTable`s; a number's slots hold the
// answers' numbers. Both begin small.

/// An index from opaque numbers to places in stored answers. Used from any thread.
public final class ResourceIndex: Sendable {
    /// One place where something stands.
    public struct Source: Sendable {
        /// The answer that held it when it was added; it may be gone by now, or be another one.
        public let key: CacheKey
        /// Which part of the answer: the caller's own numbering, to be checked by who uses it.
        public let place: UInt32
    }

    private final class NumberShard: Sendable {
        let table: Mutex<NumberTable>
        init(maxBytes: Int, seed: UInt64) { table = Mutex(NumberTable(maxBytes: maxBytes, seed: seed)) }
    }

    private final class AnswerShard: Sendable {
        let table: Mutex<AnswerTable>
        init(maxBytes: Int) { table = Mutex(AnswerTable(maxBytes: maxBytes)) }
    }

    private let numbers: [NumberShard]
    private let answers: [AnswerShard]
    private let seed: UInt64

    /// An index that takes at most `maxBytes` of memory; 0 keeps nothing. About half of it is for
    /// keys.
    public convenience init(maxBytes: Int) {
        self.init(maxBytes: maxBytes, seed: .random(in: .min ... .max))
    }

    init(maxBytes: Int, seed: UInt64) {
        self.seed = seed
        var shardCount = 1
        while shardCount < 64, maxBytes / (shardCount * 2) >= 1 << 16 { shardCount *= 2 }
        // As much as the tables can use, which is a power of two.
        let tableBytes = (maxBytes / 2 / shardCount).roundedDownToPowerOfTwo
        numbers = (0..<shardCount).map { _ in NumberShard(maxBytes: tableBytes, seed: seed) }
        let answerShardCount = min(shardCount, 1 << (32 - 1 - AnswerTable.numberBits))
        let answerBytes = (max(maxBytes, 0) - tableBytes * shardCount) / answerShardCount
        answers = (0..<answerShardCount).map { _ in AnswerShard(maxBytes: answerBytes) }
    }

    /// Notes that the answer under `key` holds these, beside what it was said to hold; a number
    /// that is said to stand in it already stands at the new place instead.
    public func add(_ key: CacheKey, _ entries: [(number: UInt64, place: UInt32)]) {
        guard !entries.isEmpty, let answer = number(for: key) else { return }
        for entry in entries {
            shard(entry.number).table.withLock { $0.add(entry.number, answer, entry.place) }
        }
    }

    /// The sources of `number`, the latest added first: four at most.
    public func sources(of number: UInt64) -> [Source] {
        let found = shard(number).table.withLock { $0.find(number) }
        guard found.count > 0 else { return [] }
        var sources: [Source] = []
        sources.reserveCapacity(found.count)
        for index in 0..<found.count {
            if let key = key(of: found.slots[index].answer) {
                sources.append(Source(key: key, place: found.slots[index].place))
            }
        }
        return sources
    }

    /// Whether `number` was added, and has not given way since; its answers may be gone.
    public func holds(_ number: UInt64) -> Bool {
        shard(number).table.withLock { $0.find(number).count > 0 }
    }

    /// Forgets what the answer under `key` holds: what was added for it so far is no source any
    /// more.
    public func remove(_ key: CacheKey) {
        answers[answerShard(key)].table.withLock { $0.remove(key) }
    }

    /// Numbers and places, those of answers that were removed or overwritten included until others
    /// take their room.
    var count: Int { numbers.reduce(0) { $0 + $1.table.withLock { $0.count } } }

    /// Bytes held, overhead included.
    var byteCount: Int {
        numbers.reduce(0) { $0 + $1.table.withLock { $0.byteCount } }
            + answers.reduce(0) { $0 + $1.table.withLock { $0.byteCount } }
    }

    /// The high bits choose the shard, the low ones the bucket in it.
    private func shard(_ number: UInt64) -> NumberShard {
        numbers[Int(truncatingIfNeeded: number.mixed(seed) >> 48) & (numbers.count - 1)]
    }

    private func answerShard(_ key: borrowing CacheKey) -> Int {
        Int(truncatingIfNeeded: key.hash) & (answers.count - 1)
    }

    /// The number of an answer is that within its shard, below the shard's.
    private func number(for key: CacheKey) -> UInt32? {
        let shard = answerShard(key)
        guard let number = answers[shard].table.withLock({ $0.number(for: key) }) else { return nil }
        return UInt32(shard) << AnswerTable.numberBits | number
    }

    private func key(of answer: UInt32) -> CacheKey? {
        let number = answer & (1 << AnswerTable.numberBits - 1)
        return answers[Int(answer >> AnswerTable.numberBits)].table.withLock { $0.key(of: number) }
    }
}
