import Foundation
import Glibc
import Purging
import Synchronization
import TestSupport
import Testing

@testable import Store

/// Disks that cannot be read or take nothing; clocks that were ahead; bounds that were lowered.
@Suite(.timeLimit(.minutes(10))) struct StoreDiskTests {
    let scratch = Scratch()

    private func entries(_ range: Range<Int>, _ bytes: Int = 8_000, at time: Int64 = noon) -> [Record] {
        range.map { record("/\($0)", filler(bytes), at: time) }
    }

    /// A link in place of a segment is not followed.
    private func makeUnopenable(_ segment: Int) {
        let path = Segments(besides: scratch.file).path(segment)
        #expect(rename(path, path + "x") == 0 && symlink(path + "x", path) == 0)
    }

    /// Nothing was written any more, and answers were found that a refused purge had chosen.
    @Test(arguments: [false, true])
    func aSegmentThatCannotBeReadCostsWhatItHoldsAndNothingElse(isUnopenable: Bool) async throws {
        let all = entries(0..<300)
        scratch.fill(all, maxBytes: 8 << 20, atOnce: 50)
        let lost = Set(try texts(scratch.file, "SELECT target FROM entry WHERE abs(place) >> 39 = 3"))
        try #require(!lost.isEmpty && lost.count < 100)
        if isUnopenable { makeUnopenable(3) } else { scratch.makeUnreadable(3) }
        let (store, reader) = scratch.openWithReader(maxBytes: 8 << 20)
        // The failure that was reported is not examined before the end.
        store.runner.suspendBetweenTurns()
        for each in all {
            #expect(content(reader.find(each.key)) == (lost.contains(each.path) ? nil : content(each)))
        }
        store.runner.queue.resume()
        waitUntil { store.status.lost == lost.count }
        let said = scratch.said.count { $0.contains("segment 000003 cannot be read") }
        #expect(store.health == .available && said == 1, "\(scratch.said)")
        let new = entries(1_000..<2_000)
        store.write(new, atOnce: 50)
        #expect(store.status.failedTransactions == 0 && store.status.dropped == 0)
        #expect(content(reader.find(new[999].key)) == content(new[999]))
        let count = store.entries
        #expect(await store.purged(.hard) == count && store.entries == 0)
    }

    /// The writer met the segment whenever the log was to be copied, and wrote nothing any more.
    @Test func aSegmentThatCannotBeOpenedEndsNoWriting() throws {
        scratch.fill(entries(0..<40), maxBytes: 4 << 20)
        makeUnopenable(1)
        let store = scratch.open(maxBytes: 4 << 20)
        store.write(entries(1_000..<2_000), atOnce: 50)
        #expect(store.health == .available && store.status.lost > 0)
        #expect(store.makeReader().find("/1999") != nil)
    }

    /// The segment is as good as before when the process has a descriptor again.
    @Test(arguments: [EMFILE, ENFILE, ENOMEM])
    func aProcessThatHasNothingLeftLosesNoSegment(code: CInt) {
        #expect(SegmentFile.error(code, "a segment cannot be opened").fault == .other)
        let segments = Segments(besides: scratch.file)
        #expect(mkdir(segments.folder, 0o700) == 0 && (try? segments.openForWriting(1, isNew: true)) != nil)
        let scarce = SegmentFile.error(code, "a segment cannot be opened")
        #expect(throws: scarce) { try segments.reading(1) { (_) throws(SQLiteError) -> Int? in throw scarce } }
        let failed = SegmentFile.error(EIO, "a segment cannot be opened")
        let error = #expect(throws: SQLiteError.self) {
            try segments.reading(1) { (_) throws(SQLiteError) -> Int? in throw failed }
        }
        #expect(error?.fault == .segment(1))
    }

    @Test func aPageThatCannotBeReadHasTheFileSetAsideOnce() throws {
        let store = scratch.open()
        store.write(entries(0..<40), atOnce: 50)
        FailingReads.run(in: scratch.directory, .max) {
            waitUntil {
                store.report("a read failed", code: SQLiteError.failedRead)
                store.runner.queue.sync {}
                return !scratch.setAside.isEmpty
            }
        }
        #expect(scratch.setAside.count == 1 && store.status.lost == 40, "\(scratch.said)")
        let new = entries(100..<110)
        store.write(new, atOnce: 50)
        #expect(store.health == .available && store.entries == new.count)
    }

    /// Random stores, purges and look-ups through the states of the file.
    @Test(arguments: TestSize.of([11], release: [11, 12]) as [UInt64])
    func memoryIsBoundedInEveryStateOfTheFile(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let folder = scratch.directory + "/inner"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        let (store, reader) = scratch.openWithReader(maxBytes: 4 << 20, file: folder + "/cache.sqlite")
        let sweeps = Sweeps()
        for step in 0..<3_000 {
            let number = Int.random(in: 0..<5_000, using: &generator)
            switch Int.random(in: 0..<400, using: &generator) {
            case 0: try? FileManager.default.removeItem(atPath: folder)
            case 1: try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
            case 2: store.lend()
            case 3, 4: store.takeBack()
            case 5: store.flush()
            case 6..<20:
                store.note(step % 2 == 0 ? .hard : .soft, EntrySelection([.prefix("/\(number % 50)")]))
                store.sync { _ in }
                sweeps.sweep(store)
            case 20..<100: _ = reader.find("/\(number)")
            case 100..<200: store.remove("/\(number)")
            default: store.store(record("/\(number)", filler(40_000)))
            }
            let bytes = store.shared.pending.withLock { $0.byteCount }
            try #require(bytes <= PendingWrites.maxBytes, "seed \(seed), step \(step): \(bytes) bytes wait")
        }
    }

    /// Answers stored while the clock was ahead were evicted last, for as long.
    @Test func answersFromTheFutureMakeRoom() {
        let ahead = noon + 30 * 86_400
        let clock = Atomic(ahead)
        let store = scratch.open(maxBytes: 4 << 20, now: { clock.load(ordering: .relaxed) })
        store.write(entries(0..<400, at: ahead), atOnce: 50)
        clock.store(noon, ordering: .relaxed)
        let new = entries(1_000..<1_200)
        // It ends step by step; answers that came meanwhile are stored again.
        store.write(new, atOnce: 50)
        waitUntil { scratch.said.contains { $0.contains("in the future") } }
        store.write(new, atOnce: 50)
        let reader = store.makeReader()
        #expect(new.allSatisfy { reader.find($0.key, at: noon) != nil })
        #expect(scratch.said.count { $0.contains("in the future") } == 1, "\(scratch.said)")
    }

    /// Purges and the end of the process had to wait until the file had shrunk.
    @Test func aPurgeAndTheEndHaveTheirTurnWhileAFileShrinks() async throws {
        scratch.fill(entries(0..<600, 30_000), atOnce: 50)
        let store = scratch.open(maxBytes: 2 << 20)
        #expect(await store.purged(.hard, [.target("/599")]) ?? 0 <= 1)
        store.write(record("/new"))
        #expect(store.makeReader().find("/new") != nil)
        waitUntil(within: 120) {
            scratch.segments.values.reduce(DatabaseFile.size(scratch.file), +)
                <= SpaceBounds(maxBytes: 2 << 20).fileBytes
        }
        #expect(store.status.evicted > 0 && store.health == .available)
    }

    /// A process that ended while its disk refused a purge left the purge undone.
    @Test func aFileThatCouldNotBePurgedIsNotLeftToTheNextProcess() async throws {
        let store = scratch.open()
        store.write(entries(0..<20), atOnce: 50)
        let other = try Database(path: scratch.file, mode: .readWrite, busyTimeout: .zero)
        try other.execute("BEGIN IMMEDIATE")
        #expect(await store.purged(.hard) != nil && store.purges.isSweeping)
        #expect(store.makeReader().find("/1") == nil)
        store.close()
        try other.execute("ROLLBACK")
        #expect(scratch.setAside.count == 1)
        let next = scratch.open()
        #expect(next.entries == 0 && next.makeReader().find("/1") == nil)
    }
}
