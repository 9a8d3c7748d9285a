import TestSupport
import Testing

@testable import Cache
@testable import Freshness

/// A cache with helpers for the tests of variants: ask, and answer as an origin that varies.
private struct Scene {
    let cache: ResponseCache
    var reader: FileReader?

    init(_ store: FileTier? = nil) {
        cache = ResponseCache(memory: MemoryTier(maxBytes: 1 << 20), file: store)
        reader = store?.makeReader()
    }

    /// Another loop's side of a cache.
    init(sharing cache: ResponseCache) { self.cache = cache }

    func ask(_ lines: String..., target: String = "/a", at now: Int64 = noon) throws -> (key: CacheKey, body: String?) {
        var base = key(target)
        let found = cache.lookup(&base, reader, at: now) { Array(lines.map { $0 + "\r\n" }.joined().utf8) }
        #expect(found?.isVariantIndex != true)
        return (base, found.map { String(decoding: $0.body, as: UTF8.self) })
    }

    @discardableResult
    func answer(
        _ body: String, to lines: String..., vary: String = "Foo", under asked: CacheKey = key("/a"),
        lifetime: Lifetime = Lifetime(freshFor: 1000), fields: [String] = []
    ) -> StoredResponse {
        let own = (["Vary: \(vary)"] + fields).map { $0 + "\r\n" }.joined()
        let fresh = StoredResponse(
            key: asked, status: 200, fields: Array(own.utf8), body: Array(body.utf8), receivedAt: noon,
            lifetime: lifetime, classTag: 3, storefront: Array("us".utf8), resources: [7])
        var names = ResponseFacts.Vary()
        names.merge(Array(vary.utf8).span)
        let forwarded = Array(lines.map { $0 + "\r\n" }.joined().utf8)
        return cache.store(fresh, varyingBy: names, forwarded: forwarded.span, reader)
    }
}

