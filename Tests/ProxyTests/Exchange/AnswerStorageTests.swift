import Freshness
import Purging
import Testing

@testable import Cache
@testable import Proxy

@Suite struct AnswerStorageTests {
    private let cache = ResponseCache(memory: MemoryTier(maxBytes: 1 << 20), file: nil)
    private static let song = Array("/v1/catalog/us/songs/1".utf8)

    /// Stores the song while something happens to the cache.
    private func put(isInvalid: Bool = false, _ meanwhile: @escaping () -> Void = {}) -> StoredResponse? {
        let stored = StoredResponse(
            key: CacheKey(of: .none, scope: .shared, target: Self.song), status: 200, fields: [],
            body: Array("{}".utf8),
            receivedAt: 0, born: cache.purges.newest, lifetime: Lifetime(freshFor: 60), classTag: 0,
            storefront: Array("us".utf8), resources: [7])
        let place = { (cache: ResponseCache) in
            meanwhile()
            cache.store(stored)
            return stored
        }
        return AnswerStorage.put(into: cache, at: 0, bornUnder: stored.born, unless: { isInvalid }, place)
    }

    private func purge(_ condition: EntrySelection.Condition, _ mode: PurgeMode = .hard) {
        cache.purges.note(EntrySelection([condition]), mode)
    }

    /// An answer that a HEAD had updated came back although it had been purged meanwhile.
    @Test func onlyAnAnswerStoredDuringItsPurgeIsRemoved() {
        #expect(put { purge(.target(Self.song)) } == nil)
        #expect(cache.memory.count == 0)
        #expect(put { purge(.resource(7)) } == nil)
        #expect(cache.memory.count == 0)
        #expect(put(isInvalid: true) == nil)
        #expect(cache.memory.count == 0)
        #expect(put() != nil)
        #expect(cache.memory.count == 1)
    }

    @Test(arguments: [
        EntrySelection.Condition.target(Array("/v1/catalog/us/songs/2".utf8)), .resource(8), .classTag(3),
        .storefront(Array("gb".utf8)), .prefix(Array("/v1/catalog/us/albums".utf8)),
    ]) func aPurgeOfOthersRemovesNothing(condition: EntrySelection.Condition) {
        #expect(put { purge(condition) } != nil)
        #expect(cache.memory.count == 1)
    }

    /// It took the place of the answer that a soft purge leaves for an origin that fails.
    @Test func aSoftPurgeMeanwhileTakesTheFreshnessAlone() throws {
        #expect(put { purge(.target(Self.song), .soft) } == nil)
        let left = try #require(cache.memory.peek(CacheKey(of: .none, scope: .shared, target: Self.song)))
        #expect(!left.isFresh(at: 0))
    }
}
