import Dispatch
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import Cache
@testable import Store

struct IdleWriterTests {
    private func started(_ drain: @escaping @Sendable () -> Void) -> IdleWriter {
        let writer = IdleWriter()
        writer.start(drain) { _ in }
        waitUntil(within: 600) { writer.mayWrite }
        return writer
    }

    @Test func itRunsEachTimeItIsAsked() {
        let ran = DispatchSemaphore(value: 0)
        let runs = Mutex(0)
        let writer = started {
            runs.withLock { $0 += 1 }
            ran.signal()
        }
        for round in 1...3 {
            // The thread takes the next order after the run has returned.
            #expect(waitUntil(within: 600) { writer.ask() })
            ran.waitOrFail(within: 600)
            #expect(runs.withLock { $0 } == round)
        }
        writer.end()
    }

    /// The writer gets no time on a busy machine: other threads do its work by the next turn.
    @Test func aBusyWriterIsNotAskedAgain() {
        let (begun, goesOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let writer = started {
            begun.signal()
            goesOn.waitOrFail(within: 600)
        }
        #expect(writer.ask())
        begun.waitOrFail(within: 600)
        #expect(!writer.ask())
        goesOn.signal()
        waitUntil(within: 600) { writer.ask() }
        goesOn.signal()
        writer.end()
    }

    @Test func aPausedOrMissingThreadIsAskedForNothing() {
        let writer = started {}
        writer.overtake()
        #expect(!writer.mayWrite && !writer.ask())
        writer.end()
        #expect(!IdleWriter().ask())
    }

    private let scratch = Scratch()

    private func little(_ store: FileTier) -> StoreWork.Little {
        store.runner.work.withLock { $0.writeLittle() }
    }

    /// A store whose thread stays away, and which knows its file.
    private func quiet(maxBytes: Int = 64 << 20) -> FileTier {
        let store = scratch.open(maxBytes: maxBytes)
        store.runner.idle.end()
        store.flush()
        waitUntil { store.shared.directory.known == .max }
        return store
    }

    private func enqueue(_ responses: [StoredResponse], in store: FileTier) {
        store.shared.pending.withLock { pending in
            for response in responses {
                _ = pending.enqueue(.store(WaitingRecord(response.record)), response.key.index)
            }
        }
    }

    @Test func oneTransactionIsSmallAndWritesUsesAlone() throws {
        let store = quiet()
        let kept = response("/kept")
        store.write(kept)
        store.shared.pending.withLock { $0.touch(kept.key.index, at: 2_000_000_000) }
        #expect(little(store) == .wrote && little(store) == .nothing)
        #expect(try sqlite(scratch.file, "SELECT last_used FROM entry") == 2_000_000_000)
        enqueue((0..<150).map { response("/\($0)") }, in: store)
        for left in [86, 22, 0] {
            #expect(little(store) == .wrote)
            #expect(store.entries == 151 - left && store.shared.pending.withLock { $0.queued.count } == left)
            #expect(store.shared.pending.withLock { $0.inFlight.isEmpty })
        }
        #expect(little(store) == .nothing)
    }

    /// Room is made by the queue: it takes long, and others wait for the lock meanwhile.
    @Test func writesThatNeedRoomAreLeftToTheQueue() {
        let store = quiet(maxBytes: 16 << 20)
        var rounds = 0
        while rounds < 300 {
            enqueue((0..<IdleWriter.batchRows).map { response("/\(rounds)/\($0)", filler(2_000)) }, in: store)
            rounds += 1
            if little(store) == .cannot { break }
        }
        #expect(rounds < 300)
        #expect(store.shared.pending.withLock { ($0.queued.count, $0.inFlight.count) } == (IdleWriter.batchRows, 0))
        store.flush()
        #expect(store.shared.pending.withLock { $0.isEmpty } && store.status.evicted > 0)
    }

    @Test func aFileThatWasRemovedIsLeftToOthers() throws {
        let store = quiet()
        #expect(store.runner.work.withLock { $0.hold.isInPlace })
        enqueue([response("/a")], in: store)
        unlink(scratch.file)
        #expect(!store.runner.work.withLock { $0.hold.isInPlace })
        store.runner.writeIdly()
        // The queue makes another file of that name.
        waitUntil { store.entries == 1 && store.health == .available }
        #expect(try sqlite(scratch.file, "SELECT count(*) FROM entry") == 1)
    }

    /// Everything is written once, by whichever thread.
    @Test func theThreadWritesWhatIsStored() {
        let store = scratch.open()
        waitUntil { store.shared.directory.known == .max }
        for number in 0..<300 { store.store(response("/\(number)")) }
        waitUntil(within: 120) { store.entries == 300 }
        #expect(store.entries == 300 && store.status.dropped == 0)
    }
}
