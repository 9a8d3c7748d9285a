import Dispatch
import Purging
import Synchronization
import TestSupport
import Testing

@testable import Cache
@testable import Store

/// Facts and rests in the cache file outlive the process.
@Suite struct StoreMarksTests {
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

    /// A crash leaves the fact or not, and never the fact without the purges that it speaks of.
    @Test func aFactIsNotInTheFileBeforeThePurgesBeforeIt() throws {
        let store = scratch.open()
        store.flush()
        let other = try Database(path: scratch.file, mode: .readWrite, busyTimeout: .seconds(5))
        try other.execute("CREATE TRIGGER full BEFORE INSERT ON purge BEGIN SELECT RAISE(ABORT, 'full'); END")
        store.purges.note(EntrySelection([.target("/a")]), .hard)
        store.records.add(StoreMark(table: .fact, key: Array("a".utf8), value: .text("1")))
        store.flush()
        #expect(store.health != .available)
        #expect(try sqlite(scratch.file, "SELECT count(*) FROM fact") == 0)
        try other.execute("DROP TRIGGER full")
        store.flush()
        #expect(try sqlite(scratch.file, "SELECT count(*) FROM fact") == 1)
        #expect(try sqlite(scratch.file, "SELECT count(*) FROM purge WHERE mode = 'hard'") == 1)
    }

    @Test func withoutAFileNothingIsKept() async throws {
        let cache = ResponseCache(memory: MemoryTier(maxBytes: 1 << 20), file: nil)
        cache.keep("1", as: "a")
        #expect(await kept(cache) == nil)
        let visited = await withCheckedContinuation { continuation in
            cache.visitStored({ _ in true }, { continuation.resume(returning: $0) })
        }
        #expect(visited == 0)
        let (lost, store) = (scratch.open(file: "/nowhere/at/all.sqlite"), scratch.open())
        let caches = [lost, store].map { ResponseCache(memory: MemoryTier(maxBytes: 1 << 20), file: $0) }
        caches[0].keep("1", as: "a")
        #expect(await kept(caches[0]) == nil)
        store.close()
        caches[1].keep("1", as: "a")
        store.flush()
        #expect(try sqlite(scratch.file, "SELECT count(*) FROM fact") == 0)
    }

    private func note(_ store: FileTier, _ target: String, _ seconds: Int64) {
        store.storeRest(of: Array(target.utf8), from: .none, until: noon + seconds)
    }

    /// Reads the rests in the order of their targets, `seconds` after noon.
    private func read(_ store: FileTier, after seconds: Int64) async -> [String] {
        let found = Mutex<[String]>([])
        store.visitRests(of: .none, at: noon + seconds) { target, until in
            found.withLock { $0.append("\(String(decoding: target, as: UTF8.self)) \(until - noon)") }
        }
        await withCheckedContinuation { continuation in store.visit({ _ in true }, { _ in continuation.resume() }) }
        return found.withLock { $0 }.sorted()
    }

    @Test func restsSurviveARestartAndLeaveTheFileWhenTheyEnd() async throws {
        let clock = TestClock()
        let store = scratch.open(now: { noon })
        note(store, "/a", 100)
        note(store, "/b", 50)
        note(store, "/a", 70)
        store.close()
        let later = scratch.open(now: { clock.now })
        #expect(await read(later, after: 49) == ["/a 70", "/b 50"])
        #expect(await read(later, after: 50) == ["/a 70"])
        #expect(await read(later, after: 70).isEmpty)
        clock.now = noon + 70
        note(later, "/c", 500)
        later.flush()
        #expect(try sqlite(scratch.file, "SELECT count(*) FROM rest") == 1)
    }
}
