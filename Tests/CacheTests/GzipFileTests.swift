import TestSupport
import Testing

@testable import Cache
@testable import Freshness
@testable import HTTP
@testable import Store

/// The file keeps answers that came in gzip as they came.
@Suite(.requires(.zlib)) struct GzipFileTests {
    let scratch = Scratch()
    private static let body = Array(String(repeating: "{\"id\":\"1440857781\"}", count: 500).utf8)

    private func coded(_ target: String) throws -> StoredResponse {
        let gzip = try #require(Gzip.system.deflate(Self.body))
        return response(target, String(decoding: Self.body, as: UTF8.self), resources: [7]).copy(gzip: gzip)
    }

    @Test func bothFormsComeBackAfterARestart() throws {
        let stored = try coded("/a")
        for round in 0..<2 {
            let store = scratch.open()
            if round == 0 { store.store(stored) }
            store.flush()
            let found = store.makeReader().lookup(stored.key, at: noon)
            #expect(content(found) == content(stored) && found?.resources == [7])
            // Length and both forms are known before anything is inflated.
            #expect(
                found?.bodyCount == Self.body.count && found?.with(outline: FakeOutline(byteCount: 1)).body == Self.body
            )
            #expect(found?.byteCount == stored.byteCount && found?.isCopy(of: stored) == true)
            #expect(found?.gzip?.body == stored.gzip?.body && found?.gzip?.head == stored.gzip?.head)
            store.close()
        }
        let bytes = try sqlite(scratch.file, "SELECT body_size FROM entry WHERE is_gzip = 1")
        #expect(bytes == Int64(stored.record.body.count) && bytes < Int64(Self.body.count) / 8)
        #expect(try sqlite(scratch.file, "SELECT size FROM entry") < Int64(Self.body.count) / 4)
    }

    @Test func listingsSayTheCodingAndAWalkGetsTheContent() async throws {
        let store = scratch.open()
        let stored = try coded("/a")
        store.write(stored, response("/b"))
        #expect(store.list(limit: 10).map { "\($0.path) \($0.isGzip)" }.sorted() == ["/a true", "/b false"])
        #expect(ListedRecord(stored.record).isGzip)
        #expect(ListedRecord(stored.record).size < Self.body.count / 4)
        let lines = Lines()
        await withCheckedContinuation { done in
            store.visit({
                lines.log("\($0.body.count) \($0.gzip != nil)")
                return true
            }) { _ in done.resume() }
        }
        #expect(Set(lines.all) == ["\(Self.body.count) true", "2 false"])
    }

    @Test func otherBytesAreNoCodedContent() { #expect(CodedContent(Array("{}".utf8), .system) == nil) }

    /// Content that could not be inflated was sent as a 200 of zeros, again and again.
    @Test func contentDamagedBeforeItsChecksumIsNoAnswer() throws {
        let (cache, store, reader) = scratch.cacheWithReader()
        var coded = try #require(Gzip.system.deflate(Self.body))
        coded[coded.count / 2] ^= 0xFF
        let bad = response("/a", String(decoding: Self.body, as: UTF8.self)).copy(gzip: coded)
        store.write(bad)
        let found = try #require(cache.lookup(key("/a"), reader, at: noon))
        #expect(!found.isDamaged && store.status.damaged == 0)
        for form in [AnswerForm.whole, .partial(0..<4)] {
            #expect(form.content(of: found) == [] && form.status(of: found) == 502)
            #expect(head(found, form) == "HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n")
        }
        #expect(store.status.damaged == 1)
        #expect(cache.peek(key("/a"), reader, at: noon) == nil && cache.lookup(key("/a"), reader, at: noon) == nil)
        store.flush()
        #expect(store.entries == 0 && reader.lookup(key("/a"), at: noon) == nil)
    }

    /// The row's coding is for operators: the record's own is used.
    @Test(arguments: [0, 1])
    func theRecordTellsTheCoding(flag: Int) throws {
        let store = scratch.open()
        store.write(flag == 0 ? try coded("/a") : response("/a", String(decoding: Self.body, as: UTF8.self)))
        _ = try sqlite(scratch.file, "UPDATE entry SET is_gzip = \(flag)")
        let found = store.makeReader().lookup(key("/a"), at: noon)
        #expect(found?.body == Self.body && (found?.gzip == nil) == (flag == 1))
    }

    /// A record that cannot be inflated is a miss, not damage, and stays for when zlib is back.
    @Test func withoutZlibItIsAMiss() throws {
        for gzip in [Gzip.system, .absent, .system] {
            let store = FileTier.open(path: scratch.file, maxBytes: 64 << 20, gzip: gzip) { _ in }
            if store.entries == 0 { store.store(try coded("/a")) }
            store.flush()
            let reader = store.makeReader()
            for _ in 0..<2 { #expect((reader.lookup(key("/a"), at: noon) != nil) == gzip.isAvailable) }
            #expect(store.entries == 1 && store.status.damaged == 0 && store.status.failedReads == 0)
            store.close()
        }
    }
}
