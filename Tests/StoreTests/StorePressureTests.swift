import CSQLite
import Foundation
import Purging
import Synchronization
import TestSupport
import Testing

@testable import Store

/// The use of the disk under twenty times the limit.
@Suite(.timeLimit(.minutes(10))) struct StorePressureTests {
    let scratch = Scratch()
    private static let cacheSize = 4 << 20

    /// The segments, the database, its log, the log's index and a rollback journal.
    private func diskBytes() -> Int {
        ["", "-wal", "-shm", "-journal"].reduce(scratch.segments.values.reduce(0, +)) {
            $0 + DatabaseFile.size(scratch.file + $1)
        }
    }

    /// From 200 bytes to 200 KiB, each order of magnitude as likely as the next.
    private func body(using generator: inout SeededGenerator) -> String {
        let size = 200 * pow(1_024, Double.random(in: 0..<1, using: &generator))
        return filler(Int(size))
    }

    @Test(arguments: TestSize.of([81], release: [81, 82]) as [UInt64])
    func sizesHoldAtEveryMomentWithSeveralWriters(seed: UInt64) throws {
        let store = scratch.open(maxBytes: Self.cacheSize)
        let largest = Mutex(0)
        let sweeps = Sweeps()
        concurrently(4) { thread in
            var generator = SeededGenerator(seed: seed &* 10 &+ UInt64(thread))
            let reader = store.makeReader()
            var (sent, unflushed) = (0, 0)
            var time = noon
            while sent < 5 * Self.cacheSize {
                let number = Int.random(in: 0..<2_000, using: &generator)
                time += 1
                switch Int.random(in: 0..<40, using: &generator) {
                case 0: store.remove("/\(number)")
                case 1:
                    store.note(
                        Bool.random(using: &generator) ? .hard : .soft, EntrySelection([.target("/\(number)")]))
                    sweeps.sweep(store)
                case 2..<20: _ = reader.find("/\(number)", at: time)
                default:
                    let fresh = record("/\(number)", body(using: &generator), at: time)
                    store.store(fresh)
                    (sent, unflushed) = (sent + fresh.body.count, unflushed + fresh.body.count)
                }
                // More than may wait would only be dropped.
                if unflushed > 1 << 20 {
                    store.flush()
                    unflushed = 0
                }
                let bytes = diskBytes()
                largest.withLock { $0 = max($0, bytes) }
            }
        }
        store.flush()
        let most = largest.withLock { $0 }
        #expect(most <= Self.cacheSize, "seed \(seed): \(most) bytes on disk")
        #expect(store.status.evicted > 0 && store.status.dropped == 0 && store.status.failedTransactions == 0)
        #expect(store.byteCount > Self.cacheSize / 2, "seed \(seed): evicts no more than it must: \(store.byteCount)")
        #expect(try sqlite(scratch.file, "SELECT sum(size) FROM entry") == Int64(store.byteCount))
        #expect(try sqlite(scratch.file, "SELECT count(*) FROM entry") == Int64(store.entries))
        #expect(try scratch.isSound)
    }

    @Test func manySmallEntriesKeepTheLogWithinItsBound() {
        let store = scratch.open(maxBytes: Self.cacheSize)
        let count = 20_000
        for number in 0..<count {
            store.store(record("/\(number)", at: noon + Int64(number)))
            if number % 500 == 0 {
                store.flush()
                #expect(diskBytes() <= Self.cacheSize)
            }
        }
        store.flush()
        for number in 0..<count { store.touch("/\(number)", at: noon + 100_000) }
        store.flush()
        #expect(diskBytes() <= Self.cacheSize && store.status.evicted > 0)
    }

    /// Rows of small answers take pages; large answers need that room.
    @Test func pagesThatManySmallAnswersHadAreGivenBack() throws {
        let store = scratch.open(maxBytes: Self.cacheSize)
        store.write((0..<8_000).map { record("/small/\($0)", at: noon + Int64($0)) }, atOnce: 500)
        let large = (0..<900).map { record("/large/\($0)", filler(9_000), at: noon + 100_000 + Int64($0)) }
        store.write(large, atOnce: 50)
        let free = Int(try sqlite(scratch.file, "PRAGMA freelist_count")) * Schema.pageBytes
        #expect(free < SpaceBounds(maxBytes: Self.cacheSize).fileBytes / 8, "\(free) bytes hold nothing")
    }

    /// Stores until the log is full that the reader it returns needs.
    private func fillTheLog(_ store: RecordStore) throws -> Database {
        store.write(record("/first"))
        let other = try Database(path: scratch.file, mode: .readOnly, busyTimeout: .zero)
        try other.execute("BEGIN; SELECT count(*) FROM entry")
        for number in 0..<4_000 where !store.health.isFailing {
            store.store(record("/\(number)", at: noon + Int64(number)))
            if number % 20 == 0 { store.flush() }
        }
        store.flush()
        try #require(store.health.isFailing, "\(store.health)")
        return other
    }

    /// The purge was refused, and the answers that it chose were still found.
    @Test func aPurgeCountsAtOnceThoughTheLogIsFull() async throws {
        let (store, reader) = scratch.openWithReader(maxBytes: Self.cacheSize)
        let other = try fillTheLog(store)
        #expect(await store.purged(.hard) != nil)
        #expect(reader.find("/first") == nil && reader.find("/1") == nil)
        #expect(try sqlite(scratch.file, "SELECT count(*) FROM entry") > 0, "the file has it still")
        let sweeps = Sweeps()
        store.onOwedSweep { [weak store] in store.map(sweeps.sweep) }
        try other.execute("ROLLBACK")
        store.flush()
        waitUntil(within: 120) { !store.purges.isSweeping }
        #expect(try sqlite(scratch.file, "SELECT count(*) FROM entry") == 0)
    }

    /// The log was emptied between records and their rows, and took the segments of these for dead.
    @Test func aReaderThatNeverEndsMakesTheLogNoLarger() throws {
        let (store, reader) = scratch.openWithReader(maxBytes: Self.cacheSize)
        let other = try fillTheLog(store)
        #expect(DatabaseFile.size(scratch.file + "-wal") <= SpaceBounds(maxBytes: Self.cacheSize).journalBytes)
        #expect(diskBytes() <= Self.cacheSize && scratch.said.count == 1, "\(scratch.said)")
        // Several segments of them in one batch.
        let size = SpaceBounds(maxBytes: Self.cacheSize).segmentBytes / 3
        let waiting = (0..<12).map { record("/large/\($0)", filler(size + $0)) }
        for each in waiting { store.store(each) }
        try other.execute("ROLLBACK")
        store.flush()
        for each in waiting { #expect(content(reader.find(each.key, at: noon + 1)) == content(each)) }
        #expect(store.status.damaged == 0 && store.status.evicted == 0 && store.status.dropped == 0)
        #expect(store.health == .available && scratch.said.count == 2, "\(scratch.said)")
    }

    @Test func theKeyFindsARowByItsIndexAndOpeningCountsNothing() throws {
        let store = scratch.open()
        let long = filler(500)
        for number in 0..<2_000 { store.store(record("/\(number)/\(long)")) }
        store.close()
        let plan = try texts(scratch.file, "EXPLAIN QUERY PLAN " + RecordRow.select, [.integer(1)], column: 3)
        #expect(plan.count { $0.hasPrefix("SEARCH ") } == 1 && !plan.contains { $0.hasPrefix("SCAN ") }, "\(plan)")
        // A connection that read every row would have read every page.
        let database = try Database(path: scratch.file, mode: .readWrite, busyTimeout: .zero)
        _ = try WriterConnection(
            database, SpaceBounds(maxBytes: 64 << 20),
            RowLedger(KeyDirectory(mostKeys: 9_999), SegmentLog(Segments(besides: scratch.file))))
        #expect(database.pagesRead < 40, "\(database.pagesRead)")
        _ = try database.integer("SELECT sum(size) FROM entry")
        #expect(database.pagesRead > 200)
    }
}

extension Database {
    fileprivate var pagesRead: Int {
        var (current, peak) = (Int32(0), Int32(0))
        sqlite3_db_status(handle, SQLITE_DBSTATUS_CACHE_MISS, &current, &peak, 0)
        return Int(current)
    }
}
