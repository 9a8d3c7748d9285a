import Testing

@testable import Cache
@testable import Freshness
@testable import Store

/// A cache with two parts, and the answer composed from them under `/c`.
func composing(_ store: FileTier? = nil) -> (cache: ResponseCache, parts: [StoredResponse]) {
    let cache = ResponseCache(memory: MemoryTier(maxBytes: 16 << 20), file: store)
    let parts = [
        response("/v1/catalog/us/albums/1", "one", resources: [3, 7]),
        response("/v1/catalog/us/artists/2", "two", classTag: 2, resources: [9]),
    ]
    for part in parts { cache.store(part) }
    #expect(cache.store(composed: composed("/c", from: parts), from: parts))
    return (cache, parts)
}

@Suite struct ComposedAnswersTests {
    let scratch = Scratch()

    private func makeCache(memory: Int = 16 << 20, _ store: FileTier? = nil) -> ResponseCache {
        ResponseCache(memory: MemoryTier(maxBytes: memory), file: store)
    }

    private func isThere(_ cache: ResponseCache) -> Bool { cache.lookup(key("/c"), nil, at: noon) != nil }

    @Test func itIsFoundAndNeverWritten() throws {
        let store = scratch.open()
        let (cache, _) = composing(store)
        let found = cache.lookup(key("/c"), nil, at: noon)
        #expect(found?.composition?.detail == .composed && found?.composition?.parts.count == 2)
        #expect((0..<12).filter { found?.mayName($0) == true } == [3, 7, 9])
        store.store(composed("/d", from: []))
        cache.flush()
        #expect(store.entries == 2 && store.makeReader().lookup(key("/c"), at: noon) == nil)
        // Freshened or updated by the origin's answer, it would pass for the origin's.
        let inMemory = try #require(cache.memory.lookup(key("/c")))
        cache.write(inMemory.copy(receivedAt: noon + 1, lifetime: Lifetime(freshFor: 9)))
        #expect(cache.memory.lookup(key("/c")) == nil && store.entries == 2)
    }

    @Test func itGoesWhenAPartChangesOrGoes() {
        for number in 0..<2 {
            let (cache, parts) = composing()
            let target = String(decoding: parts[number].key.target, as: UTF8.self)
            cache.store(response(target, "anew"))
            #expect(!isThere(cache))
        }
        var (cache, parts) = composing()
        cache.remove(parts[1].key)
        #expect(!isThere(cache))
        (cache, parts) = composing()
        var facts = ResponseFacts(status: 200, fields: Array("Vary: Accept-Language\r\n".utf8).span)
        facts.age = nil
        let fields = Array("Accept-Language: de\r\n".utf8)
        cache.store(parts[0], varyingBy: facts.vary, forwarded: fields.span, nil)
        #expect(!isThere(cache))
        // A part that memory had evicted cannot be compared, so it counts as changed.
        (cache, parts) = composing()
        cache.memory.remove(parts[0].key)
        #expect(isThere(cache), "eviction changes nothing")
        cache.store(parts[0])
        #expect(!isThere(cache))
        let other = makeCache()
        let part = response("/a", lifetime: Lifetime(freshFor: 10))
        other.store(part)
        #expect(other.store(composed: composed("/c", from: [part]), from: [part]))
        #expect(other.lookup(part.key, nil, at: noon + 10) == nil)
        #expect(other.memory.lookup(key("/c")) == nil)
    }

    @Test func itStaysWhileItsPartsSayTheSame() {
        let (cache, parts) = composing()
        cache.store(parts[0].copy(receivedAt: noon + 5, lifetime: Lifetime(freshFor: 5)))
        cache.store(response("/v1/catalog/us/artists/2", "two", at: noon + 9))
        cache.store(response("/other", "anew"))
        cache.remove(key("/another"))
        cache.attach(FakeOutline(byteCount: 10), to: parts[0])
        #expect(isThere(cache))
    }

    @Test func anAnswerOfChangedPartsIsNotStored() {
        let cache = makeCache()
        let (old, other) = (response("/a", "old"), response("/b"))
        let answer = composed("/c", from: [old, other])
        cache.store(old)
        #expect(!cache.store(composed: answer, from: [old, other]), "one is not in memory")
        cache.store(other)
        cache.store(response("/a", "new"))
        #expect(!cache.store(composed: answer, from: [old, other]))
        cache.store(response("/a", "old", at: noon + 1))
        #expect(cache.store(composed: answer, from: [old, other]), "the same again, and as fresh")
        cache.store(response("/a", "old", at: noon - 1))
        #expect(!cache.store(composed: answer, from: [old, other]), "not as fresh")
    }

