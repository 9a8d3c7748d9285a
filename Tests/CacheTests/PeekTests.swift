import Testing

@testable import Cache
@testable import Freshness
@testable import Store

/// Looking without a trace.
@Suite struct PeekTests {
    private func response(_ target: String, bytes: Int = 100, receivedAt: Int64 = 0) -> StoredResponse {
        StoredResponse(
            key: CacheKey(scope: .shared, target: Array(target.utf8)), status: 200, fields: [],
            body: [UInt8](repeating: 0x20, count: bytes), receivedAt: receivedAt, lifetime: Lifetime(freshFor: 100),
            classTag: 0, storefront: [])
    }

    /// A cache of `one` and three others, which were used since.
    private func cache(of one: StoredResponse, maxBytes: Int) -> ResponseCache {
        let cache = ResponseCache(memory: MemoryTier(maxBytes: maxBytes, shardCount: 1), store: nil)
        cache.store(one)
        for number in 2...4 { cache.store(response("/\(number)", bytes: 4000)) }
        for number in 2...4 { _ = cache.lookup(response("/\(number)").key, nil, at: 1) }
        return cache
    }

    /// An entry that an operator looked at outlived those that clients used.
    @Test func aLookDoesNotKeepAnEntryFromEviction() {
        let one = response("/1", bytes: 4000)
        let cache = cache(of: one, maxBytes: one.byteCount * 4)
        #expect(cache.peek(one.key, nil, at: 1) === one)
        cache.store(response("/5", bytes: 4000))
        #expect(cache.peek(one.key, nil, at: 1) == nil)
    }

    /// Compressing an answer in the background kept it in memory as a request would.
    @Test func aFormThatIsAttachedIsNoUse() {
        let one = response("/1", bytes: 4000)
        let cache = cache(of: one, maxBytes: one.byteCount * 4 + 2000)
        cache.attach(gzip: [9], to: one)
        #expect(cache.peek(one.key, nil, at: 1)?.gzip != nil)
        cache.store(response("/5", bytes: 4000))
        #expect(cache.peek(one.key, nil, at: 1) == nil)
    }

    @Test func whatNothingCanUseIsNotShownAndStays() {
        let cache = ResponseCache(memory: MemoryTier(maxBytes: 1 << 20), store: nil)
        let old = response("/1")
        cache.store(old)
        #expect(cache.peek(old.key, nil, at: 100) == nil)
        #expect(cache.memory.count == 1)
        #expect(cache.lookup(old.key, nil, at: 100) == nil && cache.memory.count == 0, "a request removes it")
    }

    @Test func aVariantIsFoundWithoutItsFields() throws {
        let cache = ResponseCache(memory: MemoryTier(maxBytes: 1 << 20), store: nil)
        var vary = ResponseFacts.Vary()
        vary.merge(Array("Accept-Language".utf8).span)
        let stored = cache.store(response("/1"), varyingBy: vary, forwarded: [UInt8]().span, nil)
        let signpost = try #require(cache.peek(response("/1").key, nil, at: 1))
        let variant = try #require(cache.variant(at: signpost))
        #expect(variant.names == ["accept-language"] && variant.plain.map { $0[...] } == stored.key.variant)
        #expect(cache.variant(at: stored) == nil)
    }
}
