import Purging
import Synchronization
import TestSupport
import Testing

@testable import Cache
@testable import Freshness
@testable import Store

@Suite(.timeLimit(.minutes(10))) struct ResponseCacheTests {
    let scratch = Scratch()

    @Test func aHitOnDiskIsAUseAndPromotedToMemory() throws {
        let stored = response("/a", "body")
        scratch.fill([stored])
        let (cache, _, reader) = scratch.cacheWithReader()
        let found = cache.lookup(key("/a"), reader, at: noon + 100)
        #expect(content(found) == content(stored))
        #expect(cache.lookup(key("/a"), nil, at: noon) === found)
        cache.flush()
        #expect(try sqlite(scratch.file, "SELECT last_used FROM entry") == noon + 100)
    }

    @Test func closingWritesWhatIsQueuedAndLeavesMemoryAnswering() throws {
        let (cache, store, reader) = scratch.cacheWithReader()
        for number in 0..<20 { cache.store(response("/\(number)")) }
        cache.close()
        #expect(store.health == .closed)
        #expect(try sqlite(scratch.file, "SELECT count(*) FROM entry") == 20)
        cache.store(response("/later"))
        #expect(store.shared.pending.withLock { $0.isEmpty && $0.byteCount == 0 }, "nothing waits for another try")
        #expect(cache.lookup(key("/later"), reader, at: noon) != nil)
        #expect(cache.lookup(key("/nowhere"), reader, at: noon) == nil)
    }

    @Test func anExpiredAnswerGoesAndAUseIsWrittenOnceAMinute() throws {
        let (cache, store, reader) = scratch.cacheWithReader()
        cache.write(response("/a", lifetime: Lifetime(freshFor: 10, staleFor: 5)))
        #expect(cache.lookup(key("/a"), reader, at: noon + 14) != nil)
        #expect(cache.lookup(key("/a"), reader, at: noon + 15) == nil)
        cache.flush()
        #expect(cache.memory.count == 0 && store.entries == 0)
        cache.store(response("/a"))
        for second in 0..<200 { _ = cache.lookup(key("/a"), nil, at: noon + Int64(second)) }
        cache.flush()
        #expect(try sqlite(scratch.file, "SELECT last_used FROM entry") == noon + 180)
    }

    @Test func removedAnswersNeverComeBack() {
        // Memory is too small for anything: every look-up goes to the queue or the disk.
        let store = scratch.open()
        let cache = ResponseCache(memory: MemoryTier(maxBytes: 20_000, shardCount: 1), file: store)
        let removedUpTo = Mutex([Int](repeating: -1, count: 8))
        concurrently(4) { thread in
            let reader = store.makeReader()
            var generator = SeededGenerator(seed: UInt64(thread))
            for round in 0..<1_000 {
                let number = Int.random(in: 0..<8, using: &generator)
                if thread == 0 {
                    cache.store(response("/\(number)", "\(round)", at: noon + Int64(round)))
                    if round % 3 == 0 {
                        cache.remove(key("/\(number)"))
                        removedUpTo.withLock { $0[number] = round }
                    }
                } else {
                    let removed = removedUpTo.withLock { $0[number] }
                    guard let found = cache.lookup(key("/\(number)"), reader, at: noon) else { continue }
                    let version = Int(String(decoding: found.body, as: UTF8.self)) ?? -1
                    #expect(version > removed, "thread \(thread), round \(round)")
                }
            }
        }
    }

    @Test func scopesThatEndTogetherAreFreedTogether() {
        let cache = ResponseCache(memory: MemoryTier(maxBytes: 1 << 20), file: nil)
        for number in 0..<100 as Range<UInt64> { cache.store(response("/a", scope: someone(number))) }
        for number in 1..<100 as Range<UInt64> { cache.free(someone(number)) }
        func left() -> Int {
            (0..<100 as Range<UInt64>).count { cache.memory.lookup(key("/a", "", someone($0))) != nil }
        }
        waitUntil { left() == 1 }
        #expect(left() == 1)
    }

    private func breakdown(_ cache: ResponseCache) throws -> StorageBreakdown {
        let result = Mutex<StorageBreakdown?>(nil)
        cache.breakdown { made in result.withLock { $0 = made } }
        waitUntil { result.withLock { $0 != nil } }
        return try #require(result.withLock { $0 })
    }

    @Test func bothTiersAreToldApartByClassAndStorefront() throws {
        let store = FileTier.open(path: scratch.file, maxBytes: 16 << 20) { _ in }
        let cache = ResponseCache(memory: MemoryTier(maxBytes: 1 << 20), file: store)
        for number in 0..<3 { cache.store(response("/v1/\(number)", storefront: "us", classTag: 2)) }
        cache.store(response("/v1/3", storefront: "gb", classTag: 2))
        cache.write(response("/v1/4", String(repeating: " ", count: 10_000), storefront: ""))
        let made = try breakdown(cache)
        #expect(made.file.map { "\($0.classTag)\($0.storefront) \($0.entries)" } == ["1 1", "2gb 1", "2us 3"])
        #expect(made.memory.map { "\($0.classTag)\($0.storefront) \($0.entries)" } == ["1 1", "2gb 1", "2us 3"])
        #expect(made.file.reduce(0) { $0 + $1.bytes } == store.byteCount)
        #expect(made.memory.reduce(0) { $0 + $1.bytes } <= cache.memory.byteCount)
        // While it is recent it is handed out again.
        cache.store(response("/v1/5", storefront: ""))
        #expect(try breakdown(cache) == made && !made.isFileUnreadable)
        store.close()
        let unreadable = try breakdown(ResponseCache(memory: MemoryTier(maxBytes: 1 << 20), file: store))
        #expect(unreadable.isFileUnreadable && unreadable.file.isEmpty)
    }

    /// A user's variant index counted as another answer of that user.
    @Test func aVariantIndexIsNoPersonalAnswer() async {
        let cache = ResponseCache(memory: MemoryTier(maxBytes: 1 << 20), file: nil)
        cache.store(response("/a", scope: someone(1), selecting: "0123456789abcdef foo"))
        cache.store(response("/a", variant: "0123456789abcdef", scope: someone(1)))
        let listing = await withCheckedContinuation { continuation in
            cache.list(EntrySelection(), limit: 9) { continuation.resume(returning: $0) }
        }
        #expect(listing.personal == 1 && listing.entries.isEmpty)
    }

    /// An entry outlived others once an operator had looked at it, or it had been compressed.
    @Test(arguments: [false, true]) func aLookAndAFormThatIsAttachedAreNoUse(isAttached: Bool) {
        let one = response("/1", filler(4_000))
        let cache = ResponseCache(
            memory: MemoryTier(maxBytes: one.byteCount * 4 + 2_000, shardCount: 1), file: nil)
        cache.store(one)
        for number in 2...4 { cache.store(response("/\(number)", filler(4_000))) }
        for number in 2...4 { _ = cache.lookup(response("/\(number)").key, nil, at: noon + 1) }
        if isAttached { cache.attach(gzip: [9], to: one) }
        let found = cache.peek(one.key, nil, at: noon + 1)
        #expect(found != nil && (found?.gzip != nil) == isAttached)
        cache.store(response("/5", filler(4_000)))
        #expect(cache.peek(one.key, nil, at: noon + 1) == nil)
    }

    @Test func whatNothingCanUseIsNotShownAndAVariantIs() throws {
        let cache = ResponseCache(memory: MemoryTier(maxBytes: 1 << 20), file: nil)
        let old = response("/1", lifetime: Lifetime(freshFor: 100))
        cache.store(old)
        #expect(cache.peek(old.key, nil, at: noon + 100) == nil)
        #expect(cache.memory.count == 1)
        #expect(cache.lookup(old.key, nil, at: noon + 100) == nil && cache.memory.count == 0, "a request removes it")
        var vary = ResponseFacts.Vary()
        vary.merge(Array("Accept-Language".utf8).span)
        let stored = cache.store(response("/1"), varyingBy: vary, forwarded: [UInt8]().span, nil)
        let variantIndex = try #require(cache.peek(response("/1").key, nil, at: noon + 1))
        let variant = try #require(cache.variant(at: variantIndex))
        #expect(variant.names == ["accept-language"] && variant.plain.map { $0[...] } == stored.key.variant)
        #expect(cache.variant(at: stored) == nil)
    }
}
