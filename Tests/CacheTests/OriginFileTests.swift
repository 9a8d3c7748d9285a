import Foundation
import HTTP
import Purging
import TestSupport
import Testing

@testable import Cache
@testable import Freshness
@testable import Store

/// Answers of several origins in one cache. What one origin had said was served as another's.
@Suite(.timeLimit(.minutes(10))) struct OriginFileTests {
    private let scratch = Scratch()
    private static let one = Origin(isTLS: false, host: "one", port: 80)
    private static let two = Origin(isTLS: true, host: "two", port: 443)

    private func answer(_ origin: Origin, _ target: String = "/a", born: Int64 = 0) -> StoredResponse {
        let key = CacheKey(of: origin.tag, scope: .shared, target: Array(target.utf8))
        return StoredResponse(
            key: key, status: 200, fields: Array("Content-Type: application/json\r\n".utf8),
            body: Array("\(origin.name) \(target)".utf8), receivedAt: noon, born: born,
            lifetime: Lifetime(freshFor: 1_000_000), classTag: 1, storefront: Array("us".utf8), resources: [7])
    }

    private func body(_ found: StoredResponse?) -> String? { found.map { String(decoding: $0.body, as: UTF8.self) } }

    private func found(_ reader: FileReader, _ origin: Origin, _ target: String = "/a") -> String? {
        body(reader.lookup(answer(origin, target).key, at: noon))
    }

    @Test func memoryAndKeysTellOriginsApart() {
        let memory = MemoryTier(maxBytes: 1 << 20)
        let (one, two) = (answer(Self.one), answer(Self.two))
        #expect(one.key != two.key && one.key.bytes == two.key.bytes && one.key.hash != two.key.hash)
        memory.store(one)
        #expect(memory.lookup(two.key) == nil)
        memory.store(two)
        #expect(body(memory.lookup(one.key)) == body(one) && body(memory.lookup(two.key)) == body(two))
        let user = UserHash(bits: 7)
        #expect(user.at(Self.one.tag) != user.at(Self.two.tag) && user.at(.none) == user)
    }

    /// Nothing is composed of two origins.
    @Test func partsOfAnotherOriginMakeNoAnswer() {
        let cache = ResponseCache(memory: MemoryTier(maxBytes: 1 << 20), file: nil)
        let part = answer(Self.one)
        cache.store(part)
        #expect(!cache.store(composed: composed("/b", from: [part]), from: [part]))
    }

    @Test func eachOriginFindsItsOwnInTheFileAndTheLogCountsOthers() throws {
        var store = scratch.open(of: Self.one)
        store.write([answer(Self.one), answer(Self.one, "/b")])
        store.records.use(Self.two)
        store.flush()
        let line =
            "2 stored answers are of another upstream, http://one: none of them is served while upstream is https://two"
        waitUntil { scratch.said == ["cache file \(scratch.file): \(line)"] }
        var reader = store.makeReader()
        #expect(found(reader, Self.one) == "http://one /a" && found(reader, Self.two) == nil)
        store.write(answer(Self.two))
        #expect(found(reader, Self.one) == "http://one /a" && found(reader, Self.two) == "https://two /a")
        #expect(store.records.origins.map(\.entries) == [2, 1])
        store.close()
        #expect(StoreForecast.others(scratch.file, than: Self.one).map(\.name) == ["https://two"])
        #expect(StoreForecast.others(scratch.file, than: Self.two).map(\.entries) == [2])
        // As after a start.
        let lines = Lines()
        store = scratch.open(lines, of: Self.two)
        #expect(lines.all == ["cache file \(scratch.file): \(line)"])
        reader = store.makeReader()
        for origin in [Self.one, Self.two] {
            #expect(found(reader, origin) == "\(origin.name) /a")
            // Without the directory, by the database.
            store.records.shared.directory.forget()
            #expect(found(reader, origin) == "\(origin.name) /a")
        }
        store.remove(answer(Self.one).key)
        store.flush()
        #expect(found(reader, Self.one) == nil && found(reader, Self.two) != nil)
        #expect(store.records.origins.map(\.entries) == [1, 1] && store.entries == 2)
        store.records.check.checkPiece()
        #expect(store.status.damaged == 0)
        store.close()
    }

    /// A purge concerns what it chooses, of whatever origin.
    @Test(arguments: [EntrySelection([.target("/a")]), EntrySelection([.prefix("/a")]), EntrySelection()])
    func purgesChooseAnswersOfAllOrigins(selection: EntrySelection) async {
        let (cache, store) = scratch.cache()
        cache.write(answer(Self.one), answer(Self.two))
        let count = await withCheckedContinuation { continuation in
            cache.purge(selection, .hard, at: noon) { continuation.resume(returning: $0) }
        }
        #expect(count == 2 && store.entries == 0)
        store.close()
    }

    /// A rest of one origin's form is no rest of another's.
    @Test func restsAreOfOneOrigin() {
        // By a later clock the second one would end the first.
        let store = scratch.open(of: Self.one) { noon }
        for (origin, until) in [(Self.one, noon + 10), (Self.two, noon + 20)] {
            store.storeRest(of: Array("/a".utf8), from: origin.tag, until: until)
        }
        store.flush()
        let rests = Lines()
        for origin in [Self.one, Self.two] {
            store.visitRests(of: origin.tag, at: noon) {
                rests.log("\(String(decoding: $0, as: UTF8.self)) \($1 - noon)")
            }
        }
        waitUntil { rests.all == ["/a 10", "/a 20"] }
        store.close()
    }

    @Test func answersOfAFileOfVersion10AreOfTheFirstUpstream() throws {
        scratch.fill([response("/a", "old"), response("/b", "old")])
        try scratch.makeOldFile().execute("INSERT INTO rest VALUES ('/x', \(noon + 9))")
        var store = scratch.open(of: Self.one)
        var reader = store.makeReader()
        #expect(scratch.said.isEmpty && scratch.setAside.isEmpty && store.entries == 2)
        #expect(found(reader, Self.one) == "old" && found(reader, Self.two) == nil)
        #expect(reader.lookup(key("/a"), at: noon) == nil)
        let rests = Lines()
        store.visitRests(of: Self.one.tag, at: noon) {
            rests.log("\(String(decoding: $0, as: UTF8.self)) \($1 - noon)")
        }
        waitUntil { rests.all == ["/x 9"] }
        store.write([answer(Self.two), answer(Self.one, "/b")])
        #expect(found(reader, Self.two) == "https://two /a" && found(reader, Self.one, "/b") == "http://one /b")
        store.close()
        store = scratch.open(of: Self.two)
        reader = store.makeReader()
        #expect(found(reader, Self.one) == "old" && found(reader, Self.two) == "https://two /a")
        let home = try #require(store.records.origins.first)
        #expect(home == OriginRows(name: Self.one.name, entries: 2))
        store.records.check.checkPiece()
        #expect(store.status.damaged == 0)
        store.close()
    }

    /// They were given to the upstream of the moment at which the file could be opened.
    @Test func answersOfAFileOfVersion10ThatOpensLateAreOfTheFirstUpstream() throws {
        scratch.fill([response("/a", "old")])
        _ = try scratch.makeOldFile()
        let lock = try StoreLock(scratch.file)
        let store = scratch.open(of: Self.one)
        #expect(store.health.isUnavailable)
        store.records.use(Self.two)
        withExtendedLifetime(lock) {}
        _ = consume lock
        waitUntil(within: 60) {
            store.records.flush()
            return store.health == .available
        }
        let reader = store.makeReader()
        #expect(found(reader, Self.one) == "old" && found(reader, Self.two) == nil)
        store.close()
    }

    /// Another process put it in place of the file that this one had opened.
    @Test func aFileWithAnotherHomeIsNotReadAsThisOne() throws {
        let other = Scratch()
        let store = scratch.open(of: Self.one)
        let theirs = other.open(of: Self.two)
        theirs.write(answer(Self.two))
        theirs.close()
        store.write(answer(Self.one, "/b"))
        store.records.shared.directory.forget()
        for ending in ["", "-wal", "-shm"] { unlink(scratch.file + ending) }
        #expect(rename(other.file, scratch.file) == 0)
        try FileManager.default.removeItem(atPath: Segments.folder(of: scratch.file))
        #expect(rename(Segments.folder(of: other.file), Segments.folder(of: scratch.file)) == 0)
        let reader = store.makeReader()
        #expect(found(reader, Self.one) == nil && store.list(limit: 9).map(\.path) == ["/a"])
        let visited = Lines()
        let look: @Sendable (StoredResponse) -> Bool = { answer in
            visited.log("\(answer.key.origin == Self.two.tag)")
            return true
        }
        store.visit(look) { visited.log("\($0)") }
        waitUntil { visited.all.last.map { Int($0) != nil } == true }
        #expect(!visited.all.contains("false"))
        store.close()
    }

    /// Its answers would have been taken for those of another origin.
    @Test(arguments: ["UPDATE origin SET name = 'http://else' WHERE number = 0", "DELETE FROM origin WHERE number = 0"])
    func aFileWithoutItsOriginsIsSetAside(damage: String) throws {
        let store = scratch.open(of: Self.one)
        store.records.use(Self.two)
        store.write([answer(Self.one), answer(Self.two)])
        store.close()
        _ = try sqlite(scratch.file, damage + " RETURNING 1")
        let again = scratch.open(of: Self.one)
        #expect(scratch.setAside.count == 1 && again.entries == 0 && again.health == .available)
        again.close()
    }
}
