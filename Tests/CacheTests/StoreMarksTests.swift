import Dispatch
import Purging
import Synchronization
import TestSupport
import Testing

@testable import Cache
@testable import Store

/// Facts, rests and purges in the cache file outlive the process.
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

    private func purge(_ cache: ResponseCache, _ conditions: EntrySelection.Condition..., at now: Int64) async {
        _ = await cache.purge(.hard, at: now, EntrySelection(conditions))
    }

    /// After a restart each purge counted for every target, whatever it had chosen.
    @Test func purgesSurviveARestartAndCountForTheirTargetsAlone() async throws {
        var (cache, store) = scratch.cache()
        await purge(cache, .target("/a"), at: 10)
        await purge(cache, .target("/a"), at: 5)
        await purge(cache, .target("/b"), at: 30)
        await purge(cache, .prefix("/c"), .storefront([]), .classTag(1), at: 20)
        await purge(cache, .pattern(try #require(PathPattern(Array("/e*".utf8)))), .target("/e/1"), at: 25)
        await purge(cache, .resource(7), at: 40)
        await purge(cache, .resource(7), .prefix("/f"), at: 45)
        #expect(try sqlite(scratch.file, "SELECT count(*) FROM purged") == 5)
        store.close()
        (cache, store) = scratch.cache()
        #expect(cache.last("/a") == 10 && cache.last("/b") == 30 && cache.last("/d") == .min)
        #expect(cache.last("/c/1") == 20 && cache.last("/e/1") == 25 && cache.last("/e/2") == .min)
        #expect(cache.last("/f/1") == 45)
        store.close()
        // A word that this version does not know may mean any target.
        #expect(try sqlite(scratch.file, "INSERT INTO purged VALUES ('colour blue', 20) RETURNING at") == 20)
        (cache, store) = scratch.cache()
        #expect(cache.last("/a") == 20 && cache.last("/b") == 30)
    }

    /// Purges of other nodes were dated anew at each start: no older answer was good for composing.
    @Test func aPurgeBeforeOneOfEverythingWasOfTheRestart() async {
        var (cache, store) = scratch.cache()
        let conditions: [EntrySelection.Condition] = [.target("/a"), .prefix("/c"), .target("/e")]
        let selections = conditions.map { EntrySelection([$0]) }
        await purge(cache, .target("/a"), at: 10)
        for (selection, time) in zip(selections.dropFirst(), [20, 30] as [Int64]) {
            _ = cache.remember(purgeOf: selection, at: time)
        }
        await purge(cache, at: 50)
        store.close()
        (cache, store) = scratch.cache()
        #expect(selections.map { cache.remember(purgeOf: $0, at: 90) } == [10, 20, 30])
        #expect(cache.last("/a") == 10 && cache.last("/c/1") == 20 && cache.last("/e") == 30)
    }

    /// "Everything until 2035" was not ended by a purge of everything either.
    @Test func aPurgeOfEverythingEndsTheFutureThatEarlierOnesHave() async throws {
        let clock = TestClock()
        clock.now = noon + 300_000_000
        let (cache, store) = scratch.cache(now: { clock.now })
        store.records.add(StoreMark(table: .purged, key: [], value: .time(clock.now)))
        store.flush()
        await purge(cache, .target(Array("/a".utf8)), at: clock.now)
        clock.now = noon
        await purge(cache, at: noon)
        #expect(cache.last("/a") == noon && cache.last("/b") == .min)
        #expect(try sqlite(scratch.file, "SELECT max(at) FROM purged") == noon)
    }

    @Test func purgesOfTheFutureAreOfNowAfterARestart() async throws {
        var (cache, store) = scratch.cache()
        await purge(cache, .target("/a"), at: noon + 300_000_000)
        await purge(cache, .prefix("/c"), at: noon + 300_000_000)
        store.close()
        (cache, store) = scratch.cache(now: { noon })
        #expect(cache.last("/a") == noon && cache.last("/c/1") == noon)
        #expect(scratch.said.count { $0.contains("2 purges had a time in the future") } == 1, "\(scratch.said)")
        store.flush()
        waitUntil { (try? sqlite(scratch.file, "SELECT max(at) FROM purged")) == noon }
    }

    /// A killed process had purged by a slow clock: for the next one older answers were younger.
    @Test(arguments: [false, true])
    func aPurgeByASlowClockCountsForTheNextProcess(isSetBackLater: Bool) async throws {
        let clock = TestClock()
        let first = scratch.open(now: { clock.now })
        first.write(response("/albums"))
        if !isSetBackLater { first.close() }
        clock.now = noon - 86_400
        let slow = isSetBackLater ? first : scratch.open(now: { clock.now })
        let purging = ResponseCache(memory: MemoryTier(maxBytes: 1 << 20), file: slow)
        await purge(purging, .target("/a"), at: clock.now)
        slow.close()
        clock.now = noon + 3_600
        let cache = scratch.cache(now: { clock.now }).cache
        #expect(cache.last("/a") >= noon && cache.last("/a") <= clock.now && cache.last("/b") == .min)
    }

    /// And one whose clock had been ahead: its purges lay in the future for one process at most.
    @Test func aPurgeAfterAFastClockIsOfTheNextStart() async throws {
        let clock = TestClock()
        clock.now = noon + 300_000_000
        var (cache, store) = scratch.cache(now: { clock.now })
        store.write(response("/albums", at: clock.now))
        clock.now = noon
        await purge(cache, .target("/a"), at: noon)
        #expect(cache.last("/a") == noon)
        await purge(cache, at: noon + 1)
        #expect(try sqlite(scratch.file, "SELECT max(at) FROM purged") == noon + 1, "everything ends it")
        await purge(cache, .target(Array("/b".utf8)), at: noon + 2)
        store.close()
        for _ in 0..<2 {
            clock.now += 60
            (cache, store) = scratch.cache(now: { clock.now })
            #expect(cache.last("/b") <= clock.now)
            store.close()
        }
        #expect(try sqlite(scratch.file, "SELECT max(at) FROM purged") <= clock.now)
    }

    @Test func forgottenPurgesAreWrittenAsOneMark() async throws {
        let (cache, store) = scratch.cache()
        await purge(cache, .target("/a"), at: 5)
        for number in 0..<20_000 { store.purgedTargets.note(Array("/\(number)".utf8), at: Int64(number + 10)) }
        let until = store.purgedTargets.forgottenUntil
        #expect(until > 5)
        await purge(cache, .target("/b"), at: 40_000)
        store.flush()
        #expect(try sqlite(scratch.file, "SELECT count(*) FROM purged") == 2)
        #expect(try sqlite(scratch.file, "SELECT at FROM purged WHERE target = ''") == until)
    }

    /// A file of the version before lists no purges; nothing else of it is lost.
    @Test func aFileOfTheVersionBeforeIsTakenOver() async throws {
        let entry = response("/a")
        var (cache, store) = scratch.cache()
        cache.store(entry)
        store.close()
        _ = try? sqlite(scratch.file, "DROP TABLE purged")
        _ = try? sqlite(scratch.file, "PRAGMA user_version = \(Schema.version - 1)")
        (cache, store) = scratch.cache()
        #expect(scratch.setAside.isEmpty && scratch.said.isEmpty, "\(scratch.said)")
        #expect(content(cache.lookup(entry.key, store.makeReader(), at: noon)) == content(entry))
        await purge(cache, .target("/b"), at: 20)
        store.flush()
        #expect(try sqlite(scratch.file, "SELECT at FROM purged WHERE target = '/b'") == 20)
        #expect(try sqlite(scratch.file, "PRAGMA user_version") == Schema.version)
    }
}
