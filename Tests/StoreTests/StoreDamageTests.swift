import Foundation
import Glibc
import TestSupport
import Testing

@testable import Store

/// Files that are damaged, foreign, locked or absent: never a wrong byte, always an answer.
@Suite(.timeLimit(.minutes(60))) struct StoreDamageTests {
    let scratch = Scratch()
    private static let entries = numbered(60)

    private struct Files {
        var database: [UInt8]
        var segment: [UInt8]
        var count: Int { database.count + segment.count }

        mutating func change(_ index: Int, _ body: (inout UInt8) -> Void) {
            if index < database.count { body(&database[index]) } else { body(&segment[index - database.count]) }
        }
    }

    private var segment: String { Segments(besides: scratch.file).path(1) }

    @discardableResult
    private func goodFiles() throws -> Files {
        scratch.fill(Self.entries)
        func bytes(_ path: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(fileURLWithPath: path))) }
        return Files(database: try bytes(scratch.file), segment: try bytes(segment))
    }

    private func write(_ files: Files) throws {
        for name in scratch.names { try FileManager.default.removeItem(atPath: scratch.directory + "/" + name) }
        try Data(files.database).write(to: URL(fileURLWithPath: scratch.file))
        guard !files.segment.isEmpty else { return }
        try FileManager.default.createDirectory(
            atPath: Segments.folder(of: scratch.file), withIntermediateDirectories: false)
        try Data(files.segment).write(to: URL(fileURLWithPath: segment))
    }

    private func write(_ bytes: [UInt8]) throws { try write(Files(database: bytes, segment: [])) }

    /// Opens the file, reads everything, stores and reads again; how many entries were found.
    private func exercise(_ what: String) -> Int {
        let (store, reader) = scratch.openWithReader()
        var found = 0
        for each in Self.entries {
            guard let answer = reader.find(each.key) else { continue }
            found += 1
            if content(answer) != content(each) || answer.facts.times != each.facts.times {
                Issue.record("wrong bytes: \(what)")
            }
        }
        let fresh = record("/fresh", what)
        for _ in 0..<3 { store.write(fresh) }
        if store.health != .available { Issue.record("\(store.health): \(what)") }
        if content(reader.find(fresh.key, at: noon + 5)) != content(fresh) { Issue.record("does not store: \(what)") }
        store.close()
        return found
    }

    /// One bit, or 600 bytes in a row.
    @Test(arguments: [(2_026, nil), (77, 600)] as [(UInt64, Int?)])
    func damageAnywhereNeverServesWrongBytes(seed: UInt64, stretch: Int?) throws {
        let good = try goodFiles()
        var generator = SeededGenerator(seed: seed)
        var found = 0
        let rounds = stretch == nil ? TestSize.of(60, release: 2_000) : 60
        for round in 0..<rounds {
            var bytes = good
            if let stretch {
                let start = Int.random(in: 0..<bytes.count - stretch, using: &generator)
                for index in start..<start + stretch {
                    bytes.change(index) { $0 = UInt8.random(in: 0...255, using: &generator) }
                }
            } else {
                let bit = Int.random(in: 0..<bytes.count * 8, using: &generator)
                bytes.change(bit / 8) { $0 ^= 1 << (bit % 8) }
            }
            try write(bytes)
            found += exercise("seed \(seed), round \(round)")
        }
        // Most damage touches one row: the damaged row goes, not the cache.
        #expect(found > rounds * Self.entries.count * 8 / 10, "\(found)")
    }

    @Test func aTruncatedFileNeverServesWrongBytes() throws {
        let good = try goodFiles()
        var generator = SeededGenerator(seed: 9)
        for isSegment in [false, true] {
            let count = isSegment ? good.segment.count : good.database.count
            let edges = isSegment ? [31, 32, 63, 64, 65] : [15, 16, 99, 100, 511, 512, 4_095, 4_096, 4_097]
            let more = (0..<TestSize.of(30, release: 190)).map { _ in Int.random(in: 0..<count, using: &generator) }
            let found = try ([0, 1, count - 1] + edges + more).map { length in
                try write(
                    Files(
                        database: isSegment ? good.database : Array(good.database[..<length]),
                        segment: isSegment ? Array(good.segment[..<length]) : good.segment))
                return exercise("\(length) of \(count) bytes, segment: \(isSegment)")
            }
            // But for its last byte a file is whole; the entry that is cut is not served.
            #expect(found.max() == Self.entries.count - (isSegment ? 1 : 0))
        }
    }

    @Test func damageFoundWhileRunningIsSetAsideAndReplaced() throws {
        try goodFiles()
        let (store, reader) = scratch.openWithReader()
        // Work that begins with a file would find the damage before it is asked for.
        store.flush()
        store.runner.queue.sync {}
        try scratch.damage()
        // Answers that are found without the database are as good as ever.
        for each in Self.entries { #expect(content(reader.find(each.key)) == content(each)) }
        for _ in 0..<3 { store.write(Self.entries[0]) }
        #expect(store.health == .available)
        #expect(content(reader.find(Self.entries[0].key, at: noon + 5)) == content(Self.entries[0]))
        #expect(scratch.setAside.count == 1 && scratch.said.count { $0.contains("is unusable") } == 1)
        // The old reader's connection has gone; the fresh file's journal must not go with it.
        store.close()
        #expect(content(scratch.open().makeReader().find(Self.entries[0].key)) == content(Self.entries[0]))
    }

    @Test(
        arguments: [
            ("newer", "PRAGMA user_version = 99"), ("older", "PRAGMA user_version = \(Schema.version - 2)"),
            ("unversioned", "PRAGMA user_version = 0"), ("tables", "DROP TRIGGER entry_removed"),
            ("mark", "PRAGMA application_id = 1"), ("first page", nil),
        ] as [(String, String?)])
    func aFileOfOursThatIsOfNoUseIsKeptUnderAnotherName(kind: String, change: String?) throws {
        var files = try goodFiles()
        if let change {
            _ = try sqlite(scratch.file, change)
        } else {
            for index in 0..<Schema.pageBytes { files.change(index) { $0 = 0xA5 } }
            try write(files)
        }
        let store = scratch.open()
        #expect(store.health == .available && store.entries == 0)
        #expect(scratch.setAside.count == 1 && scratch.said.count == 1, "\(scratch.said)")
        #expect(scratch.said.first?.contains(scratch.setAside.first ?? "?") == true)
        if ["newer", "older"].contains(kind) {
            #expect(scratch.said.first?.contains("is \(kind) than \(Schema.version)") == true, "\(scratch.said)")
        }
        store.write(Self.entries[0])
        #expect(store.entries == 1)
    }

    /// Another program's file was renamed away, and a cache began in its place.
    @Test(arguments: ["text", "database", "database in a running one's place"])
    func aFileOfAnotherProgramIsLeftAlone(kind: String) throws {
        let precious = scratch.directory + "/precious"
        #expect(FileManager.default.createFile(atPath: precious, contents: kind == "text" ? Data(count: 5_000) : nil))
        if kind != "text" { _ = try sqlite(precious, "CREATE TABLE precious (x)") }
        let before = try Data(contentsOf: URL(fileURLWithPath: precious))
        let running = kind.hasSuffix("place") ? scratch.open() : nil
        #expect(rename(precious, scratch.file) == 0)
        let store = running ?? scratch.open()
        store.write(Self.entries[0])
        #expect(store.health.isUnavailable && scratch.setAside.isEmpty, "\(scratch.names)")
        #expect(scratch.said.contains { $0.contains("not a cache file") || $0.contains("replaced") })
        #expect(try Data(contentsOf: URL(fileURLWithPath: scratch.file)) == before)
        #expect(running != nil || !scratch.names.contains("cache.sqlite.segments"), "it would be a sign")
        #expect(rename(scratch.file, precious) == 0)
        store.flush()
        #expect(store.health == .available && store.entries == 1, "\(scratch.said)")
    }

    /// A process that owed a purge renamed, at its end, any file that had the name.
    @Test func aPurgeThatIsOwedDoesNotCostAFileOfAnotherProgram() async throws {
        try write([])
        _ = try sqlite(scratch.file, "CREATE TABLE precious (x)")
        let store = scratch.open()
        #expect(await store.purged(.hard) != nil)
        store.close()
        #expect(scratch.setAside.isEmpty)
        #expect(try sqlite(scratch.file, "SELECT count(*) FROM sqlite_schema WHERE name = 'precious'") == 1)
    }

    @Test func aJournalGoesWithTheFileThatIsSetAside() throws {
        // A journal left next to the fresh file would be rolled back into it.
        try write([])
        do {
            let newer = try Database(path: scratch.file, mode: .readWrite, busyTimeout: .zero)
            try newer.execute("PRAGMA journal_mode = PERSIST; PRAGMA application_id = \(Schema.applicationID)")
            try newer.execute("CREATE TABLE unknown (x)")
        }
        let journal = try Data(contentsOf: URL(fileURLWithPath: scratch.file + "-journal"))
        #expect(!journal.isEmpty)
        let store = scratch.open()
        #expect(store.health == .available && scratch.setAside.count == 1)
        let kept = scratch.directory + "/" + (scratch.setAside.first ?? "")
        #expect(try Data(contentsOf: URL(fileURLWithPath: kept + "-journal")) == journal)
        #expect(!scratch.names.contains("cache.sqlite-journal"))
    }

    /// In a process of its own, because the mask is the process's.
    @Test func theFileIsForItsOwnerAlone() async {
        await #expect(processExitsWith: .success) {
            umask(0)
            let scratch = Scratch()
            let store = scratch.open()
            store.write(StoreDamageTests.entries[0])
            for name in scratch.names + ["cache.sqlite.segments/000001"] {
                var status = stat()
                stat(scratch.directory + "/" + name, &status)
                try #require(status.st_mode & 0o777 == (name.hasSuffix(".segments") ? 0o700 : 0o600), "\(name)")
            }
            try #require(scratch.names.contains("cache.sqlite-wal"))
        }
    }

    @Test(arguments: ["/nonexistent-directory/cache.sqlite", "/proc/cache.sqlite", "/dev/null", "/"])
    func withoutAUsableFileTheStoreSaysSoAndTheRestGoesOn(path: String) throws {
        let (store, reader) = scratch.openWithReader(file: path)
        try #require(store.health.isUnavailable, "\(store.health)")
        #expect(store.check.checkPiece() == nil)
        store.write(Self.entries[0])
        #expect(content(reader.find("/0")) == content(Self.entries[0]))
        #expect(reader.find("/other") == nil)
        #expect(scratch.said.count == 1, "\(scratch.said)")
    }

    /// In a process of its own: root may write anywhere, so it becomes another user there.
    @Test func aReadOnlyDirectoryLeavesTheFileAloneAndTheProxyRunning() async {
        await #expect(processExitsWith: .success) {
            let scratch = Scratch()
            try Data().write(to: URL(fileURLWithPath: scratch.file))
            _ = try sqlite(scratch.file, "PRAGMA application_id = \(Schema.applicationID)")
            if geteuid() == 0 { chown(scratch.file, 65_534, 65_534) }
            chmod(scratch.directory, 0o555)
            defer { chmod(scratch.directory, 0o755) }
            for (names, words) in [
                (["cache.sqlite"], "Permission denied"), (["cache.sqlite", "cache.sqlite.lock"], "cannot be renamed"),
            ] {
                // There is room for a lock in the second round alone.
                if names.count > 1 {
                    chmod(scratch.directory, 0o755)
                    try #require(FileManager.default.createFile(atPath: scratch.file + ".lock", contents: nil))
                    if geteuid() == 0 { chown(scratch.file + ".lock", 65_534, 65_534) }
                    chmod(scratch.directory, 0o555)
                }
                let user = geteuid()
                if user == 0 { try #require(seteuid(65_534) == 0) }
                let store = scratch.open()
                if user == 0 { try #require(seteuid(0) == 0) }
                try #require(store.health.isUnavailable && "\(store.health)".contains(words), "\(store.health)")
                try #require(scratch.setAside.isEmpty && scratch.names == names)
            }
        }
    }

    @Test func aLockHeldByAnotherProcessDelaysWritesAndLosesNothing() throws {
        let (store, reader) = scratch.openWithReader()
        store.write(Self.entries[0])
        let other = try Database(path: scratch.file, mode: .readWrite, busyTimeout: .zero)
        try other.execute("BEGIN IMMEDIATE")
        store.store(Self.entries[1])
        store.remove("/0")
        store.flush()
        try #require(store.health.isFailing, "\(store.health)")
        store.flush()
        #expect(store.status.failedTransactions >= 2 && scratch.said.count == 1, "said once: \(scratch.said)")
        #expect(content(reader.find(Self.entries[1].key)) == content(Self.entries[1]))
        #expect(reader.find(Self.entries[0].key) == nil)
        try other.execute("ROLLBACK")
        store.flush()
        #expect(store.health == .available && store.entries == 1)
        #expect(scratch.said.count == 2 && scratch.setAside.isEmpty)
    }
}
