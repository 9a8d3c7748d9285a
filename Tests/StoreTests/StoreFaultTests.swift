import Foundation
import Glibc
import TestSupport
import Testing

@testable import Store

/// A file system of a few mebibytes, so that a disk can be full.
private final class SmallDisk: Sendable {
    let directory: String

    static let canBeMounted = (try? SmallDisk(bytes: 1 << 20)) != nil

    init(bytes: Int) throws {
        directory = NSTemporaryDirectory() + "refrain-disk-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        guard mount("tmpfs", directory, "tmpfs", 0, "size=\(bytes),mode=0700") == 0 else {
            try FileManager.default.removeItem(atPath: directory)
            throw POSIXError(.EPERM)
        }
    }

    deinit {
        umount2(directory, Int32(MNT_DETACH))
        try? FileManager.default.removeItem(atPath: directory)
    }

    var file: String { directory + "/cache.sqlite" }
    var usedBytes: Int { ["", "-wal", "-shm"].reduce(0) { $0 + DatabaseFile.size(file + $1) } }

    /// Takes all that is left; removing the file gives it back.
    func fill() throws -> String {
        let path = directory + "/filler"
        _ = FileManager.default.createFile(atPath: path, contents: nil)
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        for size in [1 << 16, 1 << 12, 1] { while (try? handle.write(contentsOf: Data(count: size))) != nil {} }
        return path
    }
}

/// Memory goes on, it is said once, and the store finds its way back without help.
extension Requirement {
    fileprivate static let smallDisk = Requirement("no right to mount: no disk was filled") { SmallDisk.canBeMounted }
}

