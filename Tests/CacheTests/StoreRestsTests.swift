import Dispatch
import Synchronization
import TestSupport
import Testing

@testable import Cache

/// Forms that rest outlive the process.
@Suite struct StoreRestsTests {
    private let scratch = Scratch()
    private let noon: Int64 = 1_800_000_000

    private func form(_ target: String, _ seconds: Int64) -> RestingForm {
        RestingForm(target: Array(target.utf8), until: noon + seconds)
    }

    /// What is read, in the order of their targets; `after` noon.
    private func read(_ store: SQLiteStore, after seconds: Int64) async -> [RestingForm] {
        let found = Mutex<[RestingForm]>([])
        store.visitRestingForms(at: noon + seconds) { form in found.withLock { $0.append(form) } }
        await withCheckedContinuation { continuation in store.visit({ _ in true }, { _ in continuation.resume() }) }
        return found.withLock { $0 }.sorted { $0.target.lexicographicallyPrecedes($1.target) }
    }

    @Test func whatRestsIsKnownAfterARestart() async {
        let store = scratch.open()
        store.store(form("/a", 100), at: noon)
        store.store(form("/b", 50), at: noon)
        store.store(form("/a", 70), at: noon)
        store.close()
        let later = scratch.open()
        #expect(await read(later, after: 49) == [form("/a", 70), form("/b", 50)])
        #expect(await read(later, after: 50) == [form("/a", 70)])
        #expect(await read(later, after: 70).isEmpty)
    }

    @Test func whatRestsNoLongerLeavesTheFile() throws {
        let store = scratch.open()
        store.store(form("/a", 10), at: noon)
        store.store(form("/b", 50), at: noon + 10)
        store.flush()
        #expect(try sqlite(scratch.file, "SELECT count(*) FROM rest") == 1)
    }

    @Test func aFileThatCannotBeOpenedHoldsNone() async {
        let store = scratch.open(file: "/nowhere/at/all.sqlite")
        store.store(form("/a", 10), at: noon)
        #expect(await read(store, after: 0).isEmpty)
    }
}
