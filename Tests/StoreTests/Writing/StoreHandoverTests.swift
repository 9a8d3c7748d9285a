import Foundation
import Purging
import Synchronization
import TestSupport
import Testing

@testable import Store

@Suite(.timeLimit(.minutes(10))) struct StoreHandoverTests {
    let scratch = Scratch()

    /// The store of the other process, with the lock that it was handed.
    private func successor(of store: RecordStore) throws -> RecordStore {
        let descriptor = try #require(store.copiedLock)
        let lock = try #require(StoreLock(handedOver: descriptor, scratch.file))
        return scratch.open(lock: lock)
    }

    @Test func theNextProcessFindsWhatWasQueuedAndWritesAlone() async throws {
        let old = scratch.open()
        let reader = old.makeReader()
        old.write(record("/a"))
        #expect(reader.find("/a") != nil)
        old.store(record("/b"))
        old.lend()
        #expect(await old.purged(.hard, [.target("/none")]) == nil, "it says that it cannot")
        let new = try successor(of: old)
        #expect(new.health == .available && new.entries == 2)
        new.store(record("/c"))
        new.remove("/a")
        new.flush()
        // The old one reads the new one's changes of the file, and keeps its own answers to itself.
        #expect(reader.find("/c") != nil && reader.find("/a") == nil)
        old.write(record("/d"))
        #expect(new.entries == 2 && new.makeReader().find("/d") == nil)
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
        for target in ["/a", "/b"] { old.store(record(target)) }
        old.lend()
        old.remove("/b")
        let new = try successor(of: old)
        old.noteHandedOver()
        old.remove("/a")
        for target in ["/a", "/b"] { #expect(reader.find(target) == nil, "\(target)") }
        old.store(record("/a", "anew"))
        #expect(reader.find("/a")?.text == "anew")
        #expect(new.makeReader().find("/a")?.text == record("/a").text)
    }

    /// The purge was forgotten, or left out rows that the other process had numbered anew.
    @Test func aPurgeUnderWayGoesOnWhereTheFileIsTakenBack() throws {
        let old = scratch.open()
        old.write((0..<300).map { record("/\($0)") })
        let ends = Mutex<[SweepEnd]>([])
        // On the queue one after the other: the purge has taken one step when the file is lent.
        let runner = old.runner
        runner.suspendBetweenTurns()
        old.note(.hard, EntrySelection([.prefix("/")]))
        old.onOwedSweep { [purges = old.purges, weak old] in
            old?.sweep(Sweep(purges, waiting: []), at: noon) { sweep, end in
                if end == .done { purges.noteSwept(by: sweep) }
                ends.withLock { $0.append(end) }
            }
        }
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
        for number in 0..<300 { #expect(reader.find("/\(number)") == nil) }
        _ = try sqlite(scratch.file, "UPDATE entry SET id = -id RETURNING 1")
        old.takeBack()
        waitUntil { ends.withLock { $0 == [.refused, .done] } }
        #expect(!old.purges.isSweeping, "it was refused, and went on")
        #expect(try sqlite(scratch.file, "SELECT count(*) FROM entry") == 0)
        for number in 0..<300 { #expect(reader.find("/\(number)") == nil) }
        old.close()
        #expect(scratch.setAside.isEmpty)
    }

    @Test func aFailedHandoverLosesNothing() throws {
        let old = scratch.open()
        old.store(record("/a"))
        old.lend()
        do {
            let new = try successor(of: old)
            new.write(record("/b"))
            new.close()
        }
        old.store(record("/c"))
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
