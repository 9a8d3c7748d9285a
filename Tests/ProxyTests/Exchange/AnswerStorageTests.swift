import Cache
import Purging
import Store
import Testing

@testable import Proxy

@Suite struct AnswerStorageTests {
    private let cache = ResponseCache(memory: MemoryTier(maxBytes: 1 << 20), file: nil)

    /// Stores while something happens to the cache, and looks again as an answer's storage does.
    private func put(_ meanwhile: () -> Void = {}) -> StoredResponse? {
        let epoch = cache.purgeEpoch
        let isOutdated = { cache.purgeEpoch != epoch }
        return AnswerStorage.put(into: cache, unless: isOutdated) { cache in
            meanwhile()
            let stored = ExchangeScript.stored()
            cache.store(stored)
            return stored
        }
    }

    /// An answer that a HEAD had updated came back although it had been purged meanwhile.
    @Test func onlyAnAnswerStoredDuringAPurgeIsRemoved() {
        #expect(put { cache.purge(EntrySelection(), .hard, at: 0) { _ in } } == nil)
        #expect(cache.memory.count == 0)
        #expect(put() != nil)
        #expect(cache.memory.count == 1)
    }
}