@Suite(.timeLimit(.minutes(10))) struct VariantsTests {
    private let scratch = Scratch()
    private let scene = Scene()

    @Test func eachRequestFindsItsOwnVariantOnceThereIsAnIndex() throws {
        #expect(try scene.ask("Foo: 1").key == key("/a"))
        #expect(scene.answer("plain", to: "Foo: 1", vary: "Accept-Encoding").key == key("/a"))
        #expect(try scene.ask("Foo: 2") == (key("/a"), "plain"))
        scene.answer("one", to: "Foo: 1")
        scene.answer("none")
        let (asked, body) = try scene.ask("Foo: 2")
        #expect(body == nil && !asked.variant.isEmpty)
        let stored = scene.answer("two", to: "Foo: 2", under: asked)
        #expect(stored.key == asked && stored.resources == [7] && stored.classTag == 3)
        #expect(try scene.ask("Foo: 1").body == "one")
        #expect(try scene.ask("Foo: 2", "Other: 3").body == "two")
        #expect(try scene.ask().body == "none")
        #expect(try scene.ask("Foo: 3").body == nil)
    }

    /// Each loop made an index: the later took the others' variants out of reach, and their waiters
    /// asked the origin again.
    @Test func anIndexThatLoopsMakeAtOnceHasAllTheirVariants() throws {
        let cache = scene.cache
        for round in 0..<50 {
            concurrently(8) { number in
                Scene(sharing: cache).answer("\(number)", to: "Foo: \(number)", under: key("/\(round)"))
            }
            for number in 0..<8 {
                #expect(try scene.ask("Foo: \(number)", target: "/\(round)").body == "\(number)")
            }
        }
    }

    @Test func theSameNamesKeepTheVariantIndexOthersReplaceIt() throws {
        scene.answer("one", to: "Foo: 1", "Bar: 1", vary: "Foo, Bar")
        let before = try #require(scene.cache.lookup(key("/a"), nil, at: noon))
        #expect(before.isVariantIndex)
        scene.answer("two", to: "Foo: 2", vary: "BAR,foo, Origin")
        #expect(scene.cache.lookup(key("/a"), nil, at: noon) === before)
        #expect(try scene.ask("Foo: 1", "Bar: 1").body == "one")
        scene.answer("one", to: "Foo: 1")
        scene.answer("two", to: "Foo: 1", "Bar: 1", vary: "Foo, Bar")
        #expect(try scene.ask("Foo: 1").body == nil)
        #expect(try scene.ask("Foo: 1", "Bar: 1").body == "two")
        scene.answer("three", to: "Foo: 1")
        #expect(try scene.ask("Foo: 1").body == "three")
    }

    @Test func aVariantIndexIsReplacedAndOutlivesItsVariants() throws {
        scene.answer("one", to: "Foo: 1")
        let (asked, _) = try scene.ask("Foo: 2")
        scene.answer("plain", to: "Foo: 2", vary: "", under: asked)
        #expect(try scene.ask("Foo: 1") == (key("/a"), "plain"))
        scene.answer("one", to: "Foo: 1", lifetime: Lifetime(freshFor: Lifetime.longest - 1))
        #expect(try scene.ask("Foo: 1", at: noon + Int64(Lifetime.longest) - 2).body == "one")
    }

    @Test func removingTheVariantIndexTakesAllVariantsOutOfReach() throws {
        let store = scratch.open()
        defer { store.close() }
        let scene = Scene(store)
        scene.answer("one", to: "Foo: 1")
        scene.answer("two", to: "Foo: 2")
        scene.cache.remove(key("/a"))
        #expect(try scene.ask("Foo: 1").body == nil)
        scene.answer("new", to: "Foo: 1")
        #expect(try scene.ask("Foo: 1").body == "new")
        #expect(try scene.ask("Foo: 2").body == nil)
    }

    @Test func variantsAreFoundAfterARestart() throws {
        let store = scratch.open()
        let scene = Scene(store)
        scene.answer("one", to: "Foo: 1")
        scene.answer("two", to: "Foo: 2")
        store.close()
        let reopened = scratch.open()
        #expect(try Scene(reopened).ask("Foo: 2").body == "two")
        // A cache whose memory has never seen the variant index keeps its generation.
        let again = Scene(reopened)
        again.answer("three", to: "Foo: 3")
        #expect(try again.ask("Foo: 1").body == "one")
    }

    @Test func aDamagedVariantIndexIsAMiss() throws {
        scene.cache.store(
            StoredResponse(
                restoring: key("/a"), status: 300, fields: [], content: .plain([]), receivedAt: noon,
                lifetime: Lifetime(freshFor: 0, keepFor: 9), classTag: 0, storefront: [], selecting: [1]))
        #expect(try scene.ask("Foo: 1").body == nil)
    }

    private func speaks(_ scene: Scene, _ language: String, to accepted: String, vary: String = "Accept-Language") {
        scene.answer(
            language, to: "Accept-Language: \(accepted)", vary: vary, fields: ["Content-Language: \(language)"])
    }

    @Test func theOneLanguageIsFoundWhereNothingElseSelects() throws {
        let scene = Scene(scratch.open())
        speaks(scene, "de", to: "en, de")
        let (asked, body) = try scene.ask("Accept-Language: fr;q=0.5, DE;q=1.0")
        #expect(body == "de")
        #expect(try scene.ask("Accept-Language: de, en").key == asked)
        let other = Scene()
        speaks(other, "de", to: "en, de", vary: "Accept-Language, Foo")
        #expect(try other.ask("Accept-Language: de").body == nil)
    }

    @Test(arguments: [
        "fr, de", "fr, de;q=0.9", "de-AT", "*", "de;q=0", "de, en;q=2", "", "de;x=1", "en",
    ])
    func otherwiseTheListsHaveToMatch(accepted: String) throws {
        speaks(scene, "de", to: "en, de")
        #expect(try scene.ask("Accept-Language: \(accepted)").body == nil)
    }

    @Test func anAnswerIsFoundByItsLanguageOnlyWhileItIsFreshAndInIt() throws {
        speaks(scene, "de", to: "en, de")
        #expect(try scene.ask("Accept-Language: de", at: noon + 1000).body == nil)
        // The origin now answers the same list in another language.
        speaks(scene, "en", to: "en, de")
        #expect(try scene.ask("Accept-Language: de").body == nil)
        #expect(try scene.ask("Accept-Language: en").body == "en")
    }

    @Test func anAnswerIsStoredUnderTheListOfItsRequest() throws {
        speaks(scene, "de", to: "en, de")
        let (asked, _) = try scene.ask("Accept-Language: de")
        scene.answer(
            "newer", to: "Accept-Language: de", vary: "Accept-Language", under: asked, fields: ["Content-Language: de"])
        #expect(try scene.ask("Accept-Language: de").body == "newer")
        #expect(try scene.ask("Accept-Language: en, de").body == "de")
    }

    @Test(arguments: [["de, en"], ["de", "en"], ["d e"], [""], [String(repeating: "d", count: 36)]])
    func severalLanguagesOrNoneAreNotNoted(languages: [String]) throws {
        scene.answer(
            "x", to: "Accept-Language: en, de", vary: "Accept-Language",
            fields: languages.map { "Content-Language: \($0)" })
        #expect(try scene.ask("Accept-Language: de").body == nil)
        #expect(try scene.ask("Accept-Language: en, de").body == "x")
    }
}
