import Dispatch
import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import Store

/// One cache file, one proxy.
@Suite(.timeLimit(.minutes(10))) struct StoreLockTests {
    let scratch = Scratch()

    /// A second process opens another description of the lock's file, as this test does.
    @Test func aSecondProxyLeavesTheFileOfTheFirst() throws {
        let store = scratch.open()
        store.write(record("/a"))
        // Whatever a newer program would find wrong with it.
        _ = try sqlite(scratch.file, "PRAGMA user_version = 99")
        let lines = Mutex<[String]>([])
        let second = scratch.open(log: { line in lines.withLock { $0.append(line) } })
        #expect(second.health == .unavailable("\(scratch.file) is in use by process \(getpid())"))
        #expect(scratch.setAside.isEmpty && lines.withLock(\.count) == 1, "\(scratch.names)")
        second.write(record("/b"))
        #expect(second.makeReader().find("/b") != nil, "from memory")
        _ = try sqlite(scratch.file, "PRAGMA user_version = \(Schema.version)")
        store.close()
        second.flush()
        #expect(second.health == .available && second.entries == 2)
        #expect(lines.withLock(\.count) == 2, "\(lines.withLock { $0 })")
    }

    @Test func theLockSaysWhoHasItAndGoesWithItsHolder() throws {
        #expect(StoreLock.holder(of: scratch.file) == nil)
        var lock: StoreLock? = try StoreLock(scratch.file)
        #expect(StoreLock.holder(of: scratch.file) == Int(getpid()) && lock?.isInPlace == true)
        #expect(throws: StoreLock.Failure.taken(by: Int(getpid()))) { try StoreLock(scratch.file) }
        lock = nil
        #expect(StoreLock.holder(of: scratch.file) == nil)
        #expect(scratch.names == ["cache.sqlite.lock"], "removing it would let two have it")
        var status = stat()
        #expect(stat(scratch.file + ".lock", &status) == 0 && status.st_mode & 0o777 == 0o600 && status.st_size == 0)
        #expect(try StoreLock(scratch.file).isInPlace)
        // A program that is being started has copies of all descriptors.
        lock = try StoreLock(scratch.file)
        let copy = dup(try #require(lock?.descriptor))
        defer { close(copy) }
        lock = nil
        #expect(StoreLock.holder(of: scratch.file) == nil)
        _ = try StoreLock(scratch.file)
    }

    @Test func aProxyThatIsBeingReplacedIsWaitedFor() async throws {
        let other = scratch.open()
        let isSaid = DispatchSemaphore(value: 0)
        let file = scratch.file
        let lock = try await onThread {
            Thread.detachNewThread {
                isSaid.waitOrFail()
                other.close()
            }
            return try StoreLock.take(file, within: .seconds(600)) { holder in
                #expect(holder == Int(getpid()))
                isSaid.signal()
            }
        }
        let store = scratch.open(lock: lock)
        #expect(store.health == .available)
        #expect(throws: StoreLock.Failure.taken(by: Int(getpid()))) { try StoreLock.take(file, within: .zero) }
    }

    @Test func aTemporaryFileHasNoLock() {
        let store = scratch.open(isTemporary: true)
        #expect(store.health == .available && !scratch.names.contains("cache.sqlite.lock"))
    }

    @Test func filesInPlaceOfTheLockAreLeftAlone() throws {
        let lock = scratch.file + ".lock"
        let target = scratch.directory + "/precious"
        try Data("precious".utf8).write(to: URL(fileURLWithPath: target))
        #expect(symlink(target, lock) == 0)
        #expect(scratch.open().health.isUnavailable)
        unlink(lock)
        let text = String(repeating: "somebody's notes ", count: 10)
        try Data(text.utf8).write(to: URL(fileURLWithPath: lock))
        #expect(scratch.open().health.isUnavailable)
        #expect(try String(contentsOfFile: lock, encoding: .utf8) == text)
        #expect(try String(contentsOfFile: target, encoding: .utf8) == "precious")
    }

    @Test func aLockThatLostItsNameIsTakenAnew() throws {
        let store = scratch.open()
        for name in scratch.names { unlink(scratch.directory + "/" + name) }
        store.write(record("/a"))
        #expect(store.health == .available && StoreLock.holder(of: scratch.file) == Int(getpid()))
    }

    @Test func aLinkInPlaceOfTheFileIsNotFollowed() throws {
        let target = scratch.directory + "/elsewhere"
        try Data().write(to: URL(fileURLWithPath: target))
        chmod(target, 0o644)
        #expect(symlink(target, scratch.file) == 0)
        let store = scratch.open()
        #expect(store.health.isUnavailable && "\(store.health)".contains("symbolic link"))
        store.write(record("/a"))
        var status = stat()
        #expect(stat(target, &status) == 0 && status.st_mode & 0o777 == 0o644 && status.st_size == 0)
        #expect(throws: SQLiteError.self) {
            try Database(path: scratch.file, mode: .readWrite, busyTimeout: .zero).execute("PRAGMA user_version = 1")
        }
    }

    /// As systemd's StateDirectory= with DynamicUser=.
    @Test func aDirectoryMayBeALink() throws {
        let real = scratch.directory + "/private"
        try FileManager.default.createDirectory(atPath: real, withIntermediateDirectories: false)
        #expect(symlink("private", scratch.directory + "/state") == 0)
        let store = scratch.open(file: scratch.directory + "/state/cache.sqlite")
        store.write(record("/a"))
        #expect(store.health == .available && store.makeReader().find("/a") != nil)
        let other = scratch.open(file: real + "/cache.sqlite")
        #expect(other.health.isUnavailable, "one file by two names is one file")
    }
}
