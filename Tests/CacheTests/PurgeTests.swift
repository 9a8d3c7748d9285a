import Dispatch
import Purging
import Synchronization
import TestSupport
import Testing

@testable import Cache
@testable import Freshness
@testable import Store

extension ResponseCache {
    func purge(_ mode: PurgeMode, at now: Int64 = noon, _ conditions: EntrySelection.Condition...) async -> Int? {
        await purge(mode, at: now, EntrySelection(conditions))
    }

    func purge(_ mode: PurgeMode, at now: Int64 = noon, _ selection: EntrySelection) async -> Int? {
        await withCheckedContinuation { continuation in
            purge(selection, mode, at: now) { continuation.resume(returning: $0) }
        }
    }
}

@Suite(.timeLimit(.minutes(10))) struct PurgeTests {
    let scratch = Scratch()

    /// Each purged answer wrapped the hook once more: purges of everything took ever longer, and
    /// the stack grew with them.
    @Test func theHookIsCalledAsDirectlyAfterManyPurgedAnswers() async {
        let cache = ResponseCache(memory: MemoryTier(maxBytes: 16 << 20), file: nil)
        let depths = Mutex<[UInt]>([])
        cache.setOnPurged { response in
            if response == nil { return }
            var here = 0
            withUnsafePointer(to: &here) { place in depths.withLock { $0.append(UInt(bitPattern: place)) } }
        }
        for number in 0..<3_000 { cache.store(response("/\(number)")) }
        #expect(await cache.purge(.hard, .prefix("/")) == 3_000)
        depths.withLock { depths in
            #expect(depths.count == 3_000 && (depths.max() ?? 0) - (depths.min() ?? 0) < 4_096)
        }
    }

    /// The sweep had removed it from memory, and ended, between the look and the verdict.
    @Test func aPurgedAnswerIsNotFoundWhileItsSweepEnds() async {
        for _ in 0..<500 {
            let cache = ResponseCache(memory: MemoryTier(maxBytes: 1 << 16), file: nil)
            for number in 0..<20 { cache.store(response("/\(number)")) }
            cache.purges.note(EntrySelection([.prefix("/1")]), .hard)
            cache.sweepIfOwed()
            repeat {
                for number in 10..<20 { #expect(cache.lookup(key("/\(number)"), nil, at: noon) == nil) }
            } while cache.purges.isSweeping
        }
    }

    /// A soft purge had chosen an answer under way, and the copy without freshness was stored after
    /// the sweep of a hard one.
    @Test func anAnswerThatIsSoftenedAfterAHardPurgeIsNotStored() async {
        for _ in 0..<2_000 {
            let cache = ResponseCache(memory: MemoryTier(maxBytes: 1 << 16), file: nil)
            let answer = response("/a")
            cache.store(answer)
            let number = cache.purges.note(EntrySelection([.target("/a")]), .soft)
            let softening = Task.detached { cache.soften(answer, at: noon) }
            while cache.memory.lookup(key("/a"))?.born != number, Int.random(in: 0..<9) > 0 {}
            _ = await cache.purge(.hard, .target("/a"))
            await softening.value
            #expect(cache.lookup(key("/a"), nil, at: noon) == nil)
        }
    }

    @Test func anAnswerInBothTiersCountsOnce() async {
        let (cache, store) = scratch.cache(memory: 16 << 20)
        for number in 0..<10 { cache.store(response("/\(number)")) }
        cache.store(response("/v1/me", scope: someone(1)))
        cache.write(response("/v1/me", scope: someone(2)))
        for number in 0..<4 { cache.memory.remove(key("/\(number)")) }
        cache.memory.store(response("/only-in-memory"))
        #expect(await cache.purge(.dryRun) == 13)
        #expect(await cache.purge(.soft) == 13)
        #expect(cache.memory.count == 9 && store.entries == 10)
        #expect(await cache.purge(.hard) == 13)
        #expect(cache.memory.count == 0 && store.entries == 0)
        #expect(await cache.purge(.hard) == 0)
    }

    /// A target's base key, its variants, its variant index and its users' answers.
    @Test func aTargetGoesWithAllThatAnswersIt() async {
        let (cache, store, reader) = scratch.cacheWithReader(memory: 16 << 20)
        cache.store(response("/a", selecting: "accept-language"))
        for variant in ["de", "en", "fr"] { cache.store(response("/a", variant: variant)) }
        cache.store(response("/a", scope: someone(1)))
        cache.store(response("/b"))
        cache.write(response("/ab", variant: "de"))
        cache.memory.remove(key("/a", "fr"))
        let target = Array("/a".utf8)
        #expect(await cache.purge(.dryRun, .target(target)) == 4)
        #expect(await cache.purge(.soft, .target(target)) == 4)
        #expect(cache.lookup(key("/a", "fr"), reader, at: noon) == nil, "nothing can use it")
        #expect(cache.memory.lookup(key("/a"))?.freshFor == 1_000_000, "the variant index")
        #expect(await cache.purge(.hard, .target(target)) == 3)
        for variant in ["", "de", "en", "fr"] { #expect(cache.lookup(key("/a", variant), reader, at: noon) == nil) }
        #expect(cache.memory.lookup(key("/a", "", someone(1))) == nil)
        #expect(cache.memory.count == 2 && store.entries == 2)
    }

    @Test func aResourceTakesAllThatNamesItAndWhatMayName() async {
        let (cache, store) = scratch.cache(memory: 16 << 20)
        cache.store(response("/both", resources: [3, 7]))
        cache.store(response("/one", resources: [7]))
        cache.store(response("/other", resources: [3]))
        cache.store(response("/any", resources: [StoredResponse.everyResource]))
        cache.store(response("/none"))
        cache.write(response("/v1/me/7", scope: someone(1), resources: [7]))
        cache.memory.remove(key("/one"))
        cache.memory.remove(key("/any"))
        #expect(await cache.purge(.dryRun, .resource(7)) == 4)
        #expect(await cache.purge(.hard, .resource(7), .prefix("/b")) == 1)
        #expect(await cache.purge(.hard, .resource(7)) == 3)
        #expect(await cache.purge(.dryRun) == 2)
        #expect(store.entries == 2 && cache.memory.count == 2)
    }

    /// Nothing is fresh afterwards, by any clock; a fresh answer begins to be stale.
    @Test func aSoftPurgeEndsFreshnessNow() async throws {
        let (cache, _, reader) = scratch.cacheWithReader(memory: 16 << 20)
        let lifetime = Lifetime(freshFor: 1_000, staleFor: 100, staleIfErrorFor: 300, keepFor: 0, initialAge: 50)
        for target in ["/a", "/m"] { cache.store(response(target, lifetime: lifetime)) }
        cache.flush()
        cache.memory.remove(key("/a"))
        #expect(await cache.purge(.soft, at: noon + 400) == 2)
        for (place, target) in [("on disk", "/a"), ("promoted", "/a"), ("in memory", "/m")] {
            let found = try #require(cache.lookup(key(target), reader, at: noon + 400), "\(place)")
            #expect(found.age(at: noon + 400) == 450, "the age stays true")
            for second in [-9, 0, 399, 400, 499] as [Int64] {
                if case .stale = Freshness.of(found, at: noon + second) { continue }
                Issue.record("\(place): \(Freshness.of(found, at: noon + second)) after \(second) s")
            }
            #expect(Freshness.of(found, at: noon + 500) == .expired)
            #expect(found.canStandIn(at: noon + 699) && !found.canStandIn(at: noon + 700))
            #expect(found.lifetime.keepFor == 0)
        }
        #expect(await cache.purge(.soft, at: noon + 450) == 2)
        #expect(cache.lookup(key("/a"), reader, at: noon + 450)?.lifetime.staleFor == 500, "twice is once")
    }

    /// The clock was a day ahead at the first one.
    @Test func aSoftPurgeEndsFreshnessByTheClockOfItsOwn() async throws {
        let (cache, _) = scratch.cache(memory: 16 << 20)
        _ = await cache.purge(.soft, at: noon + 86_400, .target("/b"))
        let lifetime = Lifetime(freshFor: 1_000, staleFor: 100)
        cache.store(response("/a", lifetime: lifetime, born: cache.purges.newest))
        #expect(await cache.purge(.soft, at: noon + 400, .target("/a")) == 1)
        let found = try #require(cache.lookup(key("/a"), nil, at: noon + 499))
        #expect(!found.isFresh(at: noon) && Freshness.of(found, at: noon + 500) == .expired)
    }

    /// A purge chooses nothing that was fetched after it, though it goes through the cache then.
    @Test(arguments: [PurgeMode.soft, .hard]) func nothingThatIsFetchedAfterAPurgeIsChosen(mode: PurgeMode) async {
        let (cache, _) = scratch.cache(memory: 16 << 20)
        cache.store(response("/a", "old"))
        let answered = Mutex(false)
        cache.purge(EntrySelection([.target("/a")]), mode, at: noon) { _ in answered.withLock { $0 = true } }
        #expect(cache.lookup(key("/a"), nil, at: noon)?.isFresh(at: noon) != true, "at once")
        cache.store(response("/a", "new", born: cache.purges.newest))
        waitUntil { answered.withLock { $0 } }
        let found = cache.lookup(key("/a"), nil, at: noon)
        #expect(found?.body == Array("new".utf8) && found?.isFresh(at: noon) == true)
    }

    @Test func anUnwrittenAnswerIsPurgedToo() async {
        for mode in [PurgeMode.soft, .hard] {
            let scratch = Scratch()
            let store = scratch.open(file: scratch.directory + "/absent/cache.sqlite")
            let cache = ResponseCache(memory: MemoryTier(maxBytes: 1 << 20), file: store)
            cache.store(response("/a", lifetime: Lifetime(freshFor: 100, staleFor: 100)))
            #expect(await cache.purge(mode) == 1, "it counts in memory at once")
            cache.memory.remove(key("/a"))
            let found = store.makeReader().lookup(key("/a"), at: noon)
            #expect(mode == .hard ? found == nil : found?.freshFor == 0)
        }
    }

    @Test func aPurgeHasItsNumberAtOnceAndADryRunHasNone() async {
        let (cache, _) = scratch.cache(memory: 16 << 20)
        #expect(await cache.purge(.dryRun) == 0)
        #expect(cache.purges.newest == 0)
        cache.purge(EntrySelection(), .soft, at: noon) { _ in }
        #expect(cache.purges.newest == 1, "at once")
        #expect(await cache.purge(.hard, .resource(1)) == 0)
        #expect(cache.purges.newest == 2)
        waitUntil { !cache.purges.isSweeping }
        #expect(cache.purges.swept == 2)
    }

    /// An answer that was purged or removed between its reading and its promotion came back to
    /// memory.
    @Test(arguments: ["purge", "soft purge", "removal"])
    func anAnswerReadBeforeAPurgeWasPromotedAfterIt(event: String) throws {
        let (cache, store, reader) = scratch.cacheWithReader()
        cache.write(response("/a", lifetime: Lifetime(freshFor: 1_000, staleFor: 1_000)))
        cache.memory.remove(key("/a"))
        let found = cache.promote(key("/a")) {
            let read = reader.lookup(key("/a"), at: noon)
            #expect(read != nil)
            if event == "removal" {
                cache.remove(key("/a"))
            } else {
                let answered = DispatchSemaphore(value: 0)
                let mode = event == "purge" ? PurgeMode.hard : .soft
                cache.purge(EntrySelection(), mode, at: noon) { _ in answered.signal() }
                // The sweep has looked in memory, and has found nothing.
                answered.waitOrFail()
            }
            return read
        }
        #expect(found == nil && cache.memory.count == 0)
        store.flush()
        let next = cache.lookup(key("/a"), reader, at: noon)
        #expect(event == "soft purge" ? next?.isFresh(at: noon) == false : next == nil)
    }

    /// Readers promote while purges go over the file; stored values carry their round.
    @Test(arguments: TestSize.of([51], release: [51, 52]) as [UInt64])
    func purgedAnswersAreNeverFoundAgain(seed: UInt64) {
        let (cache, store) = scratch.cache(memory: 2 << 20)
        let purgedUpTo = Atomic<Int>(-1)
        let isDone = Atomic<Bool>(false)
        concurrently(4) { thread in
            var generator = SeededGenerator(seed: seed &+ UInt64(thread))
            let reader = store.makeReader()
            if thread == 0 {
                for round in 0..<8 {
                    for number in 0..<700 { cache.store(response("/\(number)", "\(round)", born: cache.purges.newest)) }
                    let answered = DispatchSemaphore(value: 0)
                    cache.purge(EntrySelection(), .hard, at: noon) { _ in answered.signal() }
                    answered.waitOrFail()
                    purgedUpTo.store(round, ordering: .sequentiallyConsistent)
                }
                isDone.store(true, ordering: .relaxed)
            }
            while !isDone.load(ordering: .relaxed) {
                let purged = purgedUpTo.load(ordering: .sequentiallyConsistent)
                let number = Int.random(in: 0..<700, using: &generator)
                if thread == 1 { cache.memory.remove(key("/\(number)")) }
                guard let found = cache.lookup(key("/\(number)"), reader, at: noon) else { continue }
                let round = Int(String(decoding: found.body, as: UTF8.self)) ?? -1
                #expect(round > purged, "seed \(seed), thread \(thread)")
            }
        }
        #expect(store.status.failedReads == 0 && store.status.damaged == 0)
    }
}
