import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Cache

/// A file of an older version goes on: what it holds is found, purged, replaced and evicted like
/// what is new.
struct MigrationTests {
    private let scratch = Scratch()
    private let old = (0..<5).map {
        response("/\($0)", String(repeating: "o", count: 5_000 + $0), resources: [7, UInt64($0)])
    }

    init() throws {
        #expect(FileManager.default.createFile(atPath: scratch.file, contents: nil))
        try SchemaVersion3.make(scratch.file, old)
    }

    @Test func whatVersion3HoldsIsFoundAsItWasWritten() throws {
        let lines = Lines()
        for _ in 0..<2 {
            let store = scratch.open(lines)
            #expect(store.health == .available && store.entries == 5 && lines.all.isEmpty, "\(lines.all)")
            let reader = store.makeReader()
            for response in old {
                let found = reader.lookup(response.key, at: noon)
                #expect(content(found) == content(response) && found?.resources == response.resources)
                #expect(found?.lifetime == response.lifetime && found?.storefront == response.storefront)
            }
            #expect(reader.lookup(key("/none"), at: noon) == nil)
            store.close()
        }
        #expect(try sqlite(scratch.file, "PRAGMA user_version") == Schema.version)
        #expect(scratch.setAside.isEmpty)
    }

    @Test func whatIsReplacedLeavesNothingOlderBehind() throws {
        let store = scratch.open()
        let reader = store.makeReader()
        #expect(reader.lookup(key("/1"), at: noon)?.body.count == 5_001)
        store.store(response("/1", "new"))
        store.remove(key("/2"))
        store.flush()
        #expect(reader.lookup(key("/1"), at: noon)?.body == Array("new".utf8))
        #expect(reader.lookup(key("/2"), at: noon) == nil)
        #expect(try sqlite(scratch.file, "SELECT count(*) FROM older_content") == 3)
        #expect(try sqlite(scratch.file, "SELECT count(*) FROM content") == 1 && store.entries == 4)
    }

    @Test func aSoftPurgeReachesBothKinds() async throws {
        let store = scratch.open()
        store.store(response("/new", resources: [7]))
        let reader = store.makeReader()
        #expect(await purge(store, .soft) == 6)
        for path in ["/0", "/4", "/new"] {
            let found = try #require(reader.lookup(key(path), at: noon + 10))
            #expect(!found.isFresh(at: noon + 10) && store.status.damaged == 0)
        }
        #expect(await purge(store, .hard) == 6)
        #expect(store.entries == 0 && reader.lookup(key("/0"), at: noon) == nil)
        #expect(try sqlite(scratch.file, "SELECT count(*) FROM older_content") == 0)
    }

    private func purge(_ store: SQLiteStore, _ mode: PurgeMode) async -> Int? {
        await withCheckedContinuation { done in
            var selection = EntrySelection()
            selection.resource = 7
            store.purge(Purge(selection: selection, mode: mode, now: noon + 10)) { done.resume(returning: $0) }
        }
    }

    @Test func aWalkMeetsWhatIsNewAndThenWhatIsOlder() async {
        let store = scratch.open()
        store.store(response("/new"))
        store.flush()
        let met = Lines()
        let visited = await withCheckedContinuation { done in
            store.visit({
                met.log(String(decoding: $0.key.target, as: UTF8.self))
                return true
            }) {
                done.resume(returning: $0)
            }
        }
        #expect(visited == 6 && met.all == ["/new", "/4", "/3", "/2", "/1", "/0"])
    }

    @Test func aDamagedOlderRowIsNoAnswer() throws {
        let store = scratch.open()
        _ = try sqlite(scratch.file, "UPDATE older_content SET body = x'00' WHERE id = 1")
        let reader = store.makeReader()
        #expect(reader.lookup(key("/0"), at: noon) == nil && store.status.damaged == 1)
        store.flush()
        #expect(store.entries == 4)
    }
}
