import Foundation
import TestSupport
import Testing

@testable import Cache
@testable import Store

/// Requests by rank of popularity (Zipf's law), and where `scanEvery` is set, runs over keys that
/// come once and never again.
struct Trace {
    let ranks: [Int]

    /// - Parameter popular: how many ranks there are; those from there on are the scans'.
    init(alpha: Double = 1, popular: Int = 4_000, scanEvery: Int? = nil, count: Int, seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var sums: [Double] = []
        var sum = 0.0
        for rank in 1...popular {
            sum += pow(Double(rank), -alpha)
            sums.append(sum)
        }
        var ranks: [Int] = []
        var scanned = popular
        while ranks.count < count {
            let point = Double.random(in: 0..<sum, using: &generator)
            ranks.append(sums.partitioningIndex { $0 > point })
            if let scanEvery, ranks.count % scanEvery == 0 {
                ranks += scanned..<scanned + 200
                scanned += 200
            }
        }
        self.ranks = ranks
    }
}

extension [Double] {
    /// The first index whose element satisfies what all later ones do too.
    fileprivate func partitioningIndex(_ belongs: (Double) -> Bool) -> Int {
        var (low, high) = (0, count - 1)
        while low < high {
            let middle = (low + high) / 2
            if belongs(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

/// Exact least-recently-used eviction by bytes: what both tiers have to be as good as.
struct LRU {
    private var lastUse: [Int: Int] = [:]
    private var sizes: [Int: Int] = [:]
    /// Every use, the latest of each key being the valid one.
    private var uses: [(key: Int, time: Int)] = []
    private var next = 0
    private var bytes = 0
    let maxBytes: Int

    init(maxBytes: Int) { self.maxBytes = maxBytes }

    mutating func access(_ key: Int, bytes size: Int) -> Bool {
        let isHit = lastUse[key] != nil
        if !isHit {
            bytes += size
            sizes[key] = size
        }
        lastUse[key] = uses.count
        uses.append((key, uses.count))
        while bytes > maxBytes {
            let oldest = uses[next]
            next += 1
            guard lastUse[oldest.key] == oldest.time else { continue }
            lastUse[oldest.key] = nil
            bytes -= sizes.removeValue(forKey: oldest.key) ?? 0
        }
        return isHit
    }
}

@Suite struct HitRatioTests {
    let scratch = Scratch()

    /// The size has nothing to do with the rank: 200 bytes to 6 KB.
    private static func size(_ rank: Int) -> Int {
        var generator = SeededGenerator(seed: UInt64(rank))
        return Int.random(in: 200..<6_000, using: &generator)
    }

    private static func answer(_ rank: Int, at receivedAt: Int64 = noon) -> StoredResponse {
        response("/\(rank)", filler(size(rank)), at: receivedAt)
    }

    @Test(arguments: [0.7, 0.9, 1.1], [nil, 2_000])
    func theMemoryTierHitsAtLeastAsOftenAsLRU(alpha: Double, scanEvery: Int?) {
        for seed in TestSize.of([61], release: [61, 62]) as [UInt64] {
            let count = TestSize.of(12_000, release: 60_000)
            let trace = Trace(alpha: alpha, scanEvery: scanEvery, count: count, seed: seed)
            let answers = (0...(trace.ranks.max() ?? 0)).map { Self.answer($0) }
            let maxBytes = 1 << 20
            let tier = MemoryTier(maxBytes: maxBytes)
            var lru = LRU(maxBytes: maxBytes)
            var (ours, theirs) = (0, 0)
            for rank in trace.ranks {
                if tier.lookup(answers[rank].key) != nil { ours += 1 } else { tier.store(answers[rank]) }
                if lru.access(rank, bytes: answers[rank].byteCount) { theirs += 1 }
            }
            #expect(ours >= theirs, "seed \(seed), alpha \(alpha), scans \(scanEvery != nil)")
        }
    }

    /// A request a second and a memory tier of next to nothing, so that the file's evictions
    /// decide.
    @Test(arguments: [0.7, 1.1])
    func theFileHitsAboutAsOftenAsLRU(alpha: Double) {
        let seed: UInt64 = 71
        let trace = Trace(alpha: alpha, scanEvery: 2_000, count: TestSize.of(6_000, release: 12_000), seed: seed)
        let store = scratch.open(maxBytes: 4 << 20)
        // Or it writes while its directory is removed.
        defer { store.close() }
        let cache = ResponseCache(memory: MemoryTier(maxBytes: 20_000), store: store)
        let reader = store.makeReader()
        var hits: [Bool] = []
        var fullBytes = 0
        for (step, rank) in trace.ranks.enumerated() {
            let now = noon + Int64(step)
            let isHit = cache.lookup(key("/\(rank)"), reader, at: now) != nil
            if !isHit { cache.store(Self.answer(rank, at: now)) }
            hits.append(isHit)
            if step % 10 == 0 { store.flush() }
            fullBytes = max(fullBytes, store.byteCount)
        }
        #expect(store.status.evicted > 1_000)
        var lru = LRU(maxBytes: fullBytes)
        let ours = hits.count { $0 }
        let theirs = trace.ranks.count { rank in lru.access(rank, bytes: Self.size(rank) + 60) }
        // Last uses are known to a minute, and the file is never quite full.
        #expect(Double(ours) >= 0.97 * Double(theirs), "seed \(seed), alpha \(alpha)")
    }
}
