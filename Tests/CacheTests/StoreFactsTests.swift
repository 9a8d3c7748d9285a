import TestSupport
import Testing

@testable import Cache

/// What is kept beside the answers outlives the process, and never speaks of what the disk lacks.
@Suite struct StoreFactsTests {
    private let scratch = Scratch()

    private func kept(_ cache: ResponseCache, _ name: String = "a") async -> String? {
        await withCheckedContinuation { continuation in cache.kept(name) { continuation.resume(returning: $0) } }
    }

    @Test func aFactIsKnownAfterARestart() async {
        var (cache, store) = scratch.cache()
        #expect(await kept(cache) == nil)
        cache.keep("1", as: "a")
        cache.keep("other", as: "b")
        cache.keep("2", as: "a")
        store.close()
        (cache, store) = scratch.cache()
        #expect(await kept(cache) == "2")
        #expect(await kept(cache, "b") == "other")
        #expect(await kept(cache, "c") == nil)
    }

    @Test func aFactIsWrittenBehindThePurgeThatItSpeaksOf() async throws {
        let (cache, store) = scratch.cache()
        for number in 0..<300 { cache.store(response("/\(number)")) }
        _ = await withCheckedContinuation { continuation in
            cache.purge(EntrySelection(), .hard, at: noon) { count in
                cache.keep("purged", as: "a")
                continuation.resume(returning: count)
            }
        }
        // A crash at any moment leaves the fact or not, and never the fact beside the answers.
        while try sqlite(scratch.file, "SELECT count(*) FROM fact") == 0 { store.flush() }
        #expect(try sqlite(scratch.file, "SELECT count(*) FROM entry") == 0)
    }

    @Test func withoutAFileNothingIsKept() async throws {
        let cache = ResponseCache(memory: MemoryTier(maxBytes: 1 << 20), store: nil)
        cache.keep("1", as: "a")
        #expect(await kept(cache) == nil)
        let (lost, store) = (scratch.open(file: "/nowhere/at/all.sqlite"), scratch.open())
        lost.keep("1", as: "a")
        #expect(await kept(ResponseCache(memory: MemoryTier(maxBytes: 1 << 20), store: lost)) == nil)
        store.close()
        store.keep("1", as: "a")
        store.flush()
        #expect(try sqlite(scratch.file, "SELECT count(*) FROM fact") == 0)
    }
}
