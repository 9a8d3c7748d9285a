import TestSupport
import Testing

@testable import Cache
@testable import Store

/// A purge by storefront takes that one, and neither those before nor those behind it in the
/// alphabet, nor what has none.
@Suite struct StorefrontPurgeTests {
    private static let storefronts = ["", "de", "gb", "us"]

    /// A cache whose answers are in memory, in the file, or in both.
    private func cache(_ scratch: Scratch, inMemory: Bool, inFile: Bool) -> ResponseCache {
        let store = inFile ? scratch.open() : nil
        let cache = ResponseCache(memory: MemoryTier(maxBytes: 1 << 20), store: store)
        for storefront in Self.storefronts {
            for number in 0..<2 { cache.store(response("/\(storefront)/\(number)", storefront: storefront)) }
        }
        cache.flush()
        guard !inMemory else { return cache }
        for storefront in Self.storefronts {
            for number in 0..<2 { cache.memory.remove(key("/\(storefront)/\(number)")) }
        }
        return cache
    }

    private func left(_ cache: ResponseCache) -> [String] {
        let reader = cache.store?.makeReader()
        return Self.storefronts.filter { storefront in
            (0..<2).contains { cache.lookup(key("/\(storefront)/\($0)"), reader, at: noon)?.isFresh(at: noon) == true }
        }
    }

    @Test(arguments: ["de", "gb", "us"], [(true, false), (false, true), (true, true)])
    func oneStorefrontGoesAndEveryOtherStays(storefront: String, tiers: (memory: Bool, file: Bool)) async {
        for mode in [PurgeMode.hard, .soft] {
            let scratch = Scratch()
            let cache = cache(scratch, inMemory: tiers.memory, inFile: tiers.file)
            #expect(await cache.purge(.dryRun, .storefront(Array(storefront.utf8))) == 2)
            #expect(left(cache) == Self.storefronts)
            #expect(await cache.purge(mode, .storefront(Array(storefront.utf8))) == 2)
            #expect(left(cache) == Self.storefronts.filter { $0 != storefront })
        }
    }

    @Test func aStorefrontThatNothingIsOfTakesNothing() async {
        let scratch = Scratch()
        let cache = cache(scratch, inMemory: true, inFile: true)
        for storefront in ["aa", "fr", "zz", "u", "uss"] {
            #expect(await cache.purge(.hard, .storefront(Array(storefront.utf8))) == 0, "\(storefront)")
        }
        #expect(left(cache) == Self.storefronts)
    }

    @Test(arguments: ["de", "gb", "us"]) func aListingByStorefrontShowsThatOne(storefront: String) async throws {
        let scratch = Scratch()
        let cache = cache(scratch, inMemory: true, inFile: true)
        let listed = try await #require(cache.store).listed(EntrySelection([.storefront(Array(storefront.utf8))]))
        #expect(Set(listed.map(\.path)) == ["/\(storefront)/0", "/\(storefront)/1"])
    }
}
