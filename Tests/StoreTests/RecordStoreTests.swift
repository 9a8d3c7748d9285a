import CSQLite
import Purging
import Synchronization
import TestSupport
import Testing

@testable import Store

/// A file whose records mean nothing to its owner.
struct RecordStoreTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private let purges = Purges()

    private func opened(_ owner: (any RecordOwner)? = nil) -> RecordStore {
        RecordStore.open(
            path: folder.file("a.sqlite"), maxBytes: 16 << 20, classNames: [],
            owner: owner ?? PlainOwner(purges: purges), isTemporary: false,
            lock: nil, unixSeconds: { noon }, log: { _ in })
    }

    private func find(_ record: Record, in store: RecordStore) -> Record? {
        store.makeReader().find(record.key, record.key.index, at: noon)
    }

    private func purged(_ store: RecordStore, _ mode: PurgeMode, _ conditions: [EntrySelection.Condition]) async -> Int?
    {
        let selection = EntrySelection(conditions)
        let number = mode == .dryRun ? purges.newest : purges.note(selection, mode)
        if mode != .dryRun {
            store.add(StoreMark(purge: number, mode == .hard ? .hard : .soft, words: selection.words))
        }
        return await withCheckedContinuation { [purges] continuation in
            let sweep = Sweep(purges, waiting: [Sweep.Waiting(id: 1, number: number, selection, mode)])
            store.sweep(sweep, at: noon) { sweep, end in
                if end == .done { purges.noteSwept(by: sweep) }
                continuation.resume(returning: end == .refused ? nil : sweep.waiting[0].totals[0].count)
            }
        }
    }

    private func synced(_ store: RecordStore) async -> Bool {
        await withCheckedContinuation { continuation in store.sync { continuation.resume(returning: $0) } }
    }

    /// In the queue, in the file, and where the file has yet to take it.
    @Test func aSoftPurgeLeavesWhatTheOwnerSays() async throws {
        let store = opened()
        let (written, waiting) = (try record("/a/1"), try record("/a/2"))
        let leading = try record("/a/3", "", selecting: "accept-language")
        for each in [written, leading] { store.store(each, each.key.index) }
        store.flush()
        store.store(waiting, waiting.key.index)
        #expect(await purged(store, .soft, [.prefix(Array("/a/".utf8))]) == 2)
        #expect(find(written, in: store)?.facts.times.freshFor == 0)
        #expect(find(waiting, in: store)?.facts.times.freshFor == 0)
        #expect(find(leading, in: store)?.facts.times == leading.facts.times)
    }

    /// A loss of power brought back answers after their purge was answered.
    @Test func aPurgeIsOnTheDiskBeforeItIsAnswered() async throws {
        let store = opened()
        let (other, late) = (try record("/b"), try record("/c"))
        for each in [try record("/a"), other] { store.store(each, each.key.index) }
        store.flush()
        try LogDisk.standIn(for: store)
        for (mode, syncs) in [(PurgeMode.dryRun, 0), (.soft, 1), (.hard, 2)] {
            #expect(await purged(store, mode, [.target(Array("/a".utf8))]) == 1)
            #expect(LogDisk.syncs.load(ordering: .relaxed) == syncs, "\(mode)")
        }
        store.store(late, late.key.index)
        store.flush()
        #expect(LogDisk.syncs.load(ordering: .relaxed) == 2, "nothing else waits for the disk")
        // Nobody waits for the count: the purge is known to the next life, once.
        for (target, expected) in [("/x", 3), ("/y", 4)] {
            purges.note(EntrySelection([.target(Array(target.utf8))]), .hard)
            store.add(StoreMark(purge: purges.newest, .hard, words: Array("target \(target)".utf8)))
            #expect(await synced(store) && LogDisk.syncs.load(ordering: .relaxed) == expected)
        }
        #expect(await synced(store) && LogDisk.syncs.load(ordering: .relaxed) == 4, "nothing has come since")
        LogDisk.fails.store(true, ordering: .relaxed)
        #expect(await purged(store, .hard, [.target(Array("/b".utf8))]) == 1)
        #expect(find(other, in: store) == nil && store.status.failedTransactions > 0, "it is owed")
        store.add(StoreMark(purge: purges.newest + 1, .hard, words: []))
        #expect(await !synced(store))
    }

    /// A record that agrees with its checksum may have been damaged before it was written.
    @Test func aRecordThatTheOwnerCannotUseIsRemovedByTheCheck() throws {
        let store = opened(PlainOwner(uses: { $0.body != Array("bad".utf8) }))
        let (good, bad) = (try record("/good", "good"), try record("/bad", "bad"))
        for each in [good, bad] { store.store(each, each.key.index) }
        store.flush()
        store.check.checkPiece()
        #expect(find(good, in: store) != nil && find(bad, in: store) == nil && store.status.damaged == 1)
    }

    @Test func theOwnerHearsOfMarksBeforeAnythingIsFound() throws {
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
