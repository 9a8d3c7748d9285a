import Foundation
import TestSupport
import Testing

@testable import Store

@Suite(.timeLimit(.minutes(60))) struct SegmentTests {
    private let scratch = Scratch()

    /// Against a model, while segments come and go; then the same from a fresh start.
    @Test(arguments: TestSize.of([11], release: [11, 12, 13]) as [UInt64])
    func nothingIsLostOrMixedUpWhileSegmentsAreGivenUp(seed: UInt64) async throws {
        var generator = SeededGenerator(seed: seed)
        var store = scratch.open(maxBytes: 4 << 20)
        // The largest answer has a segment of its own.
        let most = max(SpaceBounds(maxBytes: 4 << 20).segmentBytes, 81_920)
        var model: [Int: Record] = [:]
        for round in 0..<TestSize.of(24, release: 300) {
            for _ in 0..<40 {
                let number = Int.random(in: 0..<600, using: &generator)
                let size = [100, 3_000, 9_000, 80_000][Int.random(in: 0..<40, using: &generator) / 13]
                let body = "\(seed) \(round) " + filler(size)
                let answer = record("/\(number)", body, at: noon + Int64(round))
                store.store(answer)
                model[number] = answer
            }
            store.flush()
            if round % 7 == 3 {
                let number = Int.random(in: 0..<600, using: &generator)
                store.remove("/\(number)")
                model[number] = nil
                _ = await store.purged(.soft, [.prefix("/\(round % 10)")], at: noon + Int64(round))
                store.flush()
            }
            if round % 10 == 9 {
                store.close()
                store = scratch.open(maxBytes: 4 << 20)
            }
            let reader = store.makeReader()
            var found = 0
            for number in 0..<600 {
                guard let answer = reader.find("/\(number)") else { continue }
                found += 1
                #expect(content(answer) == content(model[number]), "seed \(seed), round \(round), /\(number)")
            }
            #expect(scratch.segments.values.allSatisfy { $0 <= most }, "\(scratch.segments)")
            #expect(found == store.entries, "seed \(seed), round \(round): \(found) of \(store.entries)")
        }
        #expect(store.status.damaged == 0 && store.status.failedReads == 0, "\(store.status)")
        #expect(scratch.segments.keys.min() ?? 1 > 1, "the first segment was given up")
        #expect(try sqlite(scratch.file, "SELECT sum(size) FROM entry") == Int64(store.byteCount))
    }

    @Test func segmentsThatNoRowNamesGoAtTheNextStart() throws {
        scratch.fill([record("/a")])
        let orphan = Segments(besides: scratch.file).path(9)
        #expect(FileManager.default.createFile(atPath: orphan, contents: Data(count: 100)))
        let foreign = Segments.folder(of: scratch.file) + "/notes.txt"
        #expect(FileManager.default.createFile(atPath: foreign, contents: Data(count: 100)))
        let store = scratch.open()
        #expect(access(orphan, F_OK) != 0 && access(foreign, F_OK) == 0)
        // The last one has gone, and nothing is appended to it.
        store.write(record("/b"))
        #expect(store.health == .available && store.status.failedTransactions == 0)
        for target in ["/a", "/b"] {
            #expect(content(store.makeReader().find(target)) == content(record(target)))
        }
    }

    @Test func answersWhoseSegmentIsGoneAreGone() throws {
        scratch.fill((0..<9).map { record("/\($0)") })
        Segments.remove(folder: Segments.folder(of: scratch.file))
        let store = scratch.open()
        #expect(store.entries == 0 && store.status.damaged == 9)
        let said = scratch.said
        #expect(said.count == 1 && said[0].contains("9 answers were lost with their segments"), "\(said)")
        store.write(record("/1", "anew"))
        #expect(store.makeReader().find("/1")?.text == "anew")
    }

    /// A folder that is removed under a running store.
    @Test func aFolderRemovedWhileRunningIsMadeAnew() {
        let (store, reader) = scratch.openWithReader()
        store.write(record("/a"))
        Segments.remove(folder: Segments.folder(of: scratch.file))
        for round in 0..<2 { store.write(record("/b", "round \(round)")) }
        #expect(store.health == .available)
        #expect(reader.find("/b")?.text == "round 1")
        #expect(reader.find("/a") == nil)
    }

    /// The length of a record that a crash had cut off was believed: those after it were lost.
    @Test func recordsAfterATornOneAreMoved() throws {
        let first = scratch.open(maxBytes: 4 << 20)
        first.write(record("/before", "kept"))
        first.store(record("/torn", filler(9_000)))
        first.close()
        _ = try sqlite(scratch.file, "DELETE FROM entry WHERE target = '/torn' RETURNING 1")
        #expect(truncate(Segments(besides: scratch.file).path(1), 5_000) == 0)
        let store = scratch.open(maxBytes: 4 << 20)
        store.write(record("/after", "kept", at: noon + 1_000))
        #expect(scratch.segments.keys.min() == 1, "in the same segment")
        store.write((0..<1_000).map { record("/\($0)", filler(9_000)) }, atOnce: 50)
        #expect(scratch.segments.keys.min() ?? 1 > 1, "it was given up")
        #expect(store.makeReader().find("/after")?.text == "kept")
        #expect(store.status.damaged == 0)
    }

    /// Its live records were appended to the segment itself, and went with it.
    @Test func theLastSegmentOfAnEarlierRunIsNotCopiedIntoItself() {
        let first = scratch.open(maxBytes: 4 << 20)
        first.write((0..<20).map { record("/kept/\($0)", filler(200), at: noon + 9) })
        first.write((0..<600).map { record("/\($0)", filler(9_000), at: noon + Int64($0)) }, atOnce: 20)
        for number in 560..<600 { first.remove("/\(number)") }
        first.store(record("/last", "live", at: noon + 1_000))
        first.close()
        let (store, reader) = scratch.openWithReader(maxBytes: 4 << 20)
        waitUntil { store.shared.directory.known == .max }
        let before = store.entries
        store.write(record("/large", filler(400_000), at: noon + 1_000))
        #expect(reader.find("/last")?.text == "live")
        #expect(reader.find("/large") != nil && store.entries > before / 2)
        #expect(store.status.damaged == 0)
    }

    /// With all descriptors taken a folder seemed to be empty, and the rows of its answers went.
    @Test func aFolderIsNotEmptyAndAReadNotOverTooEarly() throws {
        #expect(try Segments.listed(in: scratch.file + ".none").isEmpty)
        let name = scratch.file + ".no-folder"
        try Data().write(to: URL(fileURLWithPath: name))
        #expect(throws: SQLiteError.self) { try Segments.listed(in: name) }
        // The kernel gives a file of its own in pieces.
        let path = "/proc/self/maps"
        var bytes = [UInt8](repeating: 0, count: 1 << 20)
        let handle = try #require(FileHandle(forReadingAtPath: path))
        let one = pread(handle.fileDescriptor, &bytes, bytes.count, 0)
        let file = try SegmentFile(path, writing: false)
        let all = try bytes.withUnsafeMutableBytes { try file.read($0, at: 0) }
        #expect(one > 0 && all > one, "\(one) of \(all)")
    }

    /// The rows of the first step were the last that were looked at.
    @Test func rowsWithoutSegmentsGoHoweverManyThereAre() throws {
        scratch.fill((0..<17_000).map { record("/\($0)", "") })
        try FileManager.default.removeItem(atPath: Segments.folder(of: scratch.file))
        let store = scratch.open()
        waitUntil(within: 120) { store.shared.directory.known == .max && store.entries == 0 }
        #expect(try sqlite(scratch.file, "SELECT count(*) FROM entry") == 0)
        #expect(store.entries == 0 && store.status.damaged == 17_000)
    }

    /// A transaction that failed had removed a row; the next one told the directory of it.
    @Test func aFailedTransactionLeavesTheDirectory() throws {
        scratch.fill([record("/a")])
        let database = try Database(path: scratch.file, mode: .readWrite, busyTimeout: .zero)
        let ledger = RowLedger(KeyDirectory(mostKeys: 99), try SegmentLog(Segments(besides: scratch.file)))
        let connection = try WriterConnection(database, SpaceBounds(maxBytes: 64 << 20), ledger)
        while try connection.learn() {}
        let index = key("/a").index
        let before = ledger.find(index)
        let id = try database.integer("SELECT id FROM entry")
        #expect(throws: SQLiteError.self) {
            try connection.transactions.write(0) { () throws(SQLiteError) in
                try connection.transactions.delete(id)
                throw SQLiteError(code: 13, message: "the disk is full")
            }
        }
        try connection.transactions.write(0) {}
        #expect(before != .absent && before != .unknown && ledger.find(index) == before)
    }

    @Test func aSoftPurgeIsKeptThroughARestartAndAMove() async throws {
        for round in 0..<2 {
            let store = scratch.open(maxBytes: 2 << 20)
            if round == 0 {
                store.write(record("/a", "one", times: RecordFacts.Times(freshFor: 50, staleFor: 50)))
                #expect(await store.purged(.soft, at: noon) == 1)
            } else {
                // Until the segment that it was written to is gone.
                for number in 0..<400 where store.makeReader().find("/a") != nil {
                    store.store(record("/\(number)", filler(20_000), at: noon))
                    store.touch("/a", at: noon + 1_000 + Int64(number))
                    store.flush()
                }
            }
            let found = try #require(store.makeReader().find("/a"))
            #expect(found.facts.times.freshFor == 0 && found.text == "one", "round \(round)")
            #expect(try sqlite(scratch.file, "SELECT place < 0 FROM entry WHERE target = '/a'") == 1)
            if round == 1 { #expect(try sqlite(scratch.file, "SELECT abs(place) >> 39 FROM entry") > 1) }
            store.close()
        }
    }
}
