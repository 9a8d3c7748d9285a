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

    /// A crash leaves the fact or not, and never the fact together with the purged answers.
    @Test func aFactThatWaitsForAPurgeIsWrittenAtItsEnd() throws {
        scratch.fill((0..<300).map { response("/\($0)") })
        let store = scratch.open()
        let all = EntrySelection([.prefix("/")])
        // On the queue in turn: the purge has taken one step when all else is written.
        let (runner, shared) = (store.runner, store.shared)
        runner.queue.suspend()
        store.purge(Purge(selection: all, mode: .hard, now: noon)) { _ in }
        let left = Mutex<[Int64]>([])
        runner.queue.async { @Sendable [scratch] in
            shared.pending.withLock { $0.add(StoreMark(table: .fact, key: Array("a".utf8), value: .text("1"))) }
            runner.drain(isForced: true)
            left.withLock { left in
                left = ["entry", "fact"].map { (try? sqlite(scratch.file, "SELECT count(*) FROM \($0)")) ?? -1 }
            }
        }
        runner.queue.resume()
        runner.queue.sync {}
        let (entries, facts) = left.withLock { ($0[0], $0[1]) }
        #expect((1..<300).contains(entries) && facts == 0)
        waitUntil { shared.owed.isEmpty }
        waitUntil { (try? sqlite(scratch.file, "SELECT count(*) FROM fact")) == 1 }
    }

    @Test func withoutAFileNothingIsKept() async throws {
        let cache = ResponseCache(memory: MemoryTier(maxBytes: 1 << 20), file: nil)
        cache.keep("1", as: "a")
        #expect(await kept(cache) == nil)
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
        store.storeRest(of: Array(target.utf8), until: noon + seconds)
    }

    /// Reads the rests in the order of their targets, `seconds` after noon.
    private func read(_ store: FileTier, after seconds: Int64) async -> [String] {
        let found = Mutex<[String]>([])
        store.visitRests(at: noon + seconds) { target, until in
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
