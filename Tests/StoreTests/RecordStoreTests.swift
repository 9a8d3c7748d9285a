import CSQLite
import Purging
import Synchronization
import TestSupport
import Testing

@testable import Store

/// A file whose records mean nothing to its owner.
@Suite(.timeLimit(.minutes(10))) struct RecordStoreTests {
    private let scratch = Scratch()

    private func opened(_ owner: PlainOwner = PlainOwner()) -> RecordStore { scratch.open(owner: owner) { noon } }

    private func synced(_ store: RecordStore) async -> Bool {
        await withCheckedContinuation { continuation in store.sync { continuation.resume(returning: $0) } }
    }

    /// In the queue, in the file, and where the file has yet to take it.
    @Test func aSoftPurgeLeavesWhatTheOwnerSays() async {
        let store = opened()
        let leading = record("/a/3", "", selecting: "accept-language")
        store.write(record("/a/1"), leading)
        store.store(record("/a/2"))
        #expect(await store.purged(.soft, [.prefix("/a/")]) == 2)
        let reader = store.makeReader()
        #expect(reader.find("/a/1")?.facts.times.freshFor == 0)
        #expect(reader.find("/a/2")?.facts.times.freshFor == 0)
        #expect(reader.find("/a/3")?.facts.times == leading.facts.times)
    }

    /// A loss of power brought back answers after their purge was answered.
    @Test func aPurgeIsOnTheDiskBeforeItIsAnswered() async throws {
        let store = opened()
        store.write(record("/a"), record("/b"))
        try LogDisk.standIn(for: store)
        for (mode, syncs) in [(PurgeMode.dryRun, 0), (.soft, 1), (.hard, 2)] {
            #expect(await store.purged(mode, [.target("/a")]) == 1)
            #expect(LogDisk.syncs.load(ordering: .relaxed) == syncs, "\(mode)")
        }
        store.write(record("/c"))
        #expect(LogDisk.syncs.load(ordering: .relaxed) == 2, "nothing else waits for the disk")
        // Nobody waits for the count: the purge is known to the next life, once.
        for (target, expected) in [("/x", 3), ("/y", 4)] {
            store.purges.note(EntrySelection([.target(target)]), .hard)
            store.add(StoreMark(purge: store.purges.newest, .hard, words: Array("target \(target)".utf8)))
            #expect(await synced(store) && LogDisk.syncs.load(ordering: .relaxed) == expected)
        }
        #expect(await synced(store) && LogDisk.syncs.load(ordering: .relaxed) == 4, "nothing has come since")
        LogDisk.fails.store(true, ordering: .relaxed)
        #expect(await store.purged(.hard, [.target("/b")]) == 1)
        #expect(store.makeReader().find("/b") == nil && store.status.failedTransactions > 0, "it is owed")
        store.add(StoreMark(purge: store.purges.newest + 1, .hard, words: []))
        #expect(await !synced(store))
    }

    /// A record that agrees with its checksum may have been damaged before it was written.
    @Test func aRecordThatTheOwnerCannotUseIsRemovedByTheCheck() {
        let store = opened(PlainOwner(uses: { $0.body != Array("bad".utf8) }))
        store.write(record("/good", "good"), record("/bad", "bad"))
        store.check.checkPiece()
        let reader = store.makeReader()
        #expect(reader.find("/good") != nil && reader.find("/bad") == nil && store.status.damaged == 1)
    }

    @Test func theOwnerHearsOfMarksBeforeAnythingIsFound() {
        let first = opened()
        let mark = StoreMark(purge: 7, .soft, words: Array("target /a".utf8))
        first.add(mark)
        first.close()
        let noted = Mutex<[StoreMark]>([])
        let second = opened(PlainOwner(hears: { marks in noted.withLock { $0 += marks } }))
        #expect(noted.withLock { $0 } == [mark] && second.health == .available)
        second.close()
    }
}

/// Stands in for the disk under the log of one store.
private enum LogDisk {
    static let syncs = Atomic(0)
    static let fails = Atomic(false)

    static func standIn(for store: RecordStore) throws {
        syncs.store(0, ordering: .relaxed)
        fails.store(false, ordering: .relaxed)
        let isIn = store.runner.work.withLock { work in
            guard let methods = work.hold.connection?.database.logFile?.pointee.pMethods else { return false }
            UnsafeMutablePointer(mutating: methods).pointee.xSync = { _, _ in
                LogDisk.syncs.add(1, ordering: .relaxed)
                return LogDisk.fails.load(ordering: .relaxed) ? SQLITE_IOERR : SQLITE_OK
            }
            return true
        }
        try #require(isIn)
    }
}
