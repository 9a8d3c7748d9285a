import Synchronization
import TestSupport
import Testing

@testable import Store

/// A file whose records mean nothing to its owner.
struct RecordStoreTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func opened(_ owner: any RecordOwner = PlainOwner()) -> RecordStore {
        RecordStore.open(
            path: folder.file("a.sqlite"), maxBytes: 16 << 20, classNames: [], owner: owner, isTemporary: false,
            lock: nil, unixSeconds: { noon }, log: { _ in })
    }

    private func find(_ record: Record, in store: RecordStore) -> Record? {
        store.makeReader().find(record.key, record.key.index, at: noon)
    }

    private func purged(_ store: RecordStore, _ mode: PurgeMode, _ conditions: [EntrySelection.Condition]) async -> Int?
    {
        await withCheckedContinuation { continuation in
            store.purge(Purge(selection: EntrySelection(conditions), mode: mode, now: noon)) {
                continuation.resume(returning: $0)
            }
        }
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
        first.add(StoreMark(table: .purged, key: Array("/a".utf8), value: .time(noon)))
        first.close()
        let noted = Mutex<[StoreMark]>([])
        let second = opened(PlainOwner(hears: { marks in noted.withLock { $0 += marks } }))
        #expect(noted.withLock { $0.map(\.key) } == [Array("/a".utf8)] && second.health == .available)
        second.close()
    }

    /// Rows of the file before were counted with those of the one that took its place.
    @Test func aPurgeOfAnotherFileCountsItsRowsAlone() {
        var found = PurgeCount()
        found.add(Int64(1))
        var run = PurgeRun(Purge(selection: EntrySelection(), mode: .hard, now: noon), found)
        for row: Int64 in 1...5 { run.count.add(row: row) }
        #expect(run.count.total == 5 && run.begunAnew.count.total == 1)
    }
}
