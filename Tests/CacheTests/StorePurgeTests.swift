import Purging
import Testing

@testable import Cache
@testable import Freshness
@testable import Store

private func plan(_ path: String, _ purge: PurgeRun) throws -> String {
    let (sql, values) = purge.query(try #require(purge.source))
    return try texts(path, "EXPLAIN QUERY PLAN " + sql, values, column: 3).joined(separator: "; ")
}

@Suite struct StorePurgeTests {
    let scratch = Scratch()
    private let owner = FileOwner(purges: Purges(), gzip: .system)

    private func purge(_ mode: PurgeMode = .hard, _ conditions: EntrySelection.Condition...) -> PurgeRun {
        PurgeRun(Purge(selection: EntrySelection(conditions), mode: mode, now: noon), PurgeCount())
    }

    private func advance(_ run: inout PurgeRun, _ store: FileTier) throws {
        _ = try store.runner.work.withLock { work throws(SQLiteError) in
            try work.hold.connection?.advance(&run, owner)
        }
    }

    @Test func targetsAreFoundThroughAnIndexTheRestWithoutSorting() throws {
        _ = scratch.open()
        var byTarget = purge(.hard, .target("/a"))
        #expect(try plan(scratch.file, byTarget).hasPrefix("SEARCH entry USING INDEX entry_by_key (key=?"))
        byTarget.note(rows: 0, last: .min)
        let variants = try plan(scratch.file, byTarget)
        #expect(
            variants.hasPrefix("SEARCH entry USING INDEX variant_by_target (target=? AND rowid>? AND rowid<?)"),
            "\(variants)")
        #expect(!variants.contains("SCAN entry") && !variants.contains("TEMP B-TREE"), "\(variants)")
        byTarget.note(rows: 0, last: .min)
        #expect(byTarget.source == nil, "whatever else the file holds")
        #expect(try plan(scratch.file, purge()) == "SEARCH entry USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)")
        #expect(purge(.hard, .target([1]), .resource(7)).source?.condition == "key = ?2", "it is found by its key")
        #expect(purge(.hard, .prefix([1]), .resource(7)).source?.condition == "?2", "any row may name a resource")
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
        var run = purge(.dryRun)
        while !run.isDone { try connection.advance(&run, owner) }
        #expect(run.count.total == 3)
        run = purge(.hard)
        run.note(rows: run.stepRows, last: .max)
        #expect(run.isDone, "there is no row to go on with")
    }

    @Test func rowsThatAreAddedMeanwhileAreNotChased() throws {
        let store = scratch.open()
        store.write((0..<300).map { response("/\($0)") })
        var run = purge(.hard)
        try advance(&run, store)
        store.write((300..<900).map { response("/\($0)") })
        var steps = 1
        while !run.isDone {
            try advance(&run, store)
            steps += 1
        }
        #expect(run.count.total == 300 && steps == 5)
        #expect(try sqlite(scratch.file, "SELECT count(*) FROM entry") == 600)
    }

    /// A purge of 100,000 entries had a processor to itself for seconds, and clients waited for it.
    @Test(arguments: [PurgeMode.hard, .soft])
    func aStepIsSmallWhateverThereIs(mode: PurgeMode) throws {
        let store = scratch.open()
        let lifetime = Lifetime(freshFor: 5, staleFor: 9)
        for number in 0..<300 { store.store(response("/small/\(number)", lifetime: lifetime)) }
        store.write((0..<40).map { response("/large/\($0)", filler(300_000)) })
        var (run, steps) = (purge(mode), 0)
        while !run.isDone {
            let before = run.count.total
            try advance(&run, store)
            #expect(try mode == .soft || sqlite(scratch.file, "SELECT count(*) FROM entry") == 340 - run.count.total)
            #expect(run.count.total - before <= 64, "step \(steps)")
            steps += 1
        }
        #expect(run.count.total == 340 && steps >= 6, "\(steps) steps")
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
        _ = try sqlite(scratch.file, "UPDATE entry SET content_sum = content_sum + 1 WHERE target = '/2'")
        #expect(await store.purged(.soft) == 600)
        #expect(try sqlite(scratch.file, "SELECT count(*) FROM entry") == 598)
    }
}
