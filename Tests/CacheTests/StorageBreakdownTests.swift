import Synchronization
import TestSupport
import Testing

@testable import Cache

@Suite struct StorageBreakdownTests {
    private func breakdown(_ cache: ResponseCache) throws -> StorageBreakdown {
        let result = Mutex<StorageBreakdown?>(nil)
        cache.breakdown { made in result.withLock { $0 = made } }
        waitUntil { result.withLock { $0 != nil } }
        return try #require(result.withLock { $0 })
    }

    @Test func bothTiersAreToldApartByClassAndStorefront() throws {
        let scratch = Scratch()
        let store = FileTier.open(path: scratch.file, maxBytes: 16 << 20) { _ in }
        let cache = ResponseCache(memory: MemoryTier(maxBytes: 1 << 20), store: store)
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
        #expect(try breakdown(cache) == made)
    }
}
