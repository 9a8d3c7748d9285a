import CSQLite
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Store

/// Gathered frames must be in the file when SQLite, a reader or a crash looks for them.
struct GatheredLogTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func database(_ mode: Database.Mode = .readWrite) throws -> Database {
        let path = folder.file("a.sqlite")
        if mode == .readWrite { _ = FileManager.default.createFile(atPath: path, contents: nil) }
        return try Database(path: path, mode: mode, busyTimeout: .zero)
    }

    private func gathering() throws -> Database {
        let database = try database()
        try database.execute("PRAGMA page_size = 2048; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL")
        try database.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, text TEXT); CREATE INDEX u ON t (text)")
        GatheredLog.gather(database)
        return database
    }

    private func insert(_ database: Database, _ numbers: Range<Int>) throws {
        for number in numbers { try database.execute("INSERT INTO t VALUES (\(number), hex(randomblob(200)))") }
    }

    /// Counts the rows in a copy of the files, as after a crash of the process at this moment.
    private func rowsInCopy() throws -> Int64 {
        let copy = try TemporaryFolder()
        for suffix in ["", "-wal"] {
            try FileManager.default.copyItem(
                atPath: folder.file("a.sqlite") + suffix, toPath: copy.file("a.sqlite") + suffix)
        }
        let database = try Database(path: copy.file("a.sqlite"), mode: .readWrite, busyTimeout: .zero)
        var verdict = ""
        try Statement(database, "PRAGMA integrity_check").forEachRow([]) { row in
            verdict += row.text(0)
            return true
        }
        #expect(verdict == "ok")
        return try database.integer("SELECT count(*) FROM t")
    }

    /// It called the bytes after the table in memory.
    @Test(arguments: [1, 2, 3, 4, 100])
    func aNewerSQLiteCallsNoMethodThatTheTableHasNoRoomFor(version: Int32) {
        var original = sqlite3_io_methods()
        original.iVersion = version
        #expect(GatheredLog.methods(like: original).iVersion == min(version, 3))
    }

    /// The log begins anew after every second one.
    @Test func aTransactionIsInTheFileWhenItIsCommitted() throws {
        let database = try gathering()
        let reader = try self.database(.readOnly)
        for round in 1...20 {
            try database.transaction { () throws(SQLiteError) in
                for number in 0..<round * 7 {
                    try database.execute("INSERT INTO t (text) VALUES (hex(randomblob(\(100 + number))))")
                }
            }
            let rows = try database.integer("SELECT count(*) FROM t")
            #expect(try reader.integer("SELECT count(*) FROM t") == rows)
            #expect(try rowsInCopy() == rows)
            guard round % 2 == 0 else { continue }
            #expect(try database.checkpoint())
            if round == 10 { try database.execute("PRAGMA wal_checkpoint(TRUNCATE)") }
            #expect(try rowsInCopy() == rows)
        }
    }

    /// Pages go to the log before the transaction's end, are read from there, and written over.
    @Test func pagesThatSpillAreReadBackWrittenOverOrRolledBack() throws {
        let database = try gathering()
        try database.execute("PRAGMA cache_size = 10; PRAGMA cache_spill = 5")
        for _ in 0..<3 {
            try database.execute("BEGIN IMMEDIATE")
            try insert(database, 1_000..<1_400)
            try database.execute("ROLLBACK")
            #expect(try rowsInCopy() == 0)
        }
        try database.transaction { () throws(SQLiteError) in
            for number in 0..<600 {
                try database.execute("INSERT INTO t VALUES (\(number), hex(randomblob(200)))")
                if number % 50 == 49 { try database.execute("UPDATE t SET text = text || 'x' WHERE id % 97 = 3") }
            }
        }
        #expect(try rowsInCopy() == 600)
        #expect(try database.integer("SELECT count(*) FROM t WHERE text LIKE '%x'") == 7)
        #expect(try database.checkpoint())
        #expect(try rowsInCopy() == 600)
    }

    /// SQLite took spilled pages for written: a commit told readers of frames that were lost.
    @Test func aTransactionOfWhichAPartWasLostFails() throws {
        let database = try database()
        try database.execute("PRAGMA page_size = 2048; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL")
        try database.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, text TEXT)")
        try database.execute("PRAGMA cache_size = 10; PRAGMA cache_spill = 5")
        let disk = try #require(FullDisk(under: database))
        GatheredLog.gather(database)
        try insert(database, 0..<20)
        for round in 1...3 {
            #expect(throws: SQLiteError.self) {
                try database.transaction { () throws(SQLiteError) in
                    for number in 0..<400 {
                        disk.isFull = number >= 50 * round
                        // A caller that ignores the failure of one statement fails at the commit.
                        try? database.execute("INSERT INTO t VALUES (\(1_000 + number), hex(randomblob(200)))")
                    }
                    disk.isFull = false
                }
            }
            #expect(try database.integer("SELECT count(*) FROM t") == 20)
            #expect(try rowsInCopy() == 20)
        }
        try insert(database, 20..<30)
        #expect(try rowsInCopy() == 30)
    }

    /// A few calls of the system in place of two for each page.
    @Test func aTransactionIsWrittenInFewPieces() throws {
        let database = try gathering()
        let before = try Self.writes()
        try database.transaction { () throws(SQLiteError) in
            for _ in 0..<1_000 { try database.execute("INSERT INTO t (text) VALUES (hex(randomblob(200)))") }
        }
        let (calls, bytes) = (try Self.writes().calls - before.calls, try Self.writes().bytes - before.bytes)
        #expect(bytes > 500_000 && calls < bytes / 4_096, "\(calls) calls, \(bytes) bytes")
    }

    private static func writes() throws -> (calls: Int, bytes: Int) {
        let text = try String(contentsOfFile: "/proc/thread-self/io", encoding: .utf8)
        func number(_ name: String) -> Int {
            text.components(separatedBy: "\n").first { $0.hasPrefix(name + ": ") }
                .flatMap { Int($0.dropFirst(name.count + 2)) } ?? 0
        }
        return (number("syscw"), number("wchar"))
    }
}

/// A layer between a log and its file that reports a full disk when told to.
private final class FullDisk {
    private struct Table {
        var methods: sqlite3_io_methods
        let write: @convention(c) (UnsafeMutablePointer<sqlite3_file>?, UnsafeRawPointer?, Int32, Int64) -> Int32
        var isFull = false
    }

    private let table: UnsafeMutablePointer<Table>

    init?(under database: Database) {
        guard let file = database.logFile, let original = file.pointee.pMethods?.pointee, let write = original.xWrite
        else { return nil }
        table = .allocate(capacity: 1)
        table.initialize(to: Table(methods: original, write: write))
        // The address in the file is GatheredLog's by then: it looks its own up by that.
        FullDisk.shared.withLock { $0 = UInt(bitPattern: table) }
        table.pointee.methods.xWrite = { file, bytes, count, offset in
            let address = FullDisk.shared.withLock { $0 }
            guard let table = UnsafeMutablePointer<Table>(bitPattern: address) else { return SQLITE_MISUSE }
            return table.pointee.isFull ? SQLITE_FULL : table.pointee.write(file, bytes, count, offset)
        }
        file.pointee.pMethods = UnsafeRawPointer(table).assumingMemoryBound(to: sqlite3_io_methods.self)
    }

    var isFull: Bool {
        get { table.pointee.isFull }
        set { table.pointee.isFull = newValue }
    }

    private static let shared = Mutex<UInt>(0)
}
