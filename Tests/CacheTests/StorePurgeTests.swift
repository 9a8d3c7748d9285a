import TestSupport
import Testing

@testable import Cache
@testable import Freshness
@testable import Purging
@testable import Store

private func plan(_ path: String, _ run: SweepRun) throws -> String {
    let (sql, values) = run.query(try #require(run.source))
    return try texts(path, "EXPLAIN QUERY PLAN " + sql, values, column: 3).joined(separator: "; ")
}

@Suite(.timeLimit(.minutes(10))) struct StorePurgeTests {
    let scratch = Scratch()
    private let purges = Purges()
    private var owner: FileOwner { FileOwner(purges: purges, gzip: .system) }

    private func sweep(_ mode: PurgeMode = .hard, _ conditions: EntrySelection.Condition...) -> SweepRun {
        let selection = EntrySelection(conditions)
        let number = mode == .dryRun ? purges.newest : purges.note(selection, mode)
        return SweepRun(Sweep(purges, waiting: [Sweep.Waiting(id: 1, number: number, selection, mode)]), at: noon)
    }

    private func count(_ run: SweepRun) -> Int { run.sweep.waiting[0].totals[0].count }

    private func advance(_ run: inout SweepRun, _ store: FileTier) throws {
        _ = try store.runner.work.withLock { work throws(SQLiteError) in
            try work.hold.connection?.advance(&run, owner)
        }
    }

    @Test func targetsAreFoundThroughAnIndexTheRestWithoutSorting() throws {
        _ = scratch.open()
        var byTarget = sweep(.hard, .target("/a"))
        #expect(try plan(scratch.file, byTarget).hasPrefix("SEARCH entry USING INDEX entry_by_key (key=?"))
        byTarget.note(last: .min, isCut: false, changed: false)
        let variants = try plan(scratch.file, byTarget)
        #expect(
            variants.hasPrefix("SEARCH entry USING INDEX variant_by_target (target=? AND rowid>? AND rowid<?)"),
            "\(variants)")
        #expect(!variants.contains("SCAN entry") && !variants.contains("TEMP B-TREE"), "\(variants)")
        byTarget.note(last: .min, isCut: false, changed: false)
        #expect(byTarget.source == nil, "whatever else the file holds")
        var two = sweep(.hard, .target("/b"))
        var sources = 0
        while !two.isDone {
            #expect(two.source?.condition != "?2")
            two.note(last: .min, isCut: false, changed: false)
            sources += 1
        }
        #expect(sources == 4, "both targets that are not swept yet")
        #expect(try plan(scratch.file, sweep()) == "SEARCH entry USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)")
        #expect(sweep(.hard, .prefix("/c")).source?.condition == "?2", "any row may be chosen")
        purges.noteSwept(purges.newest)
        #expect(sweep(.dryRun, .target("/a")).source?.condition.hasPrefix("key IN (") == true)
        #expect(SweepRun(Sweep(purges, waiting: []), at: noon).isDone, "nothing is owed")
    }

    @Test func rowsAtBothEndsAreMet() throws {
        let store = scratch.open()
        store.write((0..<3).map { response("/\($0)") })
        let database = try Database(path: scratch.file, mode: .readWrite, busyTimeout: .seconds(1))
        try database.execute("UPDATE entry SET id = \(Int64.min) WHERE target = '/0'")
        try database.execute("UPDATE entry SET id = \(Int64.max) WHERE target = '/1'")
        let connection = try WriterConnection(
            database, SpaceBounds(maxBytes: 1 << 20),
            RowLedger(KeyDirectory(mostKeys: 9_999), SegmentLog(Segments(besides: scratch.file))))
        var run = sweep(.dryRun)
        while !run.isDone { try connection.advance(&run, owner) }
        #expect(count(run) == 3)
        run = sweep(.hard)
        run.note(last: .max, isCut: true, changed: false)
        #expect(run.isDone, "there is no row to go on with")
    }

    @Test func rowsThatAreAddedMeanwhileAreNotChased() throws {
        let store = scratch.open()
        store.write((0..<300).map { response("/\($0)") })
        var run = sweep(.hard)
        try advance(&run, store)
        store.write((300..<900).map { response("/\($0)", born: purges.newest) })
        var steps = 1
        while !run.isDone {
            try advance(&run, store)
            steps += 1
        }
        #expect(count(run) == 300 && steps == 5)
        #expect(try sqlite(scratch.file, "SELECT count(*) FROM entry") == 600)
    }

    /// A purge of 100,000 entries had a processor to itself for seconds, and clients waited for it.
    @Test(arguments: [PurgeMode.hard, .soft])
    func aStepIsSmallWhateverThereIs(mode: PurgeMode) throws {
        let store = scratch.open()
        let lifetime = Lifetime(freshFor: 5, staleFor: 9)
        for number in 0..<300 { store.store(response("/small/\(number)", lifetime: lifetime)) }
        store.write((0..<40).map { response("/large/\($0)", filler(300_000)) })
        var (run, steps) = (sweep(mode), 0)
        while !run.isDone {
            let before = count(run)
            try advance(&run, store)
            #expect(try mode == .soft || sqlite(scratch.file, "SELECT count(*) FROM entry") == 340 - count(run))
            #expect(count(run) - before <= 64, "step \(steps)")
            steps += 1
        }
        #expect(count(run) == 340 && steps >= 6, "\(steps) steps")
        // It goes on where none is chosen.
        run = sweep(.hard, .prefix("/none"))
        purges.noteSwept(purges.newest - 1)
        run = sweep(.hard, .prefix("/none/either"))
        try advance(&run, store)
        #expect(run.isDone || mode == .soft)
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
        await sweep(cache)
        store.write(response("/a/3"))
        // Its fetch began before, and nobody looked whether it is purged.
        #expect(reader.lookup(key("/a/3"), at: noon) != nil)
        let count = await withCheckedContinuation { continuation in
            cache.purge(purged, .soft, at: noon + 5) { continuation.resume(returning: $0) }
        }
        #expect(count == 2 && reader.lookup(key("/a/2"), at: noon)?.lifetime.freshFor != 1_000_000)
        store.close()
        #expect(try texts(scratch.file, "SELECT target FROM entry ORDER BY 1") == ["/a/2", "/a/3", "/b/1"])
    }

    private func sweep(_ cache: ResponseCache) async {
        cache.sweepIfOwed()
        waitUntil { !cache.purges.isSweeping }
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
        store.runner.suspendBetweenTurns()
        let most = PendingWrites.maxBytes / PendingWrites.removalBytes
        for index in 0...Int64(most) { store.records.remove(index) }
        #expect(cache.purges.newest == 1 && cache.purges.isSweeping)
        #expect(store.makeReader().lookup(key("/1"), at: noon) == nil)
        store.runner.queue.resume()
        waitUntil(within: 120) { !cache.purges.isSweeping }
        #expect(try sqlite(scratch.file, "SELECT count(*) FROM entry") == 0)
    }

    @Test func aSoftPurgeLeavesSoundRowsAndRemovesOthers() async throws {
        let (store, reader) = scratch.openWithReader()
        for number in 0..<600 {
            store.store(response("/\(number)", lifetime: Lifetime(freshFor: number, staleFor: 1_000), resources: [5]))
        }
        #expect(await store.purged(.soft, at: noon + 7) == 600)
        for number in 0..<600 {
            let found = reader.lookup(key("/\(number)"), at: noon)
            #expect(found?.lifetime == Lifetime(freshFor: 0, staleFor: 1_000 + min(number, 7)), "\(number)")
            #expect(found?.resources == [5])
        }
        #expect(store.status.damaged == 0)
        store.flush()
        _ = try sqlite(scratch.file, "UPDATE entry SET fresh_for = fresh_for + 1 WHERE target = '/1'")
        store.write(response("/2"))
        _ = try sqlite(scratch.file, "UPDATE entry SET content_sum = content_sum + 1 WHERE target = '/2'")
        #expect(await store.purged(.soft) == 600)
        #expect(try sqlite(scratch.file, "SELECT count(*) FROM entry") == 598)
    }

    /// A feed of soft purges wrote all of a file anew for each of them.
    @Test func aSoftPurgeLeavesRowsThatAreStaleAlready() async throws {
        let store = scratch.open()
        store.write((0..<300).map { response("/\($0)", lifetime: Lifetime(freshFor: 5, staleFor: 9)) })
        #expect(await store.purged(.soft, at: noon + 7) == 300)
        var (run, steps) = (sweep(.soft, .prefix("/")), 0)
        while !run.isDone {
            try advance(&run, store)
            steps += 1
        }
        #expect(count(run) == 300 && !run.hasChanged && steps == 1)
    }
}
