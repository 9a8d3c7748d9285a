import Foundation
import Purging
import Synchronization
import TestSupport
import Testing

@testable import Cache
@testable import Store

@Suite(.timeLimit(.minutes(10))) struct StoreHandoverTests {
    let scratch = Scratch()

    /// The store of the other process, with the lock that it was handed.
    private func successor(of store: FileTier) throws -> FileTier {
        let descriptor = try #require(store.copiedLock)
        let lock = try #require(StoreLock(handedOver: descriptor, scratch.file))
        return FileTier.open(path: scratch.file, maxBytes: 64 << 20, lock: lock) { _ in }
    }

    @Test func theNextProcessFindsWhatWasQueuedAndWritesAlone() async throws {
        let old = scratch.open()
        let reader = old.makeReader()
        old.write(response("/a"))
        #expect(reader.lookup(key("/a"), at: noon) != nil)
        old.store(response("/b"))
        old.lend()
        #expect(await old.purged(.hard, EntrySelection([.target("/none")])) == nil, "it says that it cannot")
        let new = try successor(of: old)
        #expect(new.health == .available && new.entries == 2)
        new.store(response("/c"))
        new.remove(key("/a"))
        new.flush()
        // The old one reads the new one's changes of the file, and keeps its own answers to itself.
        #expect(reader.lookup(key("/c"), at: noon) != nil && reader.lookup(key("/a"), at: noon) == nil)
        old.write(response("/d"))
        #expect(new.entries == 2 && new.makeReader().lookup(key("/d"), at: noon) == nil)
        old.noteHandedOver()
        old.close()
        #expect(StoreLock.holder(of: scratch.file) != nil, "the new one has it for itself now")
        new.close()
        #expect(StoreLock.holder(of: scratch.file) == nil)
        let next = scratch.open()
        #expect(next.entries == 2 && scratch.setAside.isEmpty)
    }

    /// The queue was dropped with the file, and look-ups still read the file.
    @Test func answersRemovedAfterTheHandoverAreNotFound() throws {
        let old = scratch.open()
        let reader = old.makeReader()
        for target in ["/a", "/b"] { old.store(response(target)) }
        old.lend()
        old.remove(key("/b"))
        let new = try successor(of: old)
        old.noteHandedOver()
        old.remove(key("/a"))
        for target in ["/a", "/b"] { #expect(reader.lookup(key(target), at: noon) == nil, "\(target)") }
        old.store(response("/a", "anew"))
        #expect(reader.lookup(key("/a"), at: noon)?.body == Array("anew".utf8))
        #expect(new.makeReader().lookup(key("/a"), at: noon)?.body == response("/a").body)
    }

    /// The purge was forgotten, or left out rows that the other process had numbered anew.
    @Test func aPurgeUnderWayGoesOnWhereTheFileIsTakenBack() throws {
        let (cache, old) = scratch.cache()
        old.write((0..<300).map { response("/\($0)") })
        let told = Mutex<[Int?]>([])
        // On the queue one after the other: the purge has taken one step when the file is lent.
        let runner = old.runner
        runner.suspendBetweenTurns()
        cache.purge(EntrySelection([.prefix("/")]), .hard, at: noon) { count in told.withLock { $0.append(count) } }
        cache.purging.sync {}
        runner.queue.async { @Sendable in
            runner.drain(isForced: true)
            for order in runner.work.withLock({ $0.handle(.lend) }) {
                if case .ended(let completion, let sweep, let end) = order { completion(sweep, end) }
            }
        }
        runner.queue.resume()
        runner.queue.sync {}
        #expect((1..<300).contains(try sqlite(scratch.file, "SELECT count(*) FROM entry")))
        let reader = old.makeReader()
        for number in 0..<300 { #expect(reader.lookup(key("/\(number)"), at: noon) == nil) }
        _ = try sqlite(scratch.file, "UPDATE entry SET id = -id RETURNING 1")
        old.takeBack()
        waitUntil { !cache.purges.isSweeping }
        #expect(told.withLock { $0 } == [nil], "it was refused, and went on")
        #expect(try sqlite(scratch.file, "SELECT count(*) FROM entry") == 0)
        for number in 0..<300 { #expect(reader.lookup(key("/\(number)"), at: noon) == nil) }
        old.close()
        #expect(scratch.setAside.isEmpty)
    }

    @Test func aFailedHandoverLosesNothing() throws {
        let old = scratch.open()
        old.store(response("/a"))
        old.lend()
        do {
            let new = try successor(of: old)
            new.write(response("/b"))
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
