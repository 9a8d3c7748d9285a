import TestSupport
import Testing

@testable import Purging
@testable import Store

private func plan(_ path: String, _ run: SweepRun) throws -> String {
    let (sql, values) = run.query(try #require(run.source))
    return try texts(path, "EXPLAIN QUERY PLAN " + sql, values, column: 3).joined(separator: "; ")
}

@Suite(.timeLimit(.minutes(10))) struct StorePurgeTests {
    let scratch = Scratch()
    private let purges = Purges()
    private var owner: PlainOwner { PlainOwner(purges: purges) }

    private func sweep(_ mode: PurgeMode = .hard, _ conditions: EntrySelection.Condition...) -> SweepRun {
        let selection = EntrySelection(conditions)
        let number = mode == .dryRun ? purges.newest : purges.note(selection, mode)
        return SweepRun(Sweep(purges, waiting: [Sweep.Waiting(id: 1, number: number, selection, mode)]), at: noon)
    }

    private func count(_ run: SweepRun) -> Int { run.sweep.waiting[0].totals[0].count }

    private func advance(_ run: inout SweepRun, _ store: RecordStore) throws {
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
        store.write((0..<3).map { record("/\($0)") })
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
        store.write((0..<300).map { record("/\($0)") })
        var run = sweep(.hard)
        try advance(&run, store)
        store.write((300..<900).map { record("/\($0)", born: purges.newest) })
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
        let times = RecordFacts.Times(freshFor: 5, staleFor: 9)
        for number in 0..<300 { store.store(record("/small/\(number)", times: times)) }
        store.write((0..<40).map { record("/large/\($0)", filler(300_000)) })
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

    @Test func aSoftPurgeLeavesSoundRowsAndRemovesOthers() async throws {
        let (store, reader) = scratch.openWithReader()
        for number in 0..<600 {
            let times = RecordFacts.Times(freshFor: number, staleFor: 1_000)
            store.store(record("/\(number)", times: times, resources: [5]))
        }
        #expect(await store.purged(.soft, at: noon + 7) == 600)
        for number in 0..<600 {
            let facts = reader.find("/\(number)")?.facts
            #expect(facts?.times == RecordFacts.Times(freshFor: 0, staleFor: 1_000 + min(number, 7)), "\(number)")
            #expect(facts?.resources == [5])
        }
        #expect(store.status.damaged == 0)
        store.flush()
        _ = try sqlite(scratch.file, "UPDATE entry SET fresh_for = fresh_for + 1 WHERE target = '/1'")
        store.write(record("/2"))
        _ = try sqlite(scratch.file, "UPDATE entry SET content_sum = content_sum + 1 WHERE target = '/2'")
        #expect(await store.purged(.soft) == 600)
        #expect(try sqlite(scratch.file, "SELECT count(*) FROM entry") == 598)
    }

    /// A feed of soft purges wrote all of a file anew for each of them.
    @Test func aSoftPurgeLeavesRowsThatAreStaleAlready() async throws {
        let store = scratch.open()
        store.write((0..<300).map { record("/\($0)", times: RecordFacts.Times(freshFor: 5, staleFor: 9)) })
        #expect(await store.purged(.soft, at: noon + 7) == 300)
        var (run, steps) = (sweep(.soft, .prefix("/")), 0)
        while !run.isDone {
            try advance(&run, store)
            steps += 1
        }
        #expect(count(run) == 300 && !run.hasChanged && steps == 1)
    }
}
