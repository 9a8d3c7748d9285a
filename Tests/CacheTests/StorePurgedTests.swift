import TestSupport
import Testing

@testable import Cache

/// What was purged is not built of older parts, whatever restarts there are.
@Suite struct StorePurgedTests {
    private let scratch = Scratch()

    private func purge(_ cache: ResponseCache, _ conditions: EntrySelection.Condition..., at now: Int64) async {
        _ = await withCheckedContinuation { continuation in
            cache.purge(EntrySelection(conditions), .hard, at: now) { continuation.resume(returning: $0) }
        }
    }

    private func last(_ cache: ResponseCache, _ target: String) -> Int64 {
        cache.lastPurge(of: Array(target.utf8), storefront: [], classTag: 1)
    }

    /// The list that was fetched before stood in for the album that was purged.
    @Test func aPurgedTargetWasForgottenByARestart() async {
        var (cache, store) = scratch.cache()
        await purge(cache, .target(Array("/a".utf8)), at: 20)
        await purge(cache, .target(Array("/a".utf8)), at: 10)
        await purge(cache, .target(Array("/b".utf8)), at: 30)
        store.close()
        (cache, store) = scratch.cache()
        #expect(last(cache, "/a") == 20 && last(cache, "/b") == 30 && last(cache, "/c") == .min)
    }

    @Test func aPurgeOfSeveralTargetsCountsForAllOfThemAfterARestart() async throws {
        var (cache, store) = scratch.cache()
        await purge(cache, .target(Array("/a".utf8)), at: 10)
        await purge(cache, .target(Array("/b".utf8)), at: 30)
        await purge(cache, .prefix(Array("/c".utf8)), at: 20)
        await purge(cache, .resource(7), at: 40)
        await purge(cache, at: 50)
        store.flush()
        #expect(try sqlite(scratch.file, "SELECT count(*) FROM purged") == 2)
        store.close()
        (cache, store) = scratch.cache()
        #expect(last(cache, "/a") == 20 && last(cache, "/b") == 30 && last(cache, "/d") == 20)
    }

    @Test func whatIsForgottenIsWrittenDownAndItsTargetsGo() async throws {
        let (cache, store) = scratch.cache()
        await purge(cache, .target(Array("/a".utf8)), at: 5)
        for number in 0..<20_000 {
            store.purgedTargets.note(PurgedTargets.Mark(target: Array("/\(number)".utf8), at: Int64(number + 10)))
        }
        let until = store.purgedTargets.forgottenUntil
        #expect(until > 5)
        await purge(cache, .target(Array("/b".utf8)), at: 40_000)
        store.flush()
        #expect(try sqlite(scratch.file, "SELECT count(*) FROM purged") == 2)
        #expect(try sqlite(scratch.file, "SELECT at FROM purged WHERE target = ''") == until)
    }

    /// A file of the version before does not say what was purged; nothing else of it is lost.
    @Test func aFileOfTheVersionBeforeIsTakenOver() async throws {
        let entry = response("/a")
        var (cache, store) = scratch.cache()
        cache.store(entry)
        store.close()
        _ = try? sqlite(scratch.file, "DROP TABLE purged")
        _ = try? sqlite(scratch.file, "PRAGMA user_version = \(Schema.version - 1)")
        let lines = Lines()
        store = scratch.open(lines)
        cache = ResponseCache(memory: MemoryTier(maxBytes: 1 << 20), store: store)
        #expect(scratch.setAside.isEmpty && lines.all.isEmpty, "\(lines.all)")
        #expect(content(cache.lookup(entry.key, store.makeReader(), at: noon)) == content(entry))
        await purge(cache, .target(Array("/b".utf8)), at: 20)
        store.flush()
        #expect(try sqlite(scratch.file, "SELECT at FROM purged WHERE target = '/b'") == 20)
        #expect(try sqlite(scratch.file, "PRAGMA user_version") == Schema.version)
    }
}