    @Test func anAnswerThatCouldOutlastAPurgeIsNotStored() {
        let cache = makeCache()
        let plain = response("/a", resources: [7])
        let british = response("/b", storefront: "gb")
        let personal = response("/v1/me", scope: someone(1))
        let variant = response("/v", variant: "de")
        for part in [plain, british, personal, variant] { cache.store(part) }
        for part in [british, personal, variant] {
            #expect(!cache.store(composed: composed("/c", from: [plain, part]), from: [plain, part]))
        }
        let answer = composed("/c", from: [plain])
        #expect(!cache.store(composed: plain, from: [plain]), "not composed")
        #expect(!cache.store(composed: answer, from: []) && !cache.store(composed: answer, from: [plain, british]))
        let silent = StoredResponse(
            key: key("/c"), status: 200, fields: [], body: [], receivedAt: noon, lifetime: Lifetime(freshFor: 9),
            classTag: 1, storefront: Array("us".utf8),
            composition: Composition(.split, parts: [plain.key], naming: [[]]))
        #expect(!cache.store(composed: silent, from: [plain]), "it does not name what its part names")
        #expect(cache.store(composed: answer, from: [plain]))
        #expect(!cache.store(composed: composed("/d", from: [answer]), from: [answer]), "out of what was composed")
        #expect(cache.memory.lookup(key("/c")) === answer && cache.memory.lookup(key("/d")) == nil)
    }

    /// An older answer of the origin's, which can still be confirmed or served stale.
    @Test func theOriginsAnswerInTheFileOutlastsIt() {
        let (store, reader) = scratch.openWithReader()
        let cache = makeCache(store)
        cache.store(response("/c", "old", at: noon - 100, lifetime: Lifetime(freshFor: 10, keepFor: 10_000)))
        let part = response("/a")
        cache.store(part)
        let answer = composed("/c", from: [part], lifetime: Lifetime(freshFor: 10))
        #expect(cache.store(composed: answer, from: [part]))
        cache.flush()
        #expect(cache.lookup(key("/c"), reader, at: noon) === answer)
        #expect(cache.lookup(key("/c"), reader, at: noon + 10) == nil)
        #expect(content(cache.lookup(key("/c"), reader, at: noon + 10))?.suffix(3) == Array("old".utf8)[...])
    }

    @Test func aUseOfItIsAUseOfItsParts() throws {
        let store = scratch.open()
        let (cache, _) = composing(store)
        cache.flush()
        #expect(cache.lookup(key("/c"), nil, at: noon + 900) != nil)
        cache.flush()
        #expect(try sqlite(scratch.file, "SELECT count(*) FROM entry WHERE last_used = \(noon + 900)") == 2)
    }

    @Test func anAnswerWithoutARecordIsRemoved() {
        let cache = makeCache(memory: 1 << 20)
        let most = Dependents.maxParts(beside: 1 << 20)
        let part = response("/a")
        cache.store(part)
        #expect(most > 300, "or this proves nothing")
        for number in 0...300 {
            #expect(cache.store(composed: composed("/c\(number)", from: [part], "x"), from: [part]))
        }
        let there = (0...300).filter { cache.memory.lookup(key("/c\($0)")) != nil }
        #expect(there == Array(301 - Dependents.maxAnswersOfPart...300))
        cache.remove(part.key)
        #expect((0...300).allSatisfy { cache.memory.lookup(key("/c\($0)")) == nil })
    }

    @Test func anOutlineIsAttachedToWhatIsThere() {
        let cache = makeCache()
        let stored = response("/a")
        cache.store(stored)
        let outlined = cache.attach(FakeOutline(byteCount: 500), to: stored)
        #expect(cache.memory.lookup(key("/a")) === outlined && outlined.outline != nil)
        #expect(cache.memory.byteCount == outlined.byteCount && cache.memory.count == 1)
        let newer = response("/a", "newer")
        cache.store(newer)
        #expect(cache.attach(FakeOutline(byteCount: 9), to: stored).outline != nil)
        #expect(cache.memory.lookup(key("/a")) === newer)
        cache.attach(FakeOutline(byteCount: 32 << 20), to: newer)
        #expect(cache.memory.lookup(key("/a")) === newer, "too large to be kept")
        cache.remove(key("/a"))
        cache.attach(FakeOutline(byteCount: 9), to: newer)
        #expect(cache.memory.lookup(key("/a")) == nil)
    }
}
