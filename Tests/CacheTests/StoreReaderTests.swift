import Synchronization
import Testing

@testable import Cache

/// What a reader keeps from one look-up to the next, and that nothing wrong comes of it.
struct StoreReaderTests {
    private let scratch = Scratch()

    @Test func whatIsCommittedIsSeenByAReaderThatKeptItsView() throws {
        let store = scratch.open()
        let reader = store.makeReader()
        for round in 0..<3 {
            for path in ["/a", "/b"] { store.store(response(path, "\(path) \(round)")) }
            store.flush()
            #expect(reader.lookup(key("/a"), at: noon)?.body == Array("/a \(round)".utf8))
            #expect(reader.lookup(key("/b"), at: noon)?.body == Array("/b \(round)".utf8))
        }
        store.remove(key("/a"))
        store.flush()
        #expect(reader.lookup(key("/a"), at: noon) == nil && reader.lookup(key("/b"), at: noon) != nil)
    }

    @Test func whatIsPurgedIsGoneForAReaderThatKeptItsView() async {
        let store = scratch.open()
        let reader = store.makeReader()
        store.store(response("/a"))
        store.flush()
        #expect(reader.lookup(key("/a"), at: noon) != nil)
        #expect(await store.purged(.hard) == 1)
        #expect(reader.lookup(key("/a"), at: noon) == nil)
    }

    @Test func readersThatKeepTheirViewsDoNotKeepTheLogFromBeingEmptied() throws {
        let store = scratch.open(maxBytes: 8 << 20)
        let readers = (0..<3).map { _ in store.makeReader() }
        let body = filler(50_000)
        for number in 0..<400 {
            store.store(response("/\(number % 60)", body))
            store.flush()
            for reader in readers { #expect(reader.lookup(key("/\(number % 60)"), at: noon) != nil) }
        }
        #expect(store.health == .available && store.status.failedTransactions == 0)
        #expect(StoreFile.size(scratch.file + "-wal") <= StoreBounds(maxBytes: 8 << 20).journalBytes)
        store.close()
        #expect(StoreFile.size(scratch.file + "-wal") == 0)
    }

    @Test func aReaderThatIsGoneIsNotWaitedFor() {
        let store = scratch.open()
        do {
            let reader = store.makeReader()
            #expect(reader.lookup(key("/a"), at: noon) == nil)
        }
        store.store(response("/a"))
        store.flush()
        #expect(store.makeReader().lookup(key("/a"), at: noon) != nil)
    }

    @Test func aRowThatCameInPlaceOfTheHintedOneIsFound() throws {
        let store = scratch.open()
        let reader = store.makeReader()
        store.store(response("/a", "one"))
        store.flush()
        #expect(reader.lookup(key("/a"), at: noon)?.body == Array("one".utf8))
        // As if the hint were another's: the row is there, and it is not the key's.
        store.remove(key("/a"))
        store.store(response("/b", "two"))
        store.flush()
        for table in ["entry", "content"] { _ = try sqlite(scratch.file, "UPDATE \(table) SET id = 1") }
        #expect(try sqlite(scratch.file, "SELECT count(*) FROM content WHERE id = 1") == 1)
        #expect(reader.lookup(key("/a"), at: noon) == nil && store.status.damaged == 0)
        #expect(reader.lookup(key("/b"), at: noon)?.body == Array("two".utf8))
    }

    @Test func hintsAreForgottenAndNeverInvented() {
        let hints = RowHints(rows: 10)
        #expect((0..<100).allSatisfy { hints[UInt64($0) << 32] == nil })
        hints[7 << 32 | 5] = 12
        #expect(hints[7 << 32 | 5] == 12 && hints[8 << 32 | 5] == nil && hints[7 << 32 | 6] == nil)
        hints[8 << 32 | 5] = 13
        #expect(hints[7 << 32 | 5] == nil && hints[8 << 32 | 5] == 13)
        hints[7 << 32 | 5] = Int64(UInt32.max)
        #expect(hints[7 << 32 | 5] == Int64(UInt32.max))
        hints[9 << 32 | 5] = Int64(UInt32.max) + 1
        #expect(hints[9 << 32 | 5] == nil, "it has no room for so large a number")
        #expect(RowHints(rows: .max / 4).capacity == 1 << 21 && !RowHints(rows: 10).isTooSmall(for: 4_096))
        #expect(hints.isTooSmall(for: 4_097))
    }
}
