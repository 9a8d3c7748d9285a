import Purging
import TestSupport
import Testing

@testable import Cache
@testable import Store

/// SIEVE as the paper words it, on plain arrays.
private struct SieveModel {
    var queue: [(key: Int, isVisited: Bool)] = []  // oldest first
    var hand = 0
    let capacity: Int

    mutating func access(_ key: Int) -> Bool {
        if let index = queue.firstIndex(where: { $0.key == key }) {
            queue[index].isVisited = true
            return true
        }
        if queue.count == capacity {
            while true {
                if hand >= queue.count { hand = 0 }
                if !queue[hand].isVisited { break }
                queue[hand].isVisited = false
                hand += 1
            }
            queue.remove(at: hand)
            // Beyond the newest the hand begins again at the oldest, not at the next entry that is
            // added.
            if hand == queue.count { hand = 0 }
        }
        queue.append((key, false))
        return false
    }
}

/// The ranks of popularity that requests ask for, by Zipf's law.
private func requests(popular: Int, count: Int, seed: UInt64) -> [Int] {
    var generator = SeededGenerator(seed: seed)
    var sums: [Double] = []
    for rank in 1...popular { sums.append((sums.last ?? 0) + 1 / Double(rank)) }
    return (0..<count).map { _ in
        let point = Double.random(in: 0..<(sums.last ?? 1), using: &generator)
        return sums.firstIndex { $0 > point } ?? 0
    }
}

extension MemoryTier {
    /// Purges everything; how many there were.
    fileprivate func purge(_ mode: PurgeMode, in purges: Purges) -> Int {
        let all = EntrySelection()
        var sweep = Sweep(purges, waiting: [Sweep.Waiting(id: 0, number: purges.note(all, mode), all, mode)])
        self.sweep(&sweep, at: noon) { _ in }
        purges.noteSwept(by: sweep)
        return sweep.waiting[0].totals[0].count
    }
}

@Suite(.timeLimit(.minutes(10))) struct MemoryTierTests {
    @Test(arguments: TestSize.of([11], release: [11, 12, 13]) as [UInt64])
    func evictsAsTheModelDoes(seed: UInt64) throws {
        let capacity = 50
        // All of one size, so that bytes are a count.
        let entries = (1_000..<1_400).map { response("/\($0)") }
        let tier = MemoryTier(maxBytes: capacity * entries[0].byteCount + 1, shardCount: 1)
        var model = SieveModel(capacity: capacity)
        for (step, rank) in requests(popular: 400, count: 20_000, seed: seed).enumerated() {
            let isHit = tier.lookup(entries[rank].key) === entries[rank]
            if !isHit { tier.store(entries[rank]) }
            let expected = model.access(rank)
            try #require(isHit == expected, "seed \(seed), step \(step)")
        }
        #expect(tier.count == capacity)
    }

    @Test(arguments: [21, 22] as [UInt64])
    func randomOperationsMatchADictionaryAsLongAsNothingIsEvicted(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let tier = MemoryTier(maxBytes: 64 << 20)
        var model: [Int: StoredResponse] = [:]
        for step in 0..<20_000 {
            let number = Int.random(in: 0..<700, using: &generator)
            switch Int.random(in: 0..<4, using: &generator) {
            case 0:
                let fresh = response("/\(number)", "body \(step)")
                tier.store(fresh)
                model[number] = fresh
            case 1:
                tier.remove(key("/\(number)"))
                model[number] = nil
            default:
                try #require(tier.lookup(key("/\(number)")) === model[number], "seed \(seed), step \(step)")
            }
        }
        #expect(tier.count == model.count)
        #expect(tier.byteCount == model.values.reduce(0) { $0 + $1.byteCount })
        #expect(tier.purge(.hard, in: Purges()) == model.count)
        #expect(tier.count == 0 && tier.byteCount == 0)
    }

    @Test(arguments: [31, 32] as [UInt64])
    func bytesStayWithinTheBoundWhateverTheSizes(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let tier = MemoryTier(maxBytes: 100_000, shardCount: 2)
        for step in 0..<5_000 {
            let size = Int.random(in: 0..<60_000, using: &generator)
            let number = Int.random(in: 0..<100, using: &generator)
            let fresh = response("/\(number)", filler(size))
            tier.store(fresh)
            let isKept = fresh.byteCount <= 50_000
            #expect(
                (tier.lookup(fresh.key) === fresh) == isKept || tier.lookup(fresh.key) == nil,
                "seed \(seed), step \(step)")
            if tier.byteCount > 100_000 { Issue.record("seed \(seed), step \(step): \(tier.byteCount) bytes") }
        }
    }

    @Test func aNewerAnswerIsKept() {
        let tier = MemoryTier(maxBytes: 1 << 20)
        let (newer, older) = (response("/a", "new"), response("/a", "old"))
        tier.store(newer)
        tier.storeIfAbsent(older)
        #expect(tier.lookup(key("/a")) === newer)
        tier.remove(older)
        #expect(tier.lookup(key("/a")) === newer)
        let small = MemoryTier(maxBytes: 10_000, shardCount: 1)
        small.store(response("/a"))
        small.store(response("/a", filler(20_000)))
        #expect(small.lookup(key("/a")) == nil && small.byteCount == 0)
        let single = MemoryTier(maxBytes: 1 << 20, shardCount: 1)
        let (first, second) = (response("/a", "old"), response("/a", "new"))
        single.store(first)
        single.forEachResponse { found in
            single.store(second)
            #expect(found === first)
            single.soften(found, at: noon, judged: 1)
        }
        #expect(single.lookup(key("/a")) === second)
    }

    @Test func threadsMayDoEverythingAtOnce() {
        let tier = MemoryTier(maxBytes: 200_000, shardCount: 4)
        concurrently(8) { thread in
            var generator = SeededGenerator(seed: UInt64(thread))
            for _ in 0..<5_000 {
                let number = Int.random(in: 0..<600, using: &generator)
                switch Int.random(in: 0..<20, using: &generator) {
                case 0: tier.remove(key("/\(number)"))
                case 1..<8: tier.store(response("/\(number)", "body \(number)"))
                default:
                    guard let found = tier.lookup(key("/\(number)")) else { continue }
                    #expect(found.body == Array("body \(number)".utf8))
                }
                if tier.byteCount > 200_000 { Issue.record("\(tier.byteCount) bytes") }
            }
        }
    }

    /// It lets go of the processor in between.
    @Test func aPurgeMeetsEveryEntryInPieces() {
        let tier = MemoryTier(maxBytes: 64 << 20, shardCount: 1)
        for number in 0..<3_000 { tier.store(response("/\(number)")) }
        var (sinceRest, most, rests) = (0, 0, 0)
        func rest() {
            rests += 1
            sinceRest = 0
        }
        tier.forEachResponse(betweenPieces: rest) { _ in
            sinceRest += 1
            most = max(most, sinceRest)
        }
        #expect(most <= MemoryTier.pieceCount && rests == (3_000 + MemoryTier.pieceCount - 1) / MemoryTier.pieceCount)
        for number in 0..<3_000 where number % 3 == 0 { tier.remove(key("/\(number)")) }
        let purges = Purges()
        #expect(tier.purge(.soft, in: purges) == 2_000)
        #expect((0..<3_000).allSatisfy { tier.lookup(key("/\($0)"))?.freshFor ?? 0 == 0 })
        #expect(tier.purge(.hard, in: purges) == 2_000)
        #expect(tier.count == 0 && tier.byteCount == 0)
    }
}
