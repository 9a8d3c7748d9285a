import Synchronization
import Testing

@testable import Cache
@testable import Store

/// Readers see committed changes, whatever the writer does meanwhile.
struct FileReaderTests {
    private let scratch = Scratch()

    @Test func theNextLookUpSeesACommit() throws {
        let (store, reader) = scratch.openWithReader()
        for round in 0..<3 {
            store.write(["/a", "/b"].map { response($0, "\($0) \(round)") })
            #expect(reader.lookup(key("/a"), at: noon)?.body == Array("/a \(round)".utf8))
            #expect(reader.lookup(key("/b"), at: noon)?.body == Array("/b \(round)".utf8))
        }
        store.remove(key("/a"))
        store.flush()
        #expect(reader.lookup(key("/a"), at: noon) == nil && reader.lookup(key("/b"), at: noon) != nil)
    }

    @Test func readersDoNotKeepTheLogFromBeingEmptied() throws {
        let store = scratch.open(maxBytes: 8 << 20)
        let readers = (0..<3).map { _ in store.makeReader() }
        let body = filler(50_000)
        for number in 0..<400 {
            store.write(response("/\(number % 60)", body))
            for reader in readers { #expect(reader.lookup(key("/\(number % 60)"), at: noon) != nil) }
        }
        #expect(store.health == .available && store.status.failedTransactions == 0)
        #expect(DatabaseFile.size(scratch.file + "-wal") <= SpaceBounds(maxBytes: 8 << 20).journalBytes)
        store.close()
        #expect(DatabaseFile.size(scratch.file + "-wal") == 0)
    }

    /// Two keys of one number would be as many as one: the row tells whose the record is.
    @Test func aRecordOfAnotherKeyIsNoDamage() throws {
        let (store, reader) = scratch.openWithReader()
        store.write(response("/a", "one"))
        let place = try sqlite(scratch.file, "SELECT place FROM entry")
        store.shared.directory.set(key("/b").index, place)
        #expect(reader.lookup(key("/b"), at: noon) == nil && store.status.damaged == 0)
        #expect(reader.lookup(key("/a"), at: noon)?.body == Array("one".utf8))
    }

    /// The writer moves records while others read them.
    @Test func aRecordThatMovedDuringALookUpIsFound() throws {
        let (store, reader) = scratch.openWithReader()
        store.write(response("/a", "one"))
        // As if the directory had been asked before the move.
        let index = key("/a").index
        store.shared.directory.set(index, Place(segment: 7, offset: 64, span: 128).number)
        #expect(reader.lookup(key("/a"), at: noon)?.body == Array("one".utf8) && store.status.damaged == 0)
    }
}
