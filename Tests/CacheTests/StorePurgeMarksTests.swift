import Synchronization
import TestSupport
import Testing

@testable import Cache
@testable import Purging
@testable import Store

/// Purges in the cache file outlive the process, and no number is given out twice.
@Suite(.timeLimit(.minutes(10))) struct StorePurgeMarksTests {
    private let scratch = Scratch()

    @discardableResult
    private func purge(_ cache: ResponseCache, _ mode: PurgeMode = .hard, _ conditions: EntrySelection.Condition...)
        async -> Int?
    {
        await withCheckedContinuation { continuation in
            cache.purge(EntrySelection(conditions), mode, at: noon) { continuation.resume(returning: $0) }
        }
    }

    private func last(_ cache: ResponseCache, _ target: String) -> Int64 {
        cache.purges.lastPurge(of: Array(target.utf8), storefront: [], classTag: 1)
    }

    private var rows: [String] {
        get throws {
            try texts(
                scratch.file,
                "SELECT number || ' ' || mode || ' ' || words FROM purge WHERE mode <> 'swept' ORDER BY number")
        }
    }

    @Test func purgesSurviveARestartAndCountForTheirTargetsAlone() async throws {
        var (cache, store) = scratch.cache()
        await purge(cache, .hard, .target("/a"))
        await purge(cache, .soft, .target("/a"))
        await purge(cache, .hard, .prefix("/c"), .storefront([]), .classTag(1))
        await purge(cache, .hard, .resource(7))
        await purge(cache, .hard, .target("/a"))
        await purge(cache, .dryRun, .target("/d"))
        #expect(
            try rows == [
                "2 soft target /a", "3 hard prefix /c\nstorefront \nclass 1", "4 hard resource 0000000000000007",
            ]
                + ["5 hard target /a"])
        store.close()
        (cache, store) = scratch.cache()
        #expect(cache.purges.newest == 5 && cache.purges.forgotten == 0)
        #expect(last(cache, "/a") == 5 && last(cache, "/c/1") == 3 && last(cache, "/d") == 0)
        #expect(cache.purges.verdict(on: response("/a"), since: 4) == .gone)
        #expect(cache.purges.verdict(on: response("/b", resources: [7]), since: 3) == .gone)
        #expect(cache.purges.verdict(on: response("/b", resources: [7]), since: 4) == .untouched)
        store.close()
        // A word or a mode that this version does not know may mean any target.
        let words = "INSERT INTO purge VALUES ('colour blue', 'hard', 6, 0), ('target /e', 'warm', 8, 0) RETURNING 1"
        #expect(try sqlite(scratch.file, words) == 1)
        (cache, store) = scratch.cache()
        #expect(cache.purges.forgotten == 8 && cache.purges.newest == 8 && last(cache, "/b") == 8)
    }

    @Test func aPurgeOfEverythingLeavesNoneBeforeIt() async throws {
        let (cache, store) = scratch.cache()
        await purge(cache, .soft, .target("/a"))
        await purge(cache, .hard, .target("/a"))
        await purge(cache, .soft)
        #expect(try rows == ["2 hard target /a", "3 soft "])
        await purge(cache, .hard)
        await purge(cache, .hard, .target("/a"))
        #expect(try rows == ["4 hard ", "5 hard target /a"])
        // Operators read it as in version 10.
        #expect(try texts(scratch.file, "SELECT target FROM purged ORDER BY target") == ["", "/a"])
        #expect(try sqlite(scratch.file, "SELECT min(at) FROM purged") == 4_000_000_000)
        store.close()
    }

    @Test func forgottenPurgesAreWrittenAsOne() async throws {
        var (cache, store) = scratch.cache()
        let long = String(repeating: "x", count: 2_000)
        for number in 0..<3_000 {
            cache.purges.note(EntrySelection([.target("/\(number)/\(long)")]), .hard)
            if number % 100 == 0 { cache.purges.noteSwept(cache.purges.newest) }
        }
        store.flush()
        let (forgotten, newest) = (cache.purges.forgotten, cache.purges.newest)
        #expect(forgotten > 0 && newest == 3_000)
        #expect(try sqlite(scratch.file, "SELECT number FROM purge WHERE mode = 'forgotten'") >= forgotten)
        #expect(try sqlite(scratch.file, "SELECT min(number) FROM purge WHERE mode <> 'swept'") >= forgotten)
        store.close()
        (cache, store) = scratch.cache()
        #expect(cache.purges.newest == newest && cache.purges.forgotten >= forgotten)
        #expect(last(cache, "/2999/\(long)") == newest || cache.purges.forgotten == newest)
    }

    /// The sweep of the next life looked for the targets of purges that were not remembered, found
    /// none, and called everything swept.
    @Test func answersFromBeforeForgottenPurgesAreGoneInTheNextLife() throws {
        var (cache, store) = scratch.cache()
        cache.store(response("/x"))
        store.flush()
        let long = String(repeating: "a", count: 1_000)
        for number in 0..<1_000 { cache.purges.note(EntrySelection([.target("/\(number)/\(long)")]), .hard) }
        store.flush()
        store.close()
        (cache, store) = scratch.cache()
        try #require(cache.purges.forgotten > 0, "more marks waited than may")
        let reader = store.makeReader()
        #expect(cache.lookup(key("/x"), reader, at: noon) == nil)
        waitUntil { !cache.purges.isSweeping }
        #expect(cache.lookup(key("/x"), reader, at: noon) == nil)
        store.close()
    }

    /// After a kill the number was given out again: older answers counted as younger.
    @Test func aPurgeIsInTheFileBeforeAnAnswerBornUnderIt() throws {
        let (cache, store) = scratch.cache()
        store.flush()
        cache.purges.note(EntrySelection([.target("/a")]), .hard)
        store.store(response("/b", born: cache.purges.newest))
        // The round fails after its marks.
        let rejected = try Database(path: scratch.file, mode: .readWrite, busyTimeout: .seconds(5))
        try rejected.execute("CREATE TRIGGER full BEFORE INSERT ON entry BEGIN SELECT RAISE(ABORT, 'full'); END")
        store.flush()
        #expect(store.status.failedTransactions > 0)
        #expect(try rows == ["1 hard target /a"] && sqlite(scratch.file, "SELECT count(*) FROM entry") == 0)
        try rejected.execute("DROP TRIGGER full")
        store.flush()
        #expect(try sqlite(scratch.file, "SELECT born FROM entry") == 1)
        store.close()
    }

    /// An answer that was there when the file could not be opened has been purged too.
    @Test func purgesFromBeforeTheFileWasOpenedConcernItsAnswers() async throws {
        var (cache, store) = scratch.cache()
        for target in ["/x", "/y"] { await purge(cache, .hard, .target(Array(target.utf8))) }
        store.write(response("/a", born: 2), response("/b", born: 2))
        store.close()
        // Another process has it.
        var lock: StoreLock? = try StoreLock(scratch.file)
        (cache, store) = scratch.cache()
        #expect(store.health.isUnavailable)
        for target in ["/a", "/x"] { await purge(cache, .soft, .target(Array(target.utf8))) }
        #expect(cache.purges.newest == 2 && lock != nil)
        lock = nil
        store.flush()
        waitUntil { store.health == .available }
        #expect(cache.purges.newest == 4)
        #expect(cache.purges.verdict(on: response("/a"), since: 2) == .stale)
        #expect(cache.purges.verdict(on: response("/b"), since: 2) == .untouched)
        #expect(
            try rows == ["1 hard target /x", "2 hard target /y", "3 soft target /a", "4 soft target /x"], "at once")
        waitUntil { !cache.purges.isSweeping }
        store.close()
        (cache, store) = scratch.cache()
        #expect(cache.purges.newest == 4 && last(cache, "/a") == 3)
    }

    /// An answer that was fetched after the purge, and one that had its turn, are as they were.
    @Test func answersThatWereBornLaterStay() async throws {
        let (cache, store) = scratch.cache(memory: 1 << 16)
        let purged = EntrySelection([.prefix("/a")])
        store.write(response("/a/1"), response("/b/1"))
        store.purges.note(purged, .hard)
        store.store(response("/a/2", born: store.purges.newest))
        let reader = store.makeReader()
        #expect(reader.lookup(key("/a/1"), at: noon) == nil && reader.lookup(key("/a/2"), at: noon) != nil)
        // The queue is not listed, unless it was written by now.
        #expect(!store.list(limit: 9).map(\.path).contains("/a/1"))
        cache.sweepIfOwed()
        waitUntil { !cache.purges.isSweeping }
        store.write(response("/a/3"))
        // Its fetch began before, and nobody looked whether it is purged.
        #expect(reader.lookup(key("/a/3"), at: noon) != nil)
        #expect(await purge(cache, .soft, .prefix("/a")) == 2)
        #expect(reader.lookup(key("/a/2"), at: noon)?.lifetime.freshFor != 1_000_000)
        store.close()
        #expect(try texts(scratch.file, "SELECT target FROM entry ORDER BY 1") == ["/a/2", "/a/3", "/b/1"])
    }

    /// The next life goes on where a killed one was: its purge was answered with `"wait": false`.
    @Test func aSweepThatIsOwedGoesOnAfterARestart() async throws {
        scratch.fill((0..<200).map { response("/\($0)") })
        let first = scratch.open()
        first.purges.note(EntrySelection([.prefix("/1")]), .hard)
        let isDurable = await withCheckedContinuation { continuation in
            first.records.sync { continuation.resume(returning: $0) }
        }
        #expect(isDurable)
        first.close()
        #expect(scratch.setAside.isEmpty && first.purges.isSweeping)
        #expect(try sqlite(scratch.file, "SELECT count(*) FROM entry") == 200)
        let (cache, store) = scratch.cache()
        let reader = store.makeReader()
        #expect(reader.lookup(key("/100"), at: noon) == nil && reader.lookup(key("/2"), at: noon) != nil)
        waitUntil { !cache.purges.isSweeping }
        #expect(try sqlite(scratch.file, "SELECT count(*) FROM entry") == 89)
        store.close()
        #expect(try sqlite(scratch.file, "SELECT number FROM purge WHERE mode = 'swept'") == 1)
        let next = scratch.open()
        #expect(!next.purges.isSweeping && next.purges.newest == 1)
    }

    /// More removals than may wait were one purge of the file alone, of which memory knew nothing.
    @Test func tooManyRemovalsAreAPurgeOfEverything() throws {
        let (cache, store) = scratch.cache(memory: 1 << 16)
        store.write((0..<20).map { response("/\($0)") })
        store.runner.queue.sync { store.runner.queue.suspend() }
        let most = PendingWrites.maxBytes / PendingWrites.removalBytes
        for index in 0...Int64(most) { store.records.remove(index) }
        #expect(cache.purges.newest == 1 && cache.purges.isSweeping)
        #expect(store.makeReader().lookup(key("/1"), at: noon) == nil)
        store.runner.queue.resume()
        waitUntil(within: 120) { !cache.purges.isSweeping }
        #expect(try sqlite(scratch.file, "SELECT count(*) FROM entry") == 0)
    }

    /// Version 10, as 1.0.0 writes it, with rows and times of purges.
    @Test func aFileOfTheVersionBeforeIsTakenOver() throws {
        let kept = response("/kept", "as it was", variant: "gzip", resources: [1, 7])
        scratch.fill([kept, response("/a")])
        let database = try scratch.makeOldFile()
        try database.execute("INSERT INTO purged VALUES ('/a', 30), ('prefix /c\nstorefront us', 20), ('/b', 10)")
        let cache = try open(expecting: 3)
        #expect(last(cache, "/b") == 1 && last(cache, "/a") == 3 && last(cache, "/d") == 0)
        #expect(cache.purges.verdict(on: response("/c/1", storefront: "us"), since: 1) == .gone)
        #expect(cache.purges.verdict(on: response("/c/1", storefront: "gb"), since: 1) == .untouched)
        #expect(try rows == ["1 hard target /b", "2 hard prefix /c\nstorefront us", "3 hard target /a"])
        #expect(try texts(scratch.file, "SELECT target || ' ' || at FROM purged ORDER BY at").first == "/b 10")
        let store = try #require(cache.file)
        let reader = store.makeReader()
        #expect(content(reader.lookup(kept.key, at: noon)) == content(kept) && store.entries == 2)
        // Records of both kinds beside each other.
        store.write(response("/new", born: 3))
        #expect(reader.lookup(key("/new"), at: noon)?.born == 3 && reader.lookup(kept.key, at: noon)?.born == 0)
        store.records.check.checkPiece()
        #expect(store.status.damaged == 0)
        store.close()
        _ = try open(expecting: 3)
    }

    private func open(expecting newest: Int64) throws -> ResponseCache {
        let (cache, store) = scratch.cache()
        #expect(scratch.setAside.isEmpty && scratch.said.isEmpty && store.health == .available, "\(scratch.said)")
        #expect(try sqlite(scratch.file, "PRAGMA user_version") == 11 && cache.purges.newest == newest)
        #expect(try sqlite(scratch.file, "SELECT count(*) FROM purge") == newest + 1)
        #expect(!cache.purges.isSweeping, "each has been through the whole file")
        return cache
    }

    /// They may have chosen anything: what was purged before is not known.
    @Test(arguments: ["", "colour blue", "prefix"])
    func anOldPurgeThatIsNotUnderstoodForgetsThoseBefore(words: String) throws {
        scratch.fill([])
        let database = try scratch.makeOldFile()
        try database.execute("INSERT INTO purged VALUES ('/a', 10), ('\(words)', 20), ('/b', 30)")
        let (cache, store) = scratch.cache()
        #expect(scratch.setAside.isEmpty && store.health == .available)
        #expect(try rows == ["2 forgotten ", "3 hard target /b"])
        #expect(cache.purges.forgotten == 2 && cache.purges.newest == 3)
    }

    /// Later purges would have trapped, or have counted as earlier ones.
    @Test(arguments: [Int64.max, 1 << 61, 0, -1])
    func aFileWithAnImpossibleNumberIsSetAside(number: Int64) throws {
        scratch.fill([])
        _ = try sqlite(scratch.file, "INSERT INTO purge VALUES ('target /a', 'hard', \(number), 0) RETURNING 1")
        let (cache, store) = scratch.cache()
        #expect(scratch.setAside.count == 1 && store.health == .available && cache.purges.newest == 0)
    }

    /// A new file in place of a damaged one lists what this process knows, under the same numbers.
    @Test func aNewFileGetsThePurgesOfTheOneBefore() async throws {
        scratch.fill((0..<50).map { response("/\($0)") })
        let (cache, store) = scratch.cache()
        for target in ["/a", "/b"] { await purge(cache, .hard, .target(Array(target.utf8))) }
        try scratch.damage()
        let torn = SQLiteError(code: 11, message: "torn")
        store.runner.report(torn, generation: store.shared.generation.load(ordering: .acquiring))
        waitUntil { scratch.setAside.count == 1 && (try? rows) == ["1 hard target /a", "2 hard target /b"] }
        #expect(cache.purges.newest == 2)
    }

    /// Random purges, restarts and files that come late, against all purges that there ever were.
    @Test(arguments: 1...(TestSize.of(6, full: 60) as UInt64))
    func numbersOnlyRiseAndNoPurgeIsLost(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var held: [(response: StoredResponse, isPurged: Bool)] = []
        var newest: Int64 = 0
        for life in 0..<5 {
            var lock = life > 0 && random.next() % 3 == 0 ? try StoreLock(scratch.file) : nil
            let (cache, store) = scratch.cache()
            if lock == nil { #expect(cache.purges.newest == newest, "seed \(seed)") }
            for _ in 0..<random.next() % 12 {
                let target = "/\(random.next() % 4)"
                let selection = EntrySelection(random.next() % 9 == 0 ? [] : [.target(target)])
                cache.purges.note(selection, .hard)
                for index in held.indices where selection.chooses(held[index].response) { held[index].isPurged = true }
                // Before the file is open, numbers are this process's own.
                if lock == nil {
                    held.append((response("/\(random.next() % 4)", born: cache.purges.newest), false))
                }
                if random.next() % 4 == 0 { store.flush() }
            }
            // Now the file is there.
            lock = nil
            store.flush()
            waitUntil { store.health == .available }
            #expect(cache.purges.newest >= newest, "seed \(seed)")
            newest = cache.purges.newest
            for (response, isPurged) in held {
                let verdict = cache.purges.verdict(on: response, since: response.born)
                #expect(verdict == (isPurged ? .gone : .untouched), "seed \(seed), life \(life), \(response.born)")
            }
            store.close()
        }
    }
}