@Suite(.timeLimit(.minutes(10))) struct StoreFaultTests {
    let scratch = Scratch()
    private static let entries = numbered(40)

    private func filled(_ store: RecordStore) -> RecordReader {
        store.write(Self.entries)
        let reader = store.makeReader()
        for each in Self.entries { #expect(content(reader.find(each.key)) == content(each)) }
        return reader
    }

    @Test(arguments: [["", "-wal", "-shm"], [""], ["", "-wal"]])
    func aFileDeletedWhileRunningIsReplacedByAFreshOne(suffixes: [String]) throws {
        let store = scratch.open()
        let reader = filled(store)
        let fresh = record("/fresh")
        // In one go: a turn in between finds the first file gone, and begins another, of which the
        // rest of them would be deleted.
        store.runner.work.withLock { _ in
            for suffix in suffixes { unlink(scratch.file + suffix) }
            store.store(fresh)
        }
        #expect(content(reader.find(fresh.key)) == content(fresh))
        store.flush()
        #expect(store.health == .available && store.entries == 1 && store.status.failedTransactions == 1)
        #expect(scratch.said.count == 2 && scratch.said[0].contains("removed"), "\(scratch.said)")
        #expect(content(reader.find(fresh.key)) == content(fresh))
        #expect(reader.find(Self.entries[3].key) == nil)
        store.close()
        #expect(try sqlite(scratch.file, "SELECT count(*) FROM entry") == 1)
        #expect(scratch.setAside.isEmpty)
    }

    @Test(arguments: ["-wal", "-shm"])
    func aJournalDeletedWhileRunningLosesNothing(suffix: String) throws {
        let store = scratch.open()
        let reader = filled(store)
        unlink(scratch.file + suffix)
        store.write(record("/fresh"))
        #expect(store.health == .available && scratch.said.count == 2, "\(scratch.said)")
        for each in Self.entries { #expect(content(reader.find(each.key)) == content(each)) }
        store.close()
        #expect(try sqlite(scratch.file, "SELECT count(*) FROM entry") == Int64(Self.entries.count + 1))
        #expect(try scratch.isSound)
    }

    @Test func anotherCacheThatTookTheNameIsUsed() throws {
        let other = scratch.open(file: scratch.directory + "/other.sqlite")
        other.store(record("/theirs"))
        other.close()
        let store = scratch.open()
        let reader = filled(store)
        // In one go: a turn in between finds the folder gone, and begins a cache in its place.
        store.runner.work.withLock { _ in
            Segments.remove(folder: Segments.folder(of: scratch.file))
            for suffix in [".segments", ""] {
                #expect(rename(scratch.directory + "/other.sqlite" + suffix, scratch.file + suffix) == 0)
            }
        }
        store.write(record("/fresh"))
        #expect(store.health == .available && store.entries == 2)
        #expect(reader.find("/theirs") != nil && reader.find("/3") == nil)
    }

    @Test func aDirectoryRemovedAndBroughtBackIsUsedAgainByItself() throws {
        let directory = scratch.directory + "/inner"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
        let (store, reader) = scratch.openWithReader(file: directory + "/cache.sqlite")
        store.write(Self.entries[0])
        try FileManager.default.removeItem(atPath: directory)
        store.write(Self.entries[1])
        try #require(store.health.isUnavailable, "\(store.health)")
        #expect(content(reader.find("/1")) == content(Self.entries[1]))
        store.flush()
        #expect(scratch.said.count == 1 && store.status.failedTransactions > 2, "said once: \(scratch.said)")
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
        waitUntil { store.health == .available && store.entries == 1 }
        #expect(content(reader.find(Self.entries[1].key)) == content(Self.entries[1]))
        #expect(scratch.said.count == 2, "\(scratch.said)")
    }

    @Test func aFileThatAnotherProcessKeepsToItselfIsUsedOnceItIsFree() throws {
        scratch.fill(Self.entries)
        var other: Database? = try Database(path: scratch.file, mode: .readWrite, busyTimeout: .zero)
        try other?.execute("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; COMMIT")
        let (store, reader) = scratch.openWithReader()
        #expect(store.health != .available && scratch.said.count == 1, "\(store.health)")
        store.store(record("/fresh"))
        #expect(reader.find("/fresh") != nil && reader.find("/1") == nil)
        other = nil
        waitUntil { store.health == .available && store.entries == Self.entries.count + 1 }
        #expect(content(reader.find("/1", at: noon + 5)) == content(Self.entries[1]))
        #expect(scratch.setAside.isEmpty && scratch.said.count == 2, "\(scratch.said)")
    }

    @Test func aFileCutToNothingWhileRunningIsSetAside() throws {
        let store = scratch.open()
        let reader = filled(store)
        store.runner.work.withLock { try? $0.hold.connection?.database.execute("PRAGMA wal_checkpoint(TRUNCATE)") }
        truncate(scratch.file, 0)
        for round in 0..<4 {
            store.write(record("/fresh", "round \(round)"))
            for each in Self.entries {
                guard let found = reader.find(each.key, at: noon + Int64(round)) else { continue }
                #expect(content(found) == content(each))
            }
        }
        #expect(store.health == .available)
        #expect(content(reader.find("/fresh", at: noon + 10)) == content(record("/fresh", "round 3")))
        store.close()
        #expect(try scratch.isSound)
    }

    @Test func damagedFilesDoNotPileUp() throws {
        let store = scratch.open()
        for round in 0..<4 {
            _ = filled(store)
            // The first report is looked into, and the file is sound; a later one is believed.
            for _ in 0..<(round == 0 ? 2 : 1) {
                store.report("round \(round)")
                store.flush()
            }
        }
        #expect(store.health == .available && store.status.damaged == 4)
        #expect(scratch.setAside.count == 1, "\(scratch.names)")
    }

    @Test(.requires(.smallDisk))
    func aDiskThatOthersFillIsWaitedForAndNothingIsLost() throws {
        let disk = try SmallDisk(bytes: 4 << 20)
        let store = scratch.open(file: disk.file)
        let reader = filled(store)
        let filler = try disk.fill()
        let large = (0..<30).map { record("/large/\($0)", String(repeating: "\($0)", count: 20_000)) }
        store.write(large)
        try #require(store.health.isFailing, "\(store.health)")
        for each in large { #expect(content(reader.find(each.key)) == content(each)) }
        store.flush()
        #expect(scratch.said.count == 1 && store.status.failedTransactions >= 2, "said once: \(scratch.said)")
        #expect(content(reader.find(Self.entries[5].key)) == content(Self.entries[5]))
        unlink(filler)
        waitUntil { store.health == .available }
        #expect(store.entries == Self.entries.count + large.count && scratch.said.count == 2, "\(scratch.said)")
        store.close()
    }

    @Test(.requires(.smallDisk))
    func aWriteThatFitsInHalfIsTakenBack() throws {
        let disk = try SmallDisk(bytes: 1 << 20)
        let path = disk.directory + "/000001"
        let file = try SegmentFile(path, isNew: true, writing: true)
        let piece = [UInt8](repeating: 7, count: 64 << 10)
        try piece.withUnsafeBytes { try file.write($0, at: 0) }
        let tooMuch = [UInt8](repeating: 8, count: 2 << 20)
        #expect(throws: SQLiteError.self) { try tooMuch.withUnsafeBytes { try file.write($0, at: piece.count) } }
        #expect(DatabaseFile.size(path) == piece.count)
    }

    /// In its own process: another test's child could hold removed segments open, and their room.
    @Test(.requires(.smallDisk))
    func aCacheLargerThanTheDiskKeepsWithinTheDisk() async {
        await #expect(processExitsWith: .success) {
            let disk = try SmallDisk(bytes: 4 << 20)
            let scratch = Scratch()
            let store = scratch.open(maxBytes: 1 << 30, file: disk.file)
            var generator = SeededGenerator(seed: 91)
            for number in 0..<2_000 {
                let size = Int.random(in: 200..<40_000, using: &generator)
                store.store(record("/\(number)", filler(size), at: noon + Int64(number)))
                if number % 50 == 0 { store.flush() }
            }
            store.flush()
            try #require(store.health == .available && store.status.failedTransactions == 0, "\(scratch.said)")
            try #require(scratch.said == [] && store.byteCount > 1 << 20 && store.status.evicted > 1_000)
            try #require(store.makeReader().find("/1999") != nil && disk.usedBytes <= 4 << 20)
            store.close()
        }
    }
}
