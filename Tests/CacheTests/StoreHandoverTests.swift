import Foundation
import TestSupport
import Testing

@testable import Cache

/// The file goes from one process to the next while both run.
@Suite struct StoreHandoverTests {
    let scratch = Scratch()

    /// The other process's, with the lock that it was handed.
    private func successor(of store: SQLiteStore) throws -> SQLiteStore {
        let descriptor = try #require(store.copiedLock)
        let lock = try #require(StoreLock(handedOver: descriptor, scratch.file))
        return SQLiteStore.open(path: scratch.file, maxBytes: 64 << 20, lock: lock) { _ in }
    }

    @Test func theNextProcessFindsWhatWasQueuedAndWritesAlone() throws {
        let old = scratch.open()
        let reader = old.makeReader()
        old.store(response("/a"))
        old.flush()
        #expect(reader.lookup(key("/a"), at: noon) != nil)
        old.store(response("/b"))
        old.lend()
        let new = try successor(of: old)
        #expect(new.health == .available && new.entries == 2)
        new.store(response("/c"))
        new.remove(key("/a"))
        new.flush()
        // The old one reads what the new one has made of the file, and keeps what it stores to
        // itself.
        #expect(reader.lookup(key("/c"), at: noon) != nil && reader.lookup(key("/a"), at: noon) == nil)
        old.store(response("/d"))
        old.flush()
        #expect(new.entries == 2 && new.makeReader().lookup(key("/d"), at: noon) == nil)
        old.noteHandedOver()
        old.close()
        #expect(StoreLock.holder(of: scratch.file) != nil, "the new one has it for itself now")
        new.close()
        #expect(StoreLock.holder(of: scratch.file) == nil)
        let next = scratch.open()
        #expect(next.entries == 2 && scratch.setAside.isEmpty)
        next.close()
    }

    @Test func aPurgeThatReachesTheOldProcessSaysThatItCouldNot() async throws {
        let old = scratch.open()
        old.store(response("/a"))
        old.lend()
        #expect(await old.purged(.hard) == nil)
        let new = try successor(of: old)
        #expect(await new.purged(.hard) == 1)
        new.close()
    }

    @Test func whereTheNextProcessDoesNotComeToBeNothingIsLost() throws {
        let old = scratch.open()
        old.store(response("/a"))
        old.lend()
        do {
            let new = try successor(of: old)
            new.store(response("/b"))
            new.flush()
            new.close()
        }
        old.store(response("/c"))
        #expect(throws: StoreLock.Failure.self) { try StoreLock(scratch.file) }
        old.takeBack()
        #expect(old.health == .available && old.entries == 3)
        #expect(StoreLock.holder(of: scratch.file) == Int(getpid()))
        old.close()
        #expect(try scratch.isSound)
    }

    @Test func theLockOfAnotherFileIsNotTakenForThisOnes() throws {
        let other = try StoreLock(scratch.file)
        let descriptor = try #require(other.copy())
        #expect(StoreLock(handedOver: descriptor, scratch.file + "2") == nil)
        #expect(fcntl(descriptor, F_GETFD) != -1)
        close(descriptor)
    }
}
